import MOCloneEngine
import MOCloneModel

/// What all trials of one model share: the plans of its entities and who owns what.
final class TrialPlans {
  let model: SampleModel
  private var plans: [String: ClonePlan] = [:]
  private var refused: Set<String> = []
  /// The nodes of all plans that are kept: where all entities are related, a plan has thousands, and there are many plans.
  private var nodes = 0
  private static let mostNodes = 20_000
  /// How many relationships the plans had by which clones were made, which is about what these took.
  private var work = 0
  private let mostWork: Int
  /// Whether clones by these plans took so much that further ones would take too long.
  var areTooLarge: Bool { work > mostWork }
  private let graph: MemoryGraph
  /// Entities of which no clone can be planned at all.
  private(set) var refusals: [Violation] = []

  init(_ model: ObjectModel, mostWork: Int = .max) {
    self.model = SampleModel(model)
    self.mostWork = mostWork
    graph = self.model.newGraph()
  }

  /// The graph of the trials, without what the last one put into it: to make a graph of a large model takes long.
  func emptyGraph() -> MemoryGraph {
    graph.removeAll()
    return graph
  }

  /// The plan of an entity, made where it is first asked for; nil where every clone is refused.
  subscript(entity: String) -> ClonePlan? {
    if let known = plans[entity] { return known }
    if refused.contains(entity) { return nil }
    do {
      let plan = try ClonePlan(model: model.model, entity: entity)
      keep(plan, of: entity)
      return plan
    } catch {
      refused.insert(entity)
      refusals += ((error as? CloneError)?.failures ?? []).map { refusal($0, entity: entity) }
      return nil
    }
  }

  /// Counts what a clone by a plan takes.
  func note(_ plan: ClonePlan) {
    work += plan.nodes.reduce(0) { $0 + $1.relationships.count }
  }

  /// Lets clones take as much again.
  func startAnew() { work = 0 }

  private func keep(_ plan: ClonePlan, of entity: String) {
    if nodes + plan.nodes.count > Self.mostNodes {
      plans = [:]
      nodes = 0
      graph.forgetPlans()
    }
    plans[entity] = plan
    nodes += plan.nodes.count
  }

  private func refusal(_ failure: CloneError.Failure, entity: String) -> Violation {
    Violation(
      kind: .refused, code: failure.code,
      path: model.model.path(of: failure.property, entity: failure.entity ?? entity),
      message: "no \(entity) can be cloned: \(failure.message)",
      event: "Every clone of \(entity.withArticle) is refused: \(failure.message).", root: 0,
      objects: [])
  }
}
