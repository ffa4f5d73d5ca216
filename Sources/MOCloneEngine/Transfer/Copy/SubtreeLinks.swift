import MOCloneModel

/// What a subtree of a graph is linked to outside.
struct SubtreeLinks {
  let subtree: CopiedSubtree
  let rules: CopyRules
  let members: Set<ObjectID>
  /// What members ask for.
  private(set) var direct: Set<ObjectID> = []
  /// These, and what they are identified by or need.
  private(set) var linked: Set<ObjectID> = []
  private let mapping: SchemaMapping

  init(_ subtree: CopiedSubtree, rules: CopyRules, source: any ObjectGraph) throws {
    self.subtree = subtree
    self.rules = rules
    members = try subtree.members.objects.all()
    direct = Set(subtree.given)
    mapping = SchemaMapping(rules.model)
    for (entity, members) in Dictionary(grouping: members, by: \.entity) {
      for relationship in rules.model.relationships(of: entity) {
        try members.filter({ leadsOut(relationship, of: $0) }).inSets { members in
          direct.formUnion(try source.destinations(relationship.name, ofAll: members).joined())
        }
      }
    }
    direct.subtract(members)
    linked = try copied(by: direct, creates: subtree.missing == .create, source) { !members.contains($0) }
  }

  /// Objects with the destinations that they bring along, and what these bring.
  func copied(
    by objects: Set<ObjectID>, creates: Bool, _ source: any ObjectGraph, where isMeant: (ObjectID) -> Bool
  ) throws -> Set<ObjectID> {
    var copied = objects
    var pending = Array(objects)
    while !pending.isEmpty {
      let arrived = Dictionary(grouping: pending, by: \.entity)
      pending = []
      for (entity, objects) in arrived {
        for relationship in rules.model.relationships(of: entity)
        where rules.copies(relationship, creates: creates) {
          try objects.inSets { objects in
            pending += try source.destinations(relationship.name, ofAll: objects).joined().filter {
              isMeant($0) && copied.insert($0).inserted
            }
          }
        }
      }
    }
    return copied
  }

  /// Whether a member's relationship leads to objects outside: where it lies in another row, that row would change, which
  /// matters in no store that is only passed through.
  private func leadsOut(_ relationship: RelationshipDescription, of member: ObjectID) -> Bool {
    subtree.asks(relationship, of: member)
      && (!mapping.isInOtherRows(relationship) || subtree.requires(relationship))
  }

  /// Whether an object refers to another one: a member where one of the two asks for it, any other where it must.
  func refers(
    _ object: ObjectID, relationship: RelationshipDescription?, destination: ObjectID,
    inverse: RelationshipDescription?
  ) -> Bool {
    guard members.contains(object) else {
      return relationship.map { rules.copies($0, creates: true) } ?? false
        || subtree.requires(inverse) && members.contains(destination)
    }
    return subtree.asks(relationship) || (subtree.asks(inverse) && members.contains(destination))
  }

  /// Whether only some members ask for a relationship, and others do not.
  func isAskedPartly(_ relationship: RelationshipDescription) -> Bool {
    subtree.asking[relationship.qualifiedName] != nil
  }

  /// Whether two objects of a join table belong together: where a member among them asks for it.
  func pairs(
    _ object: ObjectID, relationship: RelationshipDescription, other: ObjectID,
    inverse: RelationshipDescription?
  ) -> Bool {
    (members.contains(object) && subtree.asks(relationship, of: object))
      || (members.contains(other) && subtree.asks(inverse, of: other))
  }
}
