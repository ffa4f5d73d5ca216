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

  /// Two objects would have the same related object of a one-to-one relationship.
  ///
  /// - Parameters:
  ///   - isRequired: whether no object can do without its related object.
  ///   - canUpdate: whether an import that updates existing objects would take the related object away from the one that
  ///     has it.
  package static func relatedObjectTaken(
    _ relationship: RelationshipDescription, relatedObject: String, isRequired: Bool, canUpdate: Bool = false
  ) -> CloneError {
    let update = canUpdate ? "pass --existing update to take it away from the object that has it, and " : ""
    return CloneError(
      .constraintFailed,
      "'\(relationship.name)' of \(relationship.entity) is one-to-one, but \(relatedObject) would belong to two objects",
      help: isRequired
        ? "give the object that has \(relatedObject) another one first"
        : update + "give \(relatedObject) to one object only",
      entity: relationship.entity, property: relationship.name)
  }
}

extension CloneError.Failure {
  /// The same with the place of its row before it, where it does not say that itself.
  package func placed(at place: String) -> Self {
    guard !problem.hasPrefix(place) else { return self }
    var failure = self
    failure.problem = place + problem
    return failure
  }

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
