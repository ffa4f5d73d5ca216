import MOCloneModel

extension CloneError {
  /// The same failures, each of which is about a row, where it is about no other one.
  package func about(_ row: ImportPlan.Row) -> CloneError {
    CloneError(
      failures.map { failure in
        var failure = failure
        failure.row = failure.row ?? row
        return failure
      })
  }

  /// An object would be made without something that it must have.
  package static func importLacks(_ names: [String], entity: String) -> CloneError {
    let listed = names.map { "'\($0)'" }.joined(separator: " and ")
    return CloneError(
      .requiredLeftEmpty,
      "the row inserts a new \(entity), which requires \(listed), but gives no value for it",
      entity: entity, property: names.first)
  }

  package static func importPartnerTaken(
    _ relationship: RelationshipDescription, partner: String
  ) -> CloneError {
    CloneError(
      .constraintFailed,
      "'\(relationship.name)' of \(relationship.entity) is one-to-one, but \(partner) would belong to two objects",
      entity: relationship.entity, property: relationship.name)
  }
}
