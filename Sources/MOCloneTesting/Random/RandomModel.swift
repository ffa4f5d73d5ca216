import MOCloneModel

/// Makes models of every shape from a seed: inheritance, every kind of relationship and key, every annotation.
///
/// The models are valid: annotations that the validator finds wrong are taken out again.
public struct RandomModel {
  var random: SplitMix64
  var entities: [EntityDescription] = []
  /// Names of attributes used in each table, since siblings must not fall on one column.
  var usedNames: [String: Set<String>] = [:]
  var relationshipCount = 0

  /// The model of a seed; the same seed gives the same model.
  public static func make(seed: UInt64) throws -> ObjectModel {
    var maker = RandomModel(random: SplitMix64(seed: seed))
    maker.addEntities()
    maker.addRelationships()
    maker.addCompositeKeys()
    maker.addFollowers()
    return try maker.valid(named: "Random\(seed)")
  }

  mutating func valid(named name: String, store: StoreOptions = StoreOptions()) throws -> ObjectModel {
    for _ in 0..<50 {
      let model = ObjectModel(
        unvalidated: name, userInfoKeys: .default, store: store, entities: entities)
      // Those about some clones only would have most clones refused.
      let errors = ModelValidator.validate(model).filter { $0.severity == .error }
      let isFixed = errors.map { fix($0.path) }.contains(true)
      if !isFixed { break }
    }
    return try ObjectModel(name: name, store: store, entities: entities)
  }

  /// Takes the annotations of a property away; returns false where there are none.
  private mutating func fix(_ path: ModelPath) -> Bool {
    let parts = path.components
    guard parts.count >= 4, let e = entities.firstIndex(where: { $0.name == parts[1] }) else { return false }
    if let a = entities[e].attributes.firstIndex(where: { $0.name == parts[3] }) {
      defer { entities[e].attributes[a].userInfo = [:] }
      return !entities[e].attributes[a].userInfo.isEmpty
    }
    if let r = entities[e].relationships.firstIndex(where: { $0.name == parts[3] }) {
      defer { entities[e].relationships[r].userInfo = [:] }
      return !entities[e].relationships[r].userInfo.isEmpty
    }
    return false
  }
}

// MARK: - Entities and attributes

extension RandomModel {
  mutating func addEntities() {
    for number in 0..<random.number(3...7) {
      var entity = EntityDescription(name: "E\(number)")
      let bases = entities.filter { $0.primaryKey.count < 2 }
      if !bases.isEmpty, random.chance(30) {
        entity.parent = random.pick(bases).name
      } else {
        entity.primaryKey = key()
        usedNames[entity.name] = []
      }
      entities.append(entity)
      addAttributes(to: number)
    }
    // Only an entity that others inherit from may be abstract, or it would have no objects at all.
    for i in entities.indices where entities.contains(where: { $0.parent == entities[i].name }) {
      entities[i].isAbstract = random.chance(40)
    }
  }

  mutating func key(
    counted: KeyColumn = KeyColumn("number_key", generate: .rowid)
  ) -> [KeyColumn] {
    switch random.number(0...9) {
    case 0, 1: [KeyColumn("uuid_key", generate: .uuid)]
    case 2: [counted]
    default: []
    }
  }

  func rootName(_ name: String) -> String {
    var name = name
    while let parent = entities.first(where: { $0.name == name })?.parent { name = parent }
    return name
  }

  private static let pool: [(String, AttributeType)] = [
    ("s0", .string), ("s1", .string), ("u0", .uuid), ("u1", .uuid), ("d0", .date), ("i0", .integer32),
    ("b0", .boolean), ("f0", .double), ("m0", .decimal), ("x0", .binary), ("n0", .integer64),
  ]

