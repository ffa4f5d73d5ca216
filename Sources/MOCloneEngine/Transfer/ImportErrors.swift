import MOCloneModel

extension CloneError {
  /// An object would be made without something that it must have.
  package static func importLacks(_ names: [String], _ entity: String, line: Int) -> CloneError {
    let listed = names.map { "'\($0)'" }.joined(separator: " and ")
    return CloneError(
      .requiredLeftEmpty,
      "line \(line) makes a new \(entity), which needs \(listed), but the mapping gives it nothing there",
      entity: entity, property: names.first)
  }

  package static func importPartnerTaken(
    _ relationship: RelationshipDescription, _ partner: String
  ) -> CloneError {
    CloneError(
      .constraintFailed,
      "'\(relationship.name)' of \(relationship.entity) is one-to-one, and \(partner) would belong to two objects",
      entity: relationship.entity, property: relationship.name)
  }
}
