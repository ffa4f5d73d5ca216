/// Followers whose nearest ancestor depends on the way on which an object is reached.
extension GraphChecks {
  func followersHaveOneParent() -> [Diagnostic] {
    var stepsLeft = Self.mostSteps
    return checks.plainAnnotatedAttributes.compactMap { follower in
      let annotations = follower.annotations
      guard let followed = annotations.meaning.followParent, followed.entity == nil,
        !annotations.has(.exclude), stepsLeft > 0
      else { return nil }
      return model.concreteEntities(of: follower.property.entity).lazy.compactMap {
        ambiguity(of: follower, followed, reaching: $0, stepsLeft: &stepsLeft)
      }.first
    }
  }

  private func ambiguity(
    of follower: Annotated<AttributeDescription>, _ followed: FollowedAttribute, reaching entity: String,
    stepsLeft: inout Int
  ) -> Diagnostic? {
    guard stepsLeft > 0 else { return nil }
    func provider(_ way: CloneEdges.Way) -> AttributeDescription? {
      model.attribute(followed.attribute, of: way.entity).flatMap {
        $0.type == follower.property.type && !$0.isTransient ? $0 : nil
      }
    }
    // A way from an owned object up into its owner is a finding of its own.
    func isEnd(_ way: CloneEdges.Way) -> Bool {
      provider(way) != nil || way.relationship.map(leadsToOwner) == true
    }
    let ways = edges.waysUp(from: entity, endingAt: isEnd)
    stepsLeft -= ways.count
    let ends = ways.dropFirst().filter { provider($0) != nil && $0.relationship.map(leadsToOwner) != true }
    guard let first = ends.first else { return nil }
    // Over one relationship an object has one parent, of whichever sub-entity.
    for second in ends.dropFirst().prefix(8)
    where second.entity != first.entity
      && second.relationship?.qualifiedName != first.relationship?.qualifiedName
    {
      guard let root = commonRoot(first.entity, b: second.entity, stepsLeft: &stepsLeft) else { continue }
      return .ambiguousParent(
        follower, paths: [first, second].map { edges.path(down: $0, ways) },
        providers: [first, second].map { "\($0.entity).\(followed.attribute)" }, root: root)
    }
    return nil
  }

  /// The nearest entity whose clone may hold both; one of the two itself, if it leads to the other.
  private func commonRoot(_ a: String, b: String, stepsLeft: inout Int) -> String? {
    let above = edges.waysUp(from: a).map(\.entity)
    let others = edges.waysUp(from: b).map(\.entity)
    stepsLeft -= above.count + others.count
    return Set(others).isDisjoint(with: above) ? nil : above.first(where: Set(others).contains)
  }
}

extension Diagnostic {
  static func ambiguousParent(
    _ follower: Annotated<AttributeDescription>, paths: [[RelationshipDescription]],
    providers: [String], root: String
  ) -> Diagnostic {
    let ways = paths.map { ModelPath.way($0, to: "\(follower.property.entity).\(follower.property.name)") }
    let key = follower.annotations.key(.followParent)
    let edits = providers.map { "'\(key): \($0)'" }
    return Diagnostic(
      .ambiguousParent, at: follower.path(.followParent),
      "in a clone of '\(root)' \(follower.quoted) follows '\(providers[0])' or '\(providers[1])', "
        + "whichever is nearer: \(ways[0]), or \(ways[1])",
      notes: zip(paths, ways).compactMap { path, way in
        path.last.map { Note("reached over this relationship: \(way)", at: .relationship($0)) }
      }, help: "name the entity that you mean: \(edits.alternatives)",
      edits: providers.map { .annotate(follower.path, key, $0) })
  }
}
