/// Delete rules that no deletion can follow, or whose deletions take along too much.
extension ModelChecks {
  /// Where `nullify` is written and the other side is required, every deletion of an owner is refused.
  ///
  /// - Parameter written: the relationships at which the rule is written; by default it is nobody's decision.
  func nullifiedRelationshipsMayBeEmpty(_ written: Set<ModelPath>) -> [Diagnostic] {
    if written.isEmpty { return [] }
    return soundRelationships.filter { written.contains($0.path) && $0.deleteRule == .nullify }.compactMap {
      relationship in
      guard let inverse = sound.inverse(of: relationship), !inverse.isToMany, !inverse.isOptional else {
        return nil
      }
      return .nullifyRequired(relationship, inverse: inverse)
    }
  }

  /// An object that is in the lists of several others is none that one of them owns.
  func cascadesSpareSharedObjects() -> [Diagnostic] {
    soundRelationships.filter { $0.deleteRule == .cascade }.compactMap { relationship in
      guard let inverse = sound.inverse(of: relationship), inverse.isToMany else { return nil }
      return .cascadeToShared(relationship, inverse: inverse)
    }
  }
}

extension Diagnostic {
  fileprivate static func cascadeToShared(
    _ relationship: RelationshipDescription, inverse: RelationshipDescription
  ) -> Diagnostic {
    let rule = ModelPath.relationship(relationship) / "deleteRule"
    let taken =
      relationship.isToMany
      ? "its '\(relationship.name)'" : "the \(relationship.destination) that it is linked to"
    let owner =
      relationship.isToMany || inverse.deleteRule == .cascade
      ? "" : "; what is deleted with \(inverse.entity.withArticle) is said at \(inverse.quoted)"
    return Diagnostic(
      .cascadeToShared, at: rule,
      "deleting \(relationship.entity.withArticle) also deletes \(taken), whatever else is in \(inverse.quoted)",
      notes: [Note("the list of all that are linked to it", at: .relationship(inverse))],
      help: ModelEdit.remove(rule).sentence + owner, edits: [.remove(rule)])
  }

  fileprivate static func nullifyRequired(
    _ relationship: RelationshipDescription, inverse: RelationshipDescription
  ) -> Diagnostic {
    Diagnostic(
      .nullifyRequired, at: .relationship(relationship) / "deleteRule",
      "deleting \(relationship.entity.withArticle) would leave \(inverse.quoted) empty, which is required, so it is refused",
      notes: [Note("the required side", at: .relationship(inverse))],
      help: "write 'deleteRule: cascade' or 'deleteRule: deny', or 'optional: true' at \(inverse.quoted)",
      edits: ["cascade", "deny"].map { .set(.relationship(relationship) / "deleteRule", $0) }
        + [.makeOptional(.relationship(inverse))])
  }
}
