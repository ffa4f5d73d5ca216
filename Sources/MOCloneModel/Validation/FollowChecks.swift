/// What `followParent` names.
extension ModelChecks {
  /// Not judged where unknown parents or destinations hide what an ancestor can be.
  func followedAttributesExist() -> [Diagnostic] {
    let followers = plainAnnotatedAttributes.filter {
      $0.annotations.has(.followParent) && !$0.annotations.has(.exclude)
    }
    guard !followers.isEmpty, orphans.isEmpty else { return [] }
    let edges = CloneEdges(self)
    return followers.compactMap { failure(of: $0, edges) }
  }

  private func failure(of follower: Annotated<AttributeDescription>, _ edges: CloneEdges) -> Diagnostic? {
    guard let followed = follower.annotations.meaning.followParent else { return nil }
    if let entity = followed.entity, sound.entity(entity) == nil {
      let question = suggestions.question(entity, entityNames)
      return .unknownFollowedEntity(follower, entity, question: question)
    }
    let possible = possibleAncestors(of: follower.property, edges)
      .filter { ancestor in followed.entity.map { sound.isKind(ancestor, of: $0) } ?? true }
    let known = possible.flatMap { sound.attributes(of: $0) }.filter { !$0.isTransient }
    let named = known.filter { $0.name == followed.attribute }
    if named.contains(where: { $0.type == follower.property.type }) { return nil }
    if let other = named.first { return .followedType(follower, other) }
    if possible.isEmpty { return .noAncestor(follower, followed) }
    let question = suggestions.question(followed.attribute, Set(known.map(\.name)).sorted())
    return .unknownFollowedAttribute(follower, followed, question: question)
  }

  /// In the order of declaration. With a relationship that leads nowhere any entity may turn out to be one.
  private func possibleAncestors(of attribute: AttributeDescription, _ edges: CloneEdges) -> [String] {
    let concrete = entities.filter { !$0.isAbstract }.map(\.name)
    guard !lacksRelationships else { return concrete }
    let ancestors = edges.ancestors(of: sound.concreteEntities(of: attribute.entity))
    return concrete.filter(ancestors.contains)
  }
}

extension FollowedAttribute {
  fileprivate var text: String { (entity.map { $0 + "." } ?? "") + attribute }
}

extension Diagnostic {
  static func unknownFollowedEntity(
    _ follower: Annotated<AttributeDescription>, _ entity: String, question: String?
  ) -> Diagnostic {
    Diagnostic(
      .unknownFollowedEntity, at: follower.path(.followParent),
      "\(follower.quoted) follows an attribute of '\(entity)', which the model does not have",
      help: question ?? "name an entity that '\(follower.property.entity)' is cloned with")
  }

  static func followedType(
    _ follower: Annotated<AttributeDescription>, _ followed: AttributeDescription
  ) -> Diagnostic {
    Diagnostic(
      .followedType, at: follower.path(.followParent),
      "\(follower.quoted) is \(follower.property.type.rawValue), but it follows \(followed.quoted), which is "
        + followed.type.rawValue,
      notes: [Note("the followed attribute", at: .attribute(followed) / "type")],
      help: "give both the same 'type', or follow another attribute")
  }

  static func noAncestor(
    _ follower: Annotated<AttributeDescription>, _ followed: FollowedAttribute
  ) -> Diagnostic {
    let ancestor = followed.entity.map { "'\($0)'" } ?? "another entity"
    return Diagnostic(
      .unknownFollowedAttribute, at: follower.path(.followParent),
      "\(follower.quoted) follows '\(followed.text)', but '\(follower.property.entity)' is never cloned as part of "
        + ancestor,
      help:
        "remove '\(follower.annotations.key(.followParent))', or let a relationship that is cloned lead here")
  }

  static func unknownFollowedAttribute(
    _ follower: Annotated<AttributeDescription>, _ followed: FollowedAttribute, question: String?
  ) -> Diagnostic {
    Diagnostic(
      .unknownFollowedAttribute, at: follower.path(.followParent),
      "\(follower.quoted) follows '\(followed.text)', but nothing that '\(follower.property.entity)' is cloned "
        + "as part of has that attribute",
      help: question ?? "name an attribute of an entity whose clone includes '\(follower.property.entity)'")
  }
}
