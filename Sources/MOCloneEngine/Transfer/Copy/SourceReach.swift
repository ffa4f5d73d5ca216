import MOCloneModel

/// What a copy begins with, what that owns, and what all of it refers to.
struct SourceReach {
  /// Nil where every object is copied.
  private(set) var objects: Set<ObjectID>?

  private struct Access: Hashable {
    var object: ObjectID
    var way: CopyWay
  }

  /// What accesses have in common whose objects are read at once.
  private struct AccessKind: Hashable {
    var entity: String
    var way: CopyWay
  }

  init(_ rules: CopyRules, source: any ObjectGraph) throws {
    guard let roots = rules.roots else { return }
    let mapping = SchemaMapping(rules.model)
    var pending: [Access] = []
    var seen: Set<Access> = []
    func reach(_ object: ObjectID, way: CopyWay) {
      let access = Access(object: object, way: rules.follow == .all ? .owned : way)
      if seen.insert(access).inserted { pending.append(access) }
    }
    for root in roots {
      var matching: [ObjectID] = []
      try source.objectIDs(root.entity).inSets { objects in
        let values = try source.values(root.conditions.map { $0.attribute.name }, ofAll: objects)
        let meant = root.conditions.map { $0.value }
        matching += zip(objects, values).filter { $1 == meant }.map { $0.0 }
      }
      for object in matching.prefix(rules.limit ?? .max) { reach(object, way: .owned) }
    }
    let backward = rules.follow == .all ? try Self.backward(rules, source: source) : [:]
    while !pending.isEmpty {
      let accesses = Dictionary(grouping: pending) { AccessKind(entity: $0.object.entity, way: $0.way) }
      pending = []
      for (kind, accesses) in accesses {
        let objects = accesses.map(\.object)
        for relationship in rules.model.relationships(of: kind.entity) {
          guard let way = rules.way(over: relationship, from: kind.way, mapping: mapping) else { continue }
          try objects.inSets { objects in
            for destination in try source.destinations(relationship.name, ofAll: objects).joined() {
              reach(destination, way: way)
            }
          }
        }
        for other in objects.flatMap({ backward[$0] ?? [] }) { reach(other, way: .owned) }
      }
    }
    objects = Set(seen.map(\.object))
  }

  /// The objects that relationships without inverse lead from.
  private static func backward(_ rules: CopyRules, source: any ObjectGraph) throws -> [ObjectID: [ObjectID]] {
    var backward: [ObjectID: [ObjectID]] = [:]
    for relationship in rules.model.entities.flatMap(\.relationships)
    where rules.model.inverse(of: relationship) == nil && rules.follows(relationship) {
      try source.objectIDs(relationship.entity).inSets { objects in
        for (object, destinations) in zip(
          objects, try source.destinations(relationship.name, ofAll: objects))
        {
          for destination in destinations { backward[destination, default: []].append(object) }
        }
      }
    }
    return backward
  }
}