  mutating func addAttributes(to number: Int, namesKey: Bool = true) {
    let root = rootName(entities[number].name)
    if namesKey { addKeyAttribute(to: number) }
    for _ in 0..<random.number(1...4) {
      let (name, type) = random.pick(Self.pool)
      guard usedNames[root]!.insert(name).inserted else { continue }
      var attribute = AttributeDescription(name: name, type: type, isOptional: random.chance(75))
      if type == .integer32, random.chance(50) { attribute.defaultValue = 7 }
      annotate(&attribute, in: number)
      entities[number].attributes.append(attribute)
    }
  }

  /// An attribute that is another name for the key.
  private mutating func addKeyAttribute(to number: Int) {
    guard let key = entities[number].primaryKey.first, random.chance(50) else { return }
    let isUUID = key.generate == .uuid
    entities[number].attributes.append(
      AttributeDescription(
        name: "own", type: isUUID ? .uuid : .integer64,
        userInfo: isUUID && random.chance(50) ? ["rebuild": "uuid"] : [:], column: key.column))
  }

  private mutating func annotate(_ attribute: inout AttributeDescription, in number: Int) {
    let canBeBlank = attribute.isOptional || attribute.defaultValue != nil
    let rule = RebuildRule.allCases.first { $0.types.contains(attribute.type) }
    if let rule, random.chance(50) {
      let name = rule.rawValue
      attribute.userInfo["rebuild"] = rule.isUnique ? random.pick([name, name.uppercased()]) : name
      if rule.isUnique, random.chance(50) { entities[number].uniquenessConstraints.append([attribute.name]) }
    } else if canBeBlank, random.chance(15) {
      attribute.userInfo["exclude"] = ""
      if attribute.defaultValue == nil, attribute.type == .string, random.chance(30) {
        entities[number].uniquenessConstraints.append([attribute.name])
      }
    } else if attribute.type == .uuid, random.chance(10) {
      // A unique value that no rule makes new: its clone is refused.
      entities[number].uniquenessConstraints.append([attribute.name])
    }
  }

  /// Followers come last, so that they can name any attribute of the model.
  mutating func addFollowers() {
    let followed = entities.flatMap { entity in entity.attributes.map { (entity.name, $0) } }
      .filter { $0.1.column == nil }
    for i in entities.indices {
      for j in entities[i].attributes.indices where entities[i].attributes[j].userInfo.isEmpty {
        let attribute = entities[i].attributes[j]
        let matching = followed.filter {
          $0.1.type == attribute.type && (attribute.isOptional || !$0.1.isOptional)
        }
        // A value that several objects share would break a constraint of its own.
        let isUnique = entities[i].uniquenessConstraints.joined().contains(attribute.name)
        guard attribute.column == nil, !isUnique, !matching.isEmpty, random.chance(35) else { continue }
        let (entity, target) = random.pick(matching)
        let isNamed = random.chance(40)
        guard attribute.isOptional || isNamed else { continue }
        var userInfo = ["followParent": isNamed ? "\(entity).\(target.name)" : target.name]
        let canBeBlank = attribute.isOptional || attribute.defaultValue != nil
        if random.chance(95) {
          userInfo["withoutParent"] = canBeBlank && random.chance(50) ? "blank" : "keep"
        }
        entities[i].attributes[j].userInfo = userInfo
      }
    }
  }
}

// MARK: - Relationships

extension RandomModel {
  mutating func addRelationships() {
    for _ in 0..<random.number(entities.count...(2 * entities.count + 1)) {
      let source = random.number(0...(entities.count - 1))
      let destination = random.number(0...(entities.count - 1))
      let name = "r\(relationshipCount)"
      relationshipCount += 1
      switch random.number(0...9) {
      case 0, 1, 2, 3: addOneToMany(name, source, destination)
      case 4: addOneToOne(name, source, destination)
      case 5, 6: addManyToMany(name, source, destination)
      case 7: addOneToMany(name, source, source)
      case 8: addToOne(name, source, destination)
      default: addHiddenToMany(name, source, destination)
      }
    }
  }

