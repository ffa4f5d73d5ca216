import MOCloneEngine
import MOCloneModel

/// What all trials of one model share: the plans of its entities and who owns what.
final class TrialPlans {
  let model: SampleModel
  private var plans: [String: ClonePlan?] = [:]
  /// Entities of which no clone can be planned at all.
  private(set) var refusals: [Violation] = []

  init(_ model: ObjectModel) {
    self.model = SampleModel(model)
  }

  /// The plan of an entity, made where it is first asked for; nil where every clone is refused.
  subscript(entity: String) -> ClonePlan? {
    if let known = plans[entity] { return known }
    do {
      let plan = try ClonePlan(model: model.model, entity: entity)
      plans[entity] = plan
      return plan
    } catch {
      plans[entity] = .some(.none)
      refusals += ((error as? CloneError)?.failures ?? []).map { refusal($0, entity) }
      return nil
    }
  }

  private func refusal(_ failure: CloneError.Failure, _ entity: String) -> Violation {
    Violation(
      kind: .refused, code: failure.code,
      path: model.model.path(of: failure.property, entity: failure.entity ?? entity),
      message: "no \(entity) can be cloned: \(failure.message)",
      event: "Every clone of \(entity.withArticle) is refused: \(failure.message).", root: 0,
      objects: [])
  }
}
