/// Which entities are cloned over which relationships, as the annotations alone decide.
///
/// An edge holds in some way of arriving; where its relationship is the inverse of the arrival it does not, so
/// ways found here are possible, not certain. Sub-entities share the edges of their parents, so building this
/// takes time and memory in step with the model's text.
struct CloneEdges {
  private let model: ObjectModel
  /// By the entity that is named as the destination, in the order of declaration.
  private let arrivals: [String: [RelationshipDescription]]

  init(_ checks: ModelChecks) {
    model = checks.sound
    let cloning = checks.soundRelationships.filter(checks.clones)
    arrivals = Dictionary(grouping: cloning, by: \.destination)
  }

  /// The relationships over which a clone may arrive at a concrete entity.
  func arriving(at entity: String) -> [RelationshipDescription] {
    model.lineage(of: entity).flatMap { arrivals[$0] ?? [] }.filter {
      !model.concreteEntities(of: $0.entity).isEmpty
    }
  }

  /// The concrete entities that a path to one of the given ones may pass, the nearest first.
  ///
  /// - Parameter isEnough: ends the search at an entity, which is then the last one.
  func ancestors(of entities: [String], until isEnough: (String) -> Bool) -> [String] {
    var found: [String] = []
    var seen = (destinations: Set<String>(), sources: Set<String>(), ancestors: Set<String>())
    var next = 0
    var pending = entities
    while next < pending.count {
      for entity in model.lineage(of: pending[next]) where seen.destinations.insert(entity).inserted {
        for relationship in arrivals[entity] ?? [] where seen.sources.insert(relationship.entity).inserted {
          for source in model.concreteEntities(of: relationship.entity)
          where seen.ancestors.insert(source).inserted {
            found.append(source)
            if isEnough(source) { return found }
            pending.append(source)
          }
        }
      }
      next += 1
    }
    return found
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
