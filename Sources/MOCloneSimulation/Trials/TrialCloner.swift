import Foundation
import MOCloneEngine
import MOCloneModel

/// Makes the clones of one trial, one after another.
///
/// A unique value of the root itself is given anew as `--set` gives it: who clones such an object by itself has to.
struct TrialCloner {
  private let store: SampleStore
  private let plan: ClonePlan
  private var values: SampleValues
  /// The attributes of the root that are given.
  private var given: [AttributeDescription] = []
  private let fixed = ValueGenerator.fixed()
  private var seconds = 0.0

  init(_ store: SampleStore, plan: ClonePlan, in model: SampleModel) {
    self.store = store
    self.plan = plan
    values = SampleValues(model, random: SplitMix64(seed: 0))
  }

  /// Clones an object and leaves the clone pending.
  ///
  /// - Throws: `CloneError` as a clone does.
  mutating func clone(_ root: Int) throws -> CloneResult {
    let id = store.id(of: root)
    while true {
      var request = CloneRequest()
      for attribute in given { request.set[attribute.name] = values.newValue(of: attribute, id.entity) }
      do {
        return try Cloner(plan: plan, generator: generator(), keepsMapping: true).clone(
          object: ManagedObject(id: id, graph: store.graph), request: request, saveBeforeReturn: false)
      } catch let error as CloneError {
        guard let missing = repeated(error, root: id) else { throw error }
        given.append(missing)
      }
    }
  }

  /// The root's own attribute that is unique, alone or with others, copied, and was not given yet.
  private func repeated(_ error: CloneError, root: ObjectID) -> AttributeDescription? {
    repeatedNames(error, root: root).lazy.compactMap { plan.model.attribute($0, of: root.entity) }.first {
      attribute in
      plan.root(of: root.entity)?.rule(ofAttribute: attribute.name) == .copy
        && !given.contains { $0.name == attribute.name }
    }
  }

  /// Whether a clone would only repeat what the root is linked to: who clones a row of a link by itself sets another end.
  func needsAnotherLink(_ error: CloneError, of root: Int) -> Bool {
    let id = store.id(of: root)
    return repeatedNames(error, root: id).contains { name in
      plan.root(of: id.entity)?.plan(ofRelationship: name)?.rule == .link
    }
  }

  /// The properties that must be unique together, and that a clone of the root would repeat.
  private func repeatedNames(_ error: CloneError, root: ObjectID) -> [String] {
    guard let failure = error.failures.first, failure.code == .uniqueValue, failure.object == root else {
      return []
    }
    return plan.model.lineage(of: root.entity).compactMap { plan.model.entity($0) }
      .flatMap(\.uniquenessConstraints).filter { $0.first == failure.property }.flatMap { $0 }
  }

  /// Each clone has its own instant, as clones one after another have, and no UUID comes twice.
  private mutating func generator() -> ValueGenerator {
    seconds += 1
    let now = Date(timeIntervalSince1970: 1_893_456_000 + seconds)
    return ValueGenerator(now: { now }, uuid: fixed.uuid)
  }
}
