/// Delete rules that no deletion can follow.
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
      return .nullifyRequired(relationship, inverse)
    }
  }
}

extension Diagnostic {
  fileprivate static func nullifyRequired(
    _ relationship: RelationshipDescription, _ inverse: RelationshipDescription
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
