import MOCloneModel

/// The objects that a copy begins with and everything they are related to.
struct SourceReach {
  /// Nil where every object is copied.
  private(set) var objects: Set<ObjectID>?

  init(_ rules: CopyRules, _ source: any ObjectGraph) throws {
    guard let roots = rules.roots else { return }
    var pending: [ObjectID] = []
    var seen: Set<ObjectID> = []
    for root in roots {
      let matching = try source.objectIDs(root.entity).filter { object in
        try root.conditions.allSatisfy { try source.value($0.attribute.name, of: object) == $0.value }
      }
      pending += matching.prefix(rules.limit ?? .max).filter { seen.insert($0).inserted }
    }
    let backward = try Self.backward(rules, source)
    while let object = pending.popLast() {
      for relationship in rules.model.relationships(of: object.entity) where rules.follows(relationship) {
        pending += try source.destinations(relationship.name, of: object).filter { seen.insert($0).inserted }
      }
      pending += (backward[object] ?? []).filter { seen.insert($0).inserted }
    }
    objects = seen
  }

  /// The objects that relationships without inverse lead from.
  private static func backward(_ rules: CopyRules, _ source: any ObjectGraph) throws -> [ObjectID: [ObjectID]]
  {
    var backward: [ObjectID: [ObjectID]] = [:]
    for relationship in rules.model.entities.flatMap(\.relationships)
    where rules.model.inverse(of: relationship) == nil && rules.follows(relationship) {
      for object in try source.objectIDs(relationship.entity) {
        for destination in try source.destinations(relationship.name, of: object) {
          backward[destination, default: []].append(object)
        }
      }
    }
    return backward
  }
}
