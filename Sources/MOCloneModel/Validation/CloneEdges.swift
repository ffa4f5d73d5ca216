/// Which entities are cloned over which relationships, as the annotations alone decide.
///
/// An edge holds in some access path; where its relationship is the inverse of the access path it does not, so
/// ways found here are possible, not certain. Sub-entities share the edges of their parents, so building this
/// takes time and memory in step with the model's text.
struct CloneEdges {
  private let model: ObjectModel
  /// By the entity that is named as the destination, in the order of declaration.
  private let accessPaths: [String: [RelationshipDescription]]

  init(_ checks: ModelChecks) {
    model = checks.sound
    let concrete = Set(
      checks.entities.filter { !$0.isAbstract }.flatMap { checks.sound.lineage(of: $0.name) })
    let cloning = checks.soundRelationships.filter { concrete.contains($0.entity) && checks.clones($0) }
    accessPaths = Dictionary(grouping: cloning, by: \.destination)
  }

  /// The relationships over which a clone may reach a concrete entity.
  func accessPaths(to entity: String) -> [RelationshipDescription] {
    model.lineage(of: entity).flatMap { accessPaths[$0] ?? [] }
  }

  /// A concrete entity above another one, and the way down from it.
  struct Way {
    var entity: String
    /// Nil at the entity itself.
    var relationship: RelationshipDescription?
    fileprivate var below: Int?
  }

  /// A concrete entity and those that a clone may pass on its way to it, the nearest first.
  ///
  /// - Parameter isEnd: whether to look no further above an entity.
  func waysUp(from entity: String, endingAt isEnd: (Way) -> Bool = { _ in false }) -> [Way] {
    waysUp(from: [entity], endingAt: isEnd) { _ in false }
  }

  /// The concrete entities that a path to one of the given ones may pass, the nearest first.
  ///
  /// - Parameter isEnough: ends the search at an entity, which is then the last one.
  func ancestors(of entities: [String], until isEnough: (String) -> Bool) -> [String] {
    waysUp(from: entities, endingAt: { _ in false }, until: isEnough).dropFirst(entities.count).map(\.entity)
  }

  private func waysUp(
    from entities: [String], endingAt isEnd: (Way) -> Bool, until isEnough: (String) -> Bool
  ) -> [Way] {
    var ways = entities.map { Way(entity: $0) }
    var seen = (destinations: Set<String>(), sources: Set<String>(), entities: Set<String>())
    var next = 0
    while next < ways.count {
      let above = next < entities.count || !isEnd(ways[next]) ? model.lineage(of: ways[next].entity) : []
      for base in above where seen.destinations.insert(base).inserted {
        for relationship in accessPaths[base] ?? [] where seen.sources.insert(relationship.entity).inserted {
          for source in model.concreteEntities(of: relationship.entity)
          where seen.entities.insert(source).inserted {
            ways.append(Way(entity: source, relationship: relationship, below: next))
            if isEnough(source) { return ways }
          }
        }
      }
      next += 1
    }
    return ways
  }

  /// Whether a clone over a relationship may come to an entity.
  func lead(from relationship: RelationshipDescription, to entity: String) -> Bool {
    let starts = Set(model.concreteEntities(of: relationship.destination))
    return model.concreteEntities(of: entity).contains {
      waysUp(from: $0).contains { starts.contains($0.entity) }
    }
  }

  /// The relationships from one of some ways down to where they lead.
  func path(down way: Way, _ ways: [Way]) -> [RelationshipDescription] {
    sequence(first: way) { $0.below.map { ways[$0] } }.compactMap(\.relationship)
  }
}

extension ModelChecks {
  /// Whether a relationship's destinations are cloned where it is not the way back to the parent.
  func clones(_ relationship: RelationshipDescription) -> Bool {
    let annotations = written(relationship.userInfo).meaning
    if annotations.isExcluded { return false }
    if let onClone = annotations.onClone { return onClone == .clone }
    return sound.inverse(of: relationship)?.isToMany != true
  }
}
