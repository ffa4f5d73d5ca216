import MOCloneModel

/// What a copy begins with, what that owns, and what all of it refers to.
///
/// Only what was asked for or is owned brings what it owns; nothing is followed back over the pairs that it was reached
/// by.
struct SourceReach {
  /// Nil where every object is copied.
  private(set) var objects: Set<ObjectID>?

  /// How an object is reached.
  private enum Way: Hashable {
    case owned, referred
    /// By a relationship whose other side is to-many, too.
    case paired(String)
  }

  private struct Arrival: Hashable {
    var object: ObjectID
    var way: Way
  }

  init(_ rules: CopyRules, source: any ObjectGraph) throws {
    guard let roots = rules.roots else { return }
    let mapping = SchemaMapping(rules.model)
    var pending: [Arrival] = []
    var seen: Set<Arrival> = []
    func reach(_ object: ObjectID, way: Way) {
      let arrival = Arrival(object: object, way: rules.follow == .all ? .owned : way)
      if seen.insert(arrival).inserted { pending.append(arrival) }
    }
    for root in roots {
      let matching = try source.objectIDs(root.entity).filter { object in
        try root.conditions.allSatisfy { try source.value($0.attribute.name, of: object) == $0.value }
      }
      for object in matching.prefix(rules.limit ?? .max) { reach(object, way: .owned) }
    }
    let backward = rules.follow == .all ? try Self.backward(rules, source: source) : [:]
    while let arrival = pending.popLast() {
      let object = arrival.object
      for relationship in rules.model.relationships(of: object.entity) where rules.follows(relationship) {
        guard let way = Self.way(relationship, from: arrival.way, rules: rules, mapping: mapping) else {
          continue
        }
        for destination in try source.destinations(relationship.name, of: object) {
          reach(destination, way: way)
        }
      }
      for other in backward[object] ?? [] { reach(other, way: .owned) }
    }
    objects = Set(seen.map(\.object))
  }

  /// How the destinations of a relationship are reached from an object; nil where they do not come along.
  private static func way(
    _ relationship: RelationshipDescription, from way: Way, rules: CopyRules, mapping: SchemaMapping
  ) -> Way? {
    if rules.follow == .all { return .owned }
    let inverse = rules.model.inverse(of: relationship)
    switch mapping[relationship.entity].relationships[relationship.name] {
    case .inverseForeignKey: return way == .owned ? .owned : nil
    case .join:
      if let inverse, way == .paired(inverse.qualifiedName) { return nil }
      return .paired(relationship.qualifiedName)
    default:
      let isOneToOne = inverse.map { !$0.isToMany } ?? false
      return isOneToOne && way == .owned ? .owned : .referred
    }
  }

  /// The objects that relationships without inverse lead from.
  private static func backward(_ rules: CopyRules, source: any ObjectGraph) throws -> [ObjectID: [ObjectID]] {
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
