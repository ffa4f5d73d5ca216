/// Relationships that name no inverse, so that they are cloned whatever they mean.
extension GraphChecks {
  /// Two that may be each other's inverse are one finding.
  func inversesAreNamed() -> [Diagnostic] {
    let nameless = checks.soundRelationships.filter { $0.inverse == nil }
    let byEnds = Dictionary(grouping: nameless) { [$0.entity, $0.destination] }
    var paired: Set<String> = []
    return nameless.compactMap { relationship in
      guard isNameless(relationship), !paired.contains(relationship.qualifiedName) else { return nil }
      let back = (byEnds[[relationship.destination, relationship.entity]] ?? []).filter {
        $0.qualifiedName != relationship.qualifiedName
      }
      let other = back.count == 1 ? back[0] : nil
      if let other { paired.insert(other.qualifiedName) }
      return .missingInverse(relationship, other: other, canLink: canLink(relationship))
    }
  }
}

extension ModelEdit {
  /// Two relationships as each other's inverse.
  fileprivate static func pair(_ a: RelationshipDescription, _ b: RelationshipDescription) -> ModelEdit {
    ModelEdit([
      .set(.relationship(a) / "inverse", b.name), .set(.relationship(b) / "inverse", a.name),
    ])
  }
}

extension Diagnostic {
  static func missingInverse(
    _ relationship: RelationshipDescription, other: RelationshipDescription?, canLink: Bool
  ) -> Diagnostic {
    let (entity, destination) = (relationship.entity, relationship.destination)
    let pair = other.map {
      "write 'inverse: \($0.name)' here and 'inverse: \(relationship.name)' at \($0.quoted)"
    }
    let annotation =
      "add 'userInfo: {onClone: clone}' if it belongs to the '\(entity)'"
      + (canLink ? ", or 'userInfo: {onClone: link}' if it is shared" : "")
      + ", or name the relationship back by 'inverse'"
    return Diagnostic(
      .missingInverse, at: .relationship(relationship),
      "\(relationship.quoted) names no inverse, so each clone of '\(entity)' also clones its '\(destination)', "
        + "whether it is owned or shared",
      notes: other.map { [Note("this may be its inverse", at: .relationship($0))] } ?? [],
      help: pair ?? annotation,
      edits: other.map { [.pair(relationship, $0)] }
        ?? ["clone", "link"].filter { canLink || $0 == "clone" }
        .map { .annotate(.relationship(relationship), AnnotationKeys.onClone, $0) })
  }
}