  /// Whether a new object of one entity can rely on objects of another: those are filled in before.
  func comesBefore(_ a: Int, _ b: Int) -> Bool {
    a < b && rootName(entities[a].name) != rootName(entities[b].name)
  }

  mutating func annotation(_ percent: Int) -> [String: String] {
    switch random.number(0...99) {
    case 0..<percent: ["onClone": random.pick(["clone", "link", "Link"])]
    case percent..<(percent + 6): ["exclude": ""]
    default: [:]
    }
  }

  func joinTable(_ name: String) -> JoinTableDescription {
    JoinTableDescription(table: "join_" + name, columns: ["from_id"], inverseColumns: ["to_id"])
  }

  private mutating func add(_ relationship: RelationshipDescription, to entity: Int) {
    var relationship = relationship
    let isRequired = !relationship.isToMany && !relationship.isOptional
    relationship.userInfo = isRequired ? [:] : annotation(8)
    entities[entity].relationships.append(relationship)
  }

  private mutating func addOneToMany(_ name: String, _ owner: Int, _ member: Int) {
    let isRequired = comesBefore(owner, member) && random.chance(30)
    add(
      RelationshipDescription(
        name: name, destination: entities[member].name, isToMany: true, isOrdered: random.chance(35),
        inverse: name + "i"), to: owner)
    add(
      RelationshipDescription(
        name: name + "i", destination: entities[owner].name, isOptional: !isRequired, inverse: name),
      to: member)
  }

  private mutating func addOneToOne(_ name: String, _ a: Int, _ b: Int) {
    let isRequired = comesBefore(a, b) && random.chance(20)
    add(
      RelationshipDescription(
        name: name, destination: entities[b].name, isOptional: true, inverse: name + "i"), to: a)
    add(
      RelationshipDescription(
        name: name + "i", destination: entities[a].name, isOptional: !isRequired, inverse: name), to: b)
  }

  private mutating func addManyToMany(_ name: String, _ a: Int, _ b: Int) {
    add(
      RelationshipDescription(
        name: name, destination: entities[b].name, isToMany: true, isOrdered: random.chance(35),
        inverse: name + "i", joinTable: joinTable(name)), to: a)
    add(
      RelationshipDescription(
        name: name + "i", destination: entities[a].name, isToMany: true, isOrdered: random.chance(35),
        inverse: name), to: b)
  }

  private mutating func addToOne(_ name: String, _ source: Int, _ destination: Int) {
    let isRequired = comesBefore(destination, source) && random.chance(30)
    add(
      RelationshipDescription(
        name: name, destination: entities[destination].name, isOptional: !isRequired), to: source)
  }

  private mutating func addHiddenToMany(_ name: String, _ source: Int, _ destination: Int) {
    add(
      RelationshipDescription(
        name: name, destination: entities[destination].name, isToMany: true, isOrdered: random.chance(35),
        joinTable: random.chance(35) ? joinTable(name) : nil), to: source)
  }

  /// Gives some models an entity whose key is its owner's key and a number.
  mutating func addCompositeKeys() {
    guard random.chance(30) else { return }
    let owners = entities.indices.filter { entities[$0].primaryKey.count < 2 }
    let owner = random.pick(owners)
    entities[owner].relationships.append(
      RelationshipDescription(
        name: "lines", destination: "Line", isToMany: true, isOrdered: random.chance(35), inverse: "owner"))
    entities.append(
      EntityDescription(
        name: "Line",
        attributes: [
          AttributeDescription(name: "part", type: .integer32, column: "part"),
          AttributeDescription(name: "s0", type: .string, isOptional: true),
        ],
        relationships: [
          RelationshipDescription(
            name: "owner", destination: entities[owner].name, inverse: "lines",
            columns: [ForeignKeyColumn("owner_id")]),
          RelationshipDescription(name: "seen", destination: entities[owner].name, isOptional: true),
        ],
        primaryKey: [KeyColumn("owner_id"), KeyColumn("part")]))
  }
}
