/// Ways of cloning that lead from an owned object up into its owner.
extension GraphChecks {
  func ownedObjectsKeepTheirOwnersOut() -> [Diagnostic] {
    var accessPaths: [String: [RelationshipDescription]] = [:]
    func ways(to entity: String) -> [RelationshipDescription] {
      if let known = accessPaths[entity] { return known }
      let found = model.concreteEntities(of: entity).flatMap(edges.accessPaths(to:))
      accessPaths[entity] = found
      return found
    }
    return checks.soundRelationships.compactMap { relationship in
      let annotations = checks.written(relationship.userInfo)
      guard leadsToOwner(relationship), checks.clones(relationship), !annotations.has(.onClone),
        annotations.misspelt.isEmpty
      else { return nil }
      let inverse = model.inverse(of: relationship)
      let other = ways(to: relationship.entity).first {
        $0.qualifiedName != inverse?.qualifiedName && !leadsToOwner($0) && !isNameless($0)
      }
      // An object that must have an owner, and is cloned with it or by itself, can only bring it along.
      guard other != nil || relationship.isOptional else { return nil }
      return .climbsToOwner(relationship, accessPath: other, edit: edit(relationship, accessPath: other))
    }
  }

  private func edit(
    _ relationship: RelationshipDescription, accessPath: RelationshipDescription?
  ) -> ModelEdit {
    guard let accessPath, !relationship.isOptional else {
      return .annotate(.relationship(relationship), checks.keys.exclude)
    }
    return canLink(accessPath)
      ? .annotate(.relationship(accessPath), AnnotationKeys.onClone, "link")
      : .annotate(.relationship(accessPath), checks.keys.exclude)
  }
}

extension Diagnostic {
  static func climbsToOwner(
    _ relationship: RelationshipDescription, accessPath: RelationshipDescription?, edit: ModelEdit
  ) -> Diagnostic {
    let (entity, owner) = (relationship.entity, relationship.destination)
    let way = ModelPath.way(accessPath.map { [$0] } ?? [], to: relationship.qualifiedName)
    let reached = entity.withArticle + (accessPath == nil ? " by itself" : " without its \(owner)")
    return Diagnostic(
      .climbsToOwner, at: .relationship(relationship),
      "cloning \(reached) also clones the whole \(owner) that owns it: \(way)",
      notes: accessPath.map { [Note("cloned over this relationship", at: .relationship($0))] } ?? [],
      help: "\(edit.sentence), or 'userInfo: {onClone: clone}' to \(relationship.quoted) if that is meant",
      edits: [edit, .annotate(.relationship(relationship), AnnotationKeys.onClone, "clone")])
  }
}
