/// Exclusions that the other side of the relationship undoes.
extension GraphChecks {
  func exclusionsHoldOnBothSides() -> [Diagnostic] {
    let excluded = checks.annotatedRelationships.filter {
      $0.annotations.has(.exclude) && $0.annotations.misspelt.isEmpty
    }
    var stepsLeft = Self.mostSteps
    return excluded.compactMap { relationship in
      guard stepsLeft > 0, let inverse = model.inverse(of: relationship.property),
        !checks.written(inverse.userInfo).has(.exclude)
      else { return nil }
      if checks.clones(inverse) { return undoneByOwner(relationship, owner: inverse) }
      return undoneByOtherWays(relationship, inverse: inverse, stepsLeft: &stepsLeft)
    }
  }

  /// What is reached from an owner stays with it. A required to-one is another finding, and a one-to-one is excluded
  /// to keep the owner of an object that is cloned by itself out.
  private func undoneByOwner(
    _ relationship: Annotated<RelationshipDescription>, owner: RelationshipDescription
  ) -> Diagnostic? {
    guard relationship.property.isOptional, owner.isToMany || relationship.property.isToMany else {
      return nil
    }
    let way = ModelPath.way([owner], to: relationship.property.qualifiedName)
    return .oneSidedExclude(relationship, inverse: owner, when: "cloned with its '\(owner.entity)'", way: way)
  }

  /// A link: where a clone holds objects of both ends, the other side asks for the link.
  private func undoneByOtherWays(
    _ relationship: Annotated<RelationshipDescription>, inverse: RelationshipDescription,
    stepsLeft: inout Int
  ) -> Diagnostic? {
    let (entity, destination) = (relationship.property.entity, inverse.entity)
    guard let one = model.concreteEntities(of: entity).first,
      let other = model.concreteEntities(of: destination).first
    else { return nil }
    let (ways, others) = (edges.waysUp(from: one), edges.waysUp(from: other))
    stepsLeft -= ways.count + others.count
    let known = Set((one == other ? others.dropFirst() : others[...]).map(\.entity))
    // Excluding what would be cloned keeps objects out, unless they come in below the excluding object in another way.
    let candidates = (inverse.isToMany ? ways[...] : ways.prefix(1)).dropFirst(one == other ? 1 : 0)
    guard let root = candidates.first(where: { known.contains($0.entity) }) else { return nil }
    let end = others.last { $0.entity == root.entity }!
    let way = ModelPath.way(edges.path(down: end, others), to: inverse.qualifiedName)
    return .oneSidedExclude(
      relationship, inverse: inverse, when: "cloned with its root '\(root.entity)'", way: way)
  }
}

extension Diagnostic {
  static func oneSidedExclude(
    _ relationship: Annotated<RelationshipDescription>, inverse: RelationshipDescription, when: String,
    way: String
  ) -> Diagnostic {
    let key = relationship.annotations.key(.exclude)
    // A list that is excluded keeps its members out, so only the links of those that come in otherwise are left.
    // Without the exclusion the clone would take them along, from other owners too.
    let isList = relationship.property.isToMany && !inverse.isToMany
    let remove = ModelEdit.remove(relationship.path(.exclude))
    return Diagnostic(
      .oneSidedExclude, isList ? .note : .warning, at: relationship.path(.exclude),
      "\(relationship.quoted) is excluded, but \(inverse.quoted) writes the same links: "
        + "'\(relationship.property.entity)' \(when) keeps its value nevertheless: \(way)",
      notes: [Note("the other side", at: .relationship(inverse))],
      help: "write '\(key): \"\"' at \(inverse.quoted) too, or remove it here"
        + (isList ? ", which takes its members along" : ""),
      edits: [.annotate(.relationship(inverse), key)] + (isList ? [] : [remove]))
  }
}
