import MOCloneModel

/// What a subtree of a graph is linked to outside.
struct CutLinks {
  let cut: CopyCut
  let rules: CopyRules
  let members: Set<ObjectID>
  /// What members ask for.
  private(set) var direct: Set<ObjectID> = []
  /// These, and what they are identified by or need.
  private(set) var linked: Set<ObjectID> = []
  private let mapping: SchemaMapping

  init(_ cut: CopyCut, rules: CopyRules, source: any ObjectGraph) throws {
    self.cut = cut
    self.rules = rules
    members = try cut.members.objects.all()
    direct = Set(cut.given)
    mapping = SchemaMapping(rules.model)
    for (entity, members) in Dictionary(grouping: members, by: \.entity) {
      for relationship in rules.model.relationships(of: entity) {
        try members.filter({ leadsOut(relationship, of: $0) }).inSets { members in
          direct.formUnion(try source.destinations(relationship.name, ofAll: members).joined())
        }
      }
    }
    direct.subtract(members)
    linked = try brought(by: direct, creates: cut.missing == .create, source) { !members.contains($0) }
  }

  /// Objects with the destinations that they bring along, and what these bring.
  func brought(
    by objects: Set<ObjectID>, creates: Bool, _ source: any ObjectGraph, where isMeant: (ObjectID) -> Bool
  ) throws -> Set<ObjectID> {
    var brought = objects
    var pending = Array(objects)
    while !pending.isEmpty {
      let arrived = Dictionary(grouping: pending, by: \.entity)
      pending = []
      for (entity, objects) in arrived {
        for relationship in rules.model.relationships(of: entity)
        where rules.brings(relationship, creates: creates) {
          try objects.inSets { objects in
            pending += try source.destinations(relationship.name, ofAll: objects).joined().filter {
              isMeant($0) && brought.insert($0).inserted
            }
          }
        }
      }
    }
    return brought
  }

  /// Whether a member's relationship leads to objects outside: where it lies in another row, that row would change, which
  /// matters in no store that is only passed through.
  private func leadsOut(_ relationship: RelationshipDescription, of member: ObjectID) -> Bool {
    cut.asks(relationship, of: member)
      && (!mapping.isInOtherRows(relationship) || cut.requires(relationship))
  }

  /// Whether an object refers to another one: a member where one of the two asks for it, any other where it must.
  func refers(
    _ object: ObjectID, relationship: RelationshipDescription?, destination: ObjectID,
    inverse: RelationshipDescription?
  ) -> Bool {
    guard members.contains(object) else {
      return relationship.map { rules.brings($0, creates: true) } ?? false
        || cut.requires(inverse) && members.contains(destination)
    }
    return cut.asks(relationship) || (cut.asks(inverse) && members.contains(destination))
  }

  /// Whether only some members ask for a relationship, and others do not.
  func isAskedPartly(_ relationship: RelationshipDescription) -> Bool {
    cut.asking[relationship.qualifiedName] != nil
  }

  /// Whether two objects of a table of pairs belong together: where a member among them asks for it.
  func pairs(
    _ object: ObjectID, relationship: RelationshipDescription, other: ObjectID,
    inverse: RelationshipDescription?
  ) -> Bool {
    (members.contains(object) && cut.asks(relationship, of: object))
      || (members.contains(other) && cut.asks(inverse, of: other))
  }
}
