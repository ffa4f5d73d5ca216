/// What annotations of relationships leave empty or out.
extension ModelChecks {
  func excludedRelationshipsMayBeEmpty() -> [Diagnostic] {
    let excluded = soundRelationships.filter { written($0.userInfo).excludesAsWritten }
    guard !excluded.isEmpty else { return [] }
    let edges = CloneEdges(self)
    return excluded.filter { !$0.isOptional }.compactMap { failure(ofExcluding: $0, edges) }
  }

  /// The root is not reached from the destination's side; reached over another relationship, the link is
  /// lost for certain where the destination's side never asks for it, or no destination is cloned with it.
  private func failure(ofExcluding relationship: RelationshipDescription, _ edges: CloneEdges) -> Diagnostic?
  {
    let concrete = sound.concreteEntities(of: relationship.entity)
    guard !concrete.isEmpty else { return nil }
    let inverse = sound.inverse(of: relationship)
    let isAsked = inverse.map { !written($0.userInfo).meaning.isExcluded } ?? false
    let destinations = sound.concreteEntities(of: relationship.destination)
    let leading = Set(destinations + edges.ancestors(of: destinations) { _ in false })
    let way = concrete.lazy.flatMap(edges.accessPaths(to:)).first {
      $0.qualifiedName != inverse?.qualifiedName
        && (!isAsked || leading.isDisjoint(with: sound.concreteEntities(of: $0.entity)))
    }
    if let way {
      var finding = Diagnostic.emptiedOnAccessPath(annotated(relationship), way: way)
      finding.refusesClones = true
      return finding
    }
    // An excluded inverse fills nothing either, and nothing is cloned over a linked one.
    var finding = Diagnostic.emptiedAtRoot(
      annotated(relationship), inverse: inverse.flatMap { clones($0) ? $0 : nil })
    finding.refusesClones = concrete.allSatisfy { edges.accessPaths(to: $0).isEmpty }
    return finding
  }

  func linkedRelationshipsCanBeShared() -> [Diagnostic] {
    soundRelationships.filter { !$0.userInfo.isEmpty }.compactMap { relationship in
      let annotations = written(relationship.userInfo)
      guard annotations.meaning.onClone == .link, !annotations.has(.exclude), annotations.misspelt.isEmpty
      else { return nil }
      let inverse = sound.inverse(of: relationship)
      if let inverse, !inverse.isToMany {
        return .linkMovesRelatedObject(annotated(relationship), inverse: inverse, key: keys.exclude)
      }
      return mapping.isInOtherRows(relationship)
        ? .linkLiesInDestination(annotated(relationship), key: keys.exclude) : nil
    }
  }
}

extension RelationshipDescription {
  /// `a note`, or the name of a list.
  fileprivate var nameOfOne: String { isToMany ? name : name.withArticle }
}

extension WrittenAnnotations {
  /// What a misspelt key would lead to is not said.
  fileprivate var excludesAsWritten: Bool { meaning.isExcluded && misspelt.isEmpty }
}

extension Diagnostic {
  static func emptiedOnAccessPath(
    _ relationship: Annotated<RelationshipDescription>, way: RelationshipDescription
  ) -> Diagnostic {
    Diagnostic(
      .requiredRelationshipExcluded, at: relationship.path(.exclude),
      "Cloning \(way.entity.withArticle) would create \(way.name) without \(relationship.property.nameOfOne).",
      notes: [
        Note("\(relationship.property.entity) is cloned over this relationship", at: .relationship(way))
      ],
      help: "\(relationship.quoted) is required but excluded; "
        + (relationship.property.isToMany
          ? "remove 'minCount', or remove '\(relationship.annotations.key(.exclude))'"
          : "add 'optional: true', or write '\(AnnotationKeys.onClone): link' in place of "
            + "'\(relationship.annotations.key(.exclude))'"),
      edits: [
        letsBeEmpty(relationship),
        // What is linked by a list would be taken from the original, unless it is many-to-many.
        relationship.property.isToMany
          ? .remove(relationship.path(.exclude))
          : .replace(
            relationship.path, old: relationship.annotations.key(.exclude), by: AnnotationKeys.onClone,
            value: "link"),
      ])
  }

  private static func letsBeEmpty(_ relationship: Annotated<RelationshipDescription>) -> ModelEdit {
    relationship.property.isToMany
      ? .remove(relationship.path / "minCount") : .makeOptional(relationship.path)
  }

  static func emptiedAtRoot(
    _ relationship: Annotated<RelationshipDescription>, inverse: RelationshipDescription?
  ) -> Diagnostic {
    let entity = relationship.property.entity
    return Diagnostic(
      .requiredRelationshipExcluded, .warning, at: relationship.path(.exclude),
      "\(relationship.quoted) is required but excluded, so cloning \(entity.withArticle) by itself would leave it empty",
      notes: inverse.map { [Note("a clone made from here fills it", at: .relationship($0))] } ?? [],
      help: (relationship.property.isToMany ? "remove 'minCount'" : "add 'optional: true'")
        + ", or remove '\(relationship.annotations.key(.exclude))' if '\(entity)' is ever cloned by itself",
      edits: [letsBeEmpty(relationship), .remove(relationship.path(.exclude))])
  }

  static func linkMovesRelatedObject(
    _ relationship: Annotated<RelationshipDescription>, inverse: RelationshipDescription, key: String
  ) -> Diagnostic {
    Diagnostic(
      .linkLeavesOut, at: relationship.path(.onClone),
      "'onClone: link' at \(relationship.quoted) leaves out objects that are not cloned: \(inverse.quoted) is "
        + "to-one, so linking them would remove them from the original",
      notes: [Note("the inverse is to-one", at: .relationship(inverse))],
      help: "write 'onClone: clone', or 'exclude' if the clone should have none",
      edits: cloneOrExclude(relationship, key: key))
  }

  private static func cloneOrExclude(
    _ relationship: Annotated<RelationshipDescription>, key: String
  ) -> [ModelEdit] {
    let link = relationship.annotations.key(.onClone)
    return [
      .annotate(relationship.path, link, "clone"), .replace(relationship.path, old: link, by: key),
    ]
  }

  static func linkLiesInDestination(
    _ relationship: Annotated<RelationshipDescription>, key: String
  ) -> Diagnostic {
    Diagnostic(
      .linkLeavesOut, at: relationship.path(.onClone),
      "'onClone: link' at \(relationship.quoted) leaves out objects that are not cloned: its foreign key is in "
        + "'\(relationship.property.destination)', so linking them would remove them from the original",
      help: "give it a 'joinTable', write 'onClone: clone', or 'exclude' if the clone should have none",
      edits: cloneOrExclude(relationship, key: key))
  }
}
