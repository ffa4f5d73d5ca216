import MOCloneModel

/// Every access path in the clones of a model, whatever their root: what one root reaches is a part of it.
///
/// The rules of a way are the same for all roots; only where followers find their ancestor is not.
struct CloneGraph {
  let plan: ClonePlan
  let mapping: SchemaMapping
  /// The nodes of roots by their entity.
  let roots: [String: Int]
  /// The relationships that each node clones, by number.
  private(set) var cloned: [[Int]] = []
  /// The nodes that each of these relationships reaches.
  private(set) var targets: [[Int]] = []
  /// The number of the relationship over which each node is reached; nil at roots.
  private(set) var accessPaths: [Int?]
  /// The names of the relationships.
  private(set) var names: [String] = []
  /// The entities that have what a slot follows.
  let providers: [FollowSlot: Set<String>]
  private let numbers: [PlanNode.AccessKey: Int]

  init(_ model: ObjectModel) {
    let roots = model.entities.filter { !$0.isAbstract }.map(\.name)
    mapping = SchemaMapping(model)
    // No entity is asked for: the plan is of them all.
    let planner = ClonePlanner(model: model, entity: "", request: CloneRequest(), mapping: mapping)
    var nodes = planner.relationshipNodes(exclusions: .none(model), from: roots)
    let slots = FollowAnalysis.slots(roots, in: model, keys: planner.keys)
    let rules = AttributeRules(planner: planner, slots: slots) { _, _ in .carried }
    rules.settle(&nodes)
    plan = ClonePlan(
      model: model, entity: "", request: planner.request, nodes: nodes, rootCount: roots.count, slots: slots)
    self.roots = Dictionary(uniqueKeysWithValues: zip(roots, roots.indices))
    providers = Self.providers(of: slots, roots, in: model)
    numbers = Dictionary(uniqueKeysWithValues: nodes.map { ($0.accessKey, $0.id) })
    accessPaths = Array(repeating: nil, count: nodes.count)
    numberRelationships()
  }

  private mutating func numberRelationships() {
    var known: [String: Int] = [:]
    for node in plan.nodes {
      cloned.append(
        node.relationships.filter { $0.rule == .clone }.map { planned in
          let name = planned.relationship.qualifiedName
          if let number = known[name] { return number }
          known[name] = names.count
          for target in planned.targets { accessPaths[target] = names.count }
          names.append(name)
          targets.append(planned.targets)
          return names.count - 1
        })
    }
  }

  private static func providers(
    of slots: [FollowSlot], _ entities: [String], in model: ObjectModel
  ) -> [FollowSlot: Set<String>] {
    let named = Dictionary(grouping: slots, by: \.attribute)
    var found: [FollowSlot: Set<String>] = [:]
    for entity in entities {
      for slot in model.attributes(of: entity).flatMap({ named[$0.name] ?? [] })
      where model.provides(slot, entity: entity) {
        found[slot, default: []].insert(entity)
      }
    }
    return found
  }

  /// The node of the same access path in another graph.
  func node(like node: PlanNode) -> PlanNode? { numbers[node.accessKey].map { plan.nodes[$0] } }

  /// Why an object of a root's entity cannot be cloned by itself; nil where it can.
  func refusal(of root: Int) -> String? {
    let planner = ClonePlanner(model: plan.model, entity: "", request: plan.request, mapping: mapping)
    do {
      try RequestChecks(planner: planner).check(plan, root: plan.nodes[root])
      return nil
    } catch {
      return (error as? CloneError)?.failures.map(\.message).joined(separator: "; ") ?? "\(error)"
    }
  }
}
