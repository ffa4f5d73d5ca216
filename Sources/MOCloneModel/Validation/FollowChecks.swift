/// What `followParent` names.
extension ModelChecks {
  /// Not judged where unknown parents or destinations hide what an ancestor can be.
  func followedAttributesExist() -> [Diagnostic] {
    let followers = plainAnnotatedAttributes.filter {
      $0.annotations.has(.followParent) && !$0.annotations.has(.exclude)
    }
    guard !followers.isEmpty, orphans.isEmpty else { return [] }
    var search = AncestorSearch(checks: self)
    let missing = Set(missingEntities.map(\.name))
    return followers.compactMap { follower in
      let failure = failure(of: follower, &search)
      // A missing entity has its finding elsewhere, and may be the one that has the attribute.
      let isMissing = follower.annotations.meaning.followParent?.entity.map(missing.contains) ?? false
      let isUnsure = !missing.isEmpty && failure?.code == .unknownFollowedAttribute
      return isMissing || isUnsure ? nil : failure
    }
  }

  private func failure(
    of follower: Annotated<AttributeDescription>, _ search: inout AncestorSearch
  ) -> Diagnostic? {
    guard let followed = follower.annotations.meaning.followParent else { return nil }
    if let entity = followed.entity, sound.entity(entity) == nil {
      return .unknownFollowedEntity(
        follower, followed: followed, entity: entity,
        nearest: suggestions.nearest(to: entity, in: entityNames))
    }
    guard let possible = search.ancestorsWithout(followed, for: follower.property) else { return nil }
    let known = possible.flatMap { sound.attributes(of: $0) }.filter { !$0.isTransient }
    if let other = known.first(where: { $0.name == followed.attribute }) {
      return .followedType(follower, followed: other)
    }
    if possible.isEmpty { return .noAncestor(follower, followed: followed) }
    return .unknownFollowedAttribute(follower, followed: followed, nearest: nearest(to: followed, in: known))
  }

  /// The attribute of an ancestor that may be meant.
  private func nearest(
    to followed: FollowedAttribute, in known: [AttributeDescription]
  ) -> AttributeDescription? {
    let (wanted, names) = (followed.attribute, Set(known.map(\.name)).sorted())
    // `skuCode` is farther from `sku` than a slip of the pen, but one contains the other.
    let name =
      suggestions.nearest(to: wanted, in: names)
      ?? names.first { $0.count > 2 && (wanted.hasPrefix($0) || $0.hasPrefix(wanted)) }
    return known.first { $0.name == name }
  }
}

/// Looks for followed attributes among ancestors, the nearest first.
private struct AncestorSearch {
  let checks: ModelChecks
  private let edges: CloneEdges
  /// A model of thousands of entities in which nothing that is followed exists has enough findings long before.
  private var stepsLeft = 100_000

  init(checks: ModelChecks) {
    self.checks = checks
    edges = CloneEdges(checks)
  }

  /// The possible ancestors of the entity that is meant; nil where one of them has the attribute.
  mutating func ancestorsWithout(
    _ followed: FollowedAttribute, for follower: AttributeDescription
  ) -> [String]? {
    guard stepsLeft > 0 else { return nil }
    let model = checks.sound
    let isMeant = { (ancestor: String) in followed.entity.map { model.isKind(ancestor, of: $0) } ?? true }
    var isFound = false
    let passed = ancestors(of: follower) { ancestor in
      isFound =
        isMeant(ancestor)
        && model.attributes(of: ancestor).contains {
          $0.name == followed.attribute && $0.type == follower.type && !$0.isTransient
        }
      return isFound
    }
    stepsLeft -= passed.count
    return isFound ? nil : passed.filter(isMeant)
  }

  /// With a relationship of an unknown destination any entity may turn out to be an ancestor.
  private func ancestors(of attribute: AttributeDescription, until isEnough: (String) -> Bool) -> [String] {
    let model = checks.sound
    guard checks.lacksRelationships else {
      return edges.ancestors(of: model.concreteEntities(of: attribute.entity), until: isEnough)
    }
    let concrete = checks.entities.filter { !$0.isAbstract }.map(\.name)
    return concrete.firstIndex(where: isEnough).map { Array(concrete[...$0]) } ?? concrete
  }
}

extension FollowedAttribute {
  fileprivate var text: String { text(of: attribute) }

  /// Another attribute of the entity that is named, if one is.
  fileprivate func text(of attribute: String) -> String { (entity.map { $0 + "." } ?? "") + attribute }
}

extension Diagnostic {
  static func unknownFollowedEntity(
    _ follower: Annotated<AttributeDescription>, followed: FollowedAttribute, entity: String,
    nearest: String?
  ) -> Diagnostic {
    Diagnostic(
      .unknownFollowedEntity, at: follower.path(.followParent),
      "\(follower.quoted) follows an attribute of '\(entity)', which the model does not have",
      help: didYouMean(nearest) ?? "name an entity that '\(follower.property.entity)' is cloned with",
      edits: nearest.map { [.set(follower.path(.followParent), "\($0).\(followed.attribute)")] } ?? [])
  }

  static func followedType(
    _ follower: Annotated<AttributeDescription>, followed: AttributeDescription
  ) -> Diagnostic {
    Diagnostic(
      .followedType, at: follower.path(.followParent),
      "\(follower.quoted) is \(follower.property.type.rawValue), but it follows \(followed.quoted), which is "
        + followed.type.rawValue,
      notes: [Note("the followed attribute", at: .attribute(followed) / "type")],
      help: "give both the same 'type', or follow another attribute")
  }

  static func noAncestor(
    _ follower: Annotated<AttributeDescription>, followed: FollowedAttribute
  ) -> Diagnostic {
    let ancestor = followed.entity.map { "'\($0)'" } ?? "another entity"
    return Diagnostic(
      .unknownFollowedAttribute, at: follower.path(.followParent),
      "\(follower.quoted) follows '\(followed.text)', but '\(follower.property.entity)' is never cloned as a part of "
        + ancestor,
      help:
        "remove '\(follower.annotations.key(.followParent))', or add a cloned relationship whose destination is this entity",
      edits: [follower.removal(of: .followParent)])
  }

  static func unknownFollowedAttribute(
    _ follower: Annotated<AttributeDescription>, followed: FollowedAttribute, nearest: AttributeDescription?
  ) -> Diagnostic {
    let question = nearest.map { "; did you mean '\($0.name)' of \($0.entity)?" } ?? "."
    return Diagnostic(
      .unknownFollowedAttribute, at: follower.path(.followParent),
      "No ancestor of \(follower.property.entity) has an attribute '\(followed.text)'\(question)",
      help: nearest.map {
        "write '\(follower.annotations.key(.followParent)): \(followed.text(of: $0.name))'"
      } ?? "name an attribute of an entity whose clone includes '\(follower.property.entity)'",
      edits: [nearest].compactMap { $0 }.filter { $0.type == follower.property.type }.map {
        .annotate(follower.path, follower.annotations.key(.followParent), followed.text(of: $0.name))
      })
  }
}
