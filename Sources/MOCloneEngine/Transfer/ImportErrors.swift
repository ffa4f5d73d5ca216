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

  /// A one-to-one would lead from two objects to one.
  package static func partnerTaken(
    _ relationship: RelationshipDescription, partner: String
  ) -> CloneError {
    CloneError(
      .constraintFailed,
      "'\(relationship.name)' of \(relationship.entity) is one-to-one, but \(partner) would belong to two objects",
      entity: relationship.entity, property: relationship.name)
  }
}

extension CloneError.Failure {
  /// A property that existing objects do not take over.
  package static func notOverwritten(
    _ name: String, of entity: String, since reason: String, object: ObjectID? = nil
  ) -> Self {
    .init(
      .invalidValue,
      (object.map { "\($0): " } ?? "") + "'\(name)' \(reason), so it cannot be overwritten", entity: entity,
      property: name, object: object)
  }

  /// A property that is a part of the key.
  ///
  /// - Parameter object: the object that has another one, where no row of a file is named for it.
  package static func inKey(_ name: String, of entity: String, object: ObjectID? = nil) -> Self {
    notOverwritten(
      name, of: entity, since: "is in the key of \(entity), which never changes", object: object)
  }
}
