import Foundation
import MOCloneEngine
import MOCloneModel

/// Clones objects of one sample graph and looks at what became of it; the graph is then as it was.
///
/// All trials of a model use one graph in memory, so that the next one ends this one.
struct CloneTrial {
  private let store: SampleStore
  private let plans: TrialPlans
  private var model: SampleModel { plans.model }
  private var before: SampleGraph { store.before }

  /// - Throws: `CloneError` where the graph cannot be put into memory.
  init(_ sample: SampleGraph, plans: TrialPlans) throws {
    store = try SampleStore(sample, model: plans.model, in: plans.emptyGraph())
    self.plans = plans
  }

  /// What a clone of an object does wrong; empty where all is well, and where no clone can be planned.
  func violations(cloning root: Int) throws -> [Violation] {
    guard let object = before[root], let plan = plans[object.entity] else { return [] }
    plans.note(plan)
    defer { try? store.rollback() }
    var cloner = TrialCloner(store, plan: plan, in: plans.model)
    let outcome: TrialOutcome
    do {
      outcome = try self.outcome(object, plan: plan, cloner: &cloner)
    } catch let error as CloneError {
      return cloner.needsAnotherLink(error, of: root) ? [] : error.failures.map { refusal($0, of: object) }
    }
    let violations = outcome.violations
    return violations.isEmpty ? try again(outcome, cloner: &cloner) : violations
  }

  /// The links between clones and objects outside the clone; nil where no clone is made.
  func outsideLinks(cloning root: Int) -> [OutsideLink]? {
    guard let object = before[root], let plan = plans[object.entity] else { return nil }
    defer { try? store.rollback() }
    var cloner = TrialCloner(store, plan: plan, in: plans.model)
    return try? outcome(object, plan: plan, cloner: &cloner).outsideLinks
  }

  private func outcome(
    _ root: SampleGraph.Object, plan: ClonePlan, cloner: inout TrialCloner
  ) throws -> TrialOutcome {
    let result = try cloner.clone(root.id)
    let after = try store.read()
    return TrialOutcome(
      root: root, plan: plan, plans: plans, before: before, after: after, result: result,
      clones: clones(result))
  }

  /// The numbers of clones by those of their originals, once the graph has been read.
  private func clones(_ result: CloneResult) -> [Int: Int] {
    let pairs = result.mapping.compactMap { pair in
      store.number(of: pair.original).flatMap { original in
        store.number(of: pair.clone).map { (original, $0) }
      }
    }
    return Dictionary(pairs) { first, _ in first }
  }

  // MARK: Further clones

  /// A second clone of the root and a clone of the clone.
  private func again(_ outcome: TrialOutcome, cloner: inout TrialCloner) throws -> [Violation] {
    do {
      let second = try cloner.clone(outcome.root.id)
      guard second.cloned == outcome.result.cloned else {
        let (one, other) = (outcome.result.cloned.listed, second.cloned.listed)
        return [outcome.notRepeatable("the first clone holds \(one), a second one \(other)")]
      }
      if let copy = outcome.clones[outcome.root.id] { _ = try cloner.clone(copy) }
      return []
    } catch let error as CloneError {
      return [outcome.notRepeatable("a second clone is refused: \(error.failures.first?.message ?? "")")]
    }
  }

  private func refusal(_ failure: CloneError.Failure, of root: SampleGraph.Object) -> Violation {
    let path = model.model.path(of: failure.property, entity: failure.entity ?? root.entity)
    return Violation(
      kind: .refused, code: failure.code, path: path,
      message: "cloning \(root.entity.withArticle) is refused: \(failure.message)",
      event: "The clone is refused: \(failure.message).", root: root.id,
      objects: [root.id] + [failure.object.flatMap(store.number)].compactMap { $0 }, before: before)
  }
}

extension [String: Int] {
  /// `1 Note and 2 Items`, in the order of names.
  var listed: String {
    let parts = sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}

extension ObjectModel {
  /// The place of a property where it is declared, else of the entity.
  func path(of property: String?, entity: String) -> ModelPath {
    guard let property else { return .entity(entity) }
    if let attribute = attribute(property, of: entity) { return .attribute(attribute) }
    if let relationship = relationship(property, of: entity) { return .relationship(relationship) }
    return .entity(entity)
  }
}
