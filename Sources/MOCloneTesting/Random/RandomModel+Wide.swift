import MOCloneModel

/// What `make` leaves out: keys of every kind, references to unique columns, siblings that share a foreign key,
/// followers of keys, `onClone` on required relationships, every form of dates and UUIDs.
extension RandomModel {
  static func wide(seed: UInt64) throws -> ObjectModel {
    var maker = RandomModel(random: SplitMix64(seed: seed ^ 0x1D1E_57AB))
    maker.addEntities()
    maker.varyKeys()
    maker.addRelationships()
    maker.addCompositeKeys()
    maker.addCodes()
    maker.addSiblings()
    maker.addFollowers()
    maker.addFollowersOfKeys()
    maker.annotateRequired()
    return try maker.valid(named: "Wide\(seed)", store: maker.randomStore())
  }

  mutating func randomStore() -> StoreOptions {
    StoreOptions(
      naming: random.pick(NamingConvention.allCases), dates: random.pick(DateStorage.allCases),
      uuids: random.pick(UUIDStorage.allCases))
  }

  // MARK: Keys

  /// Gives entities without a key of their own counted numbers or UUIDs as text.
  mutating func varyKeys() {
    for i in entities.indices where entities[i].parent == nil && entities[i].primaryKey.isEmpty {
      switch random.number(0...9) {
      case 0: setKey(KeyColumn("counted_key", generate: .max), .integer64, of: i)
      case 1: setKey(KeyColumn("text_key", generate: .uuid), .string, of: i)
      case 2: setKey(KeyColumn("plain_key"), .integer64, of: i)
      default: break
      }
    }
  }

  private mutating func setKey(_ key: KeyColumn, _ type: AttributeType, of i: Int) {
    entities[i].primaryKey = [key]
    guard random.chance(60) else { return }
    entities[i].attributes.insert(AttributeDescription(name: "own", type: type, column: key.column), at: 0)
  }

  /// Attributes that follow a number that the store makes.
  mutating func addFollowersOfKeys() {
    let keys = entities.flatMap { entity in
      entity.attributes.filter { $0.column != nil && $0.type == .integer64 && $0.userInfo.isEmpty }
        .map { "\(entity.name).\($0.name)" }
    }
    guard !keys.isEmpty else { return }
    for i in entities.indices where random.chance(40) {
      let userInfo = [
        "followParent": random.pick(keys), "withoutParent": random.pick(["keep", "blank"]),
      ]
      entities[i].attributes.append(
        AttributeDescription(name: "k\(i)", type: .integer64, isOptional: true, userInfo: userInfo))
    }
  }

  // MARK: References

  /// A unique value that is made anew, and foreign keys that reference it instead of the key.
  mutating func addCodes() {
    guard random.chance(50) else { return }
    let target = random.number(0...(entities.count - 1))
    guard entities[target].name != "Line" else { return }
    entities[target].attributes.append(
      AttributeDescription(
        name: "code", type: .uuid, userInfo: ["rebuild": "uuid"], column: "code",
        storage: random.chance(30) ? .uuid(random.pick(UUIDStorage.allCases)) : nil))
    entities[target].uniquenessConstraints.append(["code"])
    for _ in 0..<random.number(1...2) {
      let source = random.number(0...(entities.count - 1))
      let name = "c\(relationshipCount)"
      relationshipCount += 1
      let isRequired = comesBefore(target, source) && random.chance(40)
      let hasInverse = random.chance(60)
      if hasInverse {
        entities[target].relationships.append(
          RelationshipDescription(
            name: name + "i", destination: entities[source].name, isToMany: random.chance(80),
            isOptional: true, inverse: name, userInfo: annotation(10)))
      }
      entities[source].relationships.append(
        RelationshipDescription(
          name: name, destination: entities[target].name, isOptional: !isRequired,
          inverse: hasInverse ? name + "i" : nil, userInfo: isRequired ? [:] : annotation(10),
          columns: [ForeignKeyColumn(name + "_code", references: "code")]))
    }
  }

  /// Sub-entities whose relationships share one foreign-key column.
  private mutating func addSiblings() {
    guard random.chance(60) else { return }
    let isUUID = random.chance(30)
    let owners = entities.indices.filter { i in
      let key = entities.first { $0.name == rootName(entities[i].name) }!.primaryKey
      return key.count < 2 && (key.first?.generate == .uuid) == isUUID
    }
    guard !owners.isEmpty else { return }
    addSiblings(of: owners) { _ in [ForeignKeyColumn("subject")] }
  }

  /// - Parameter columns: the foreign key to an owner; all siblings' must have the same columns.
  mutating func addSiblings(of owners: [Int], columns: (Int) -> [ForeignKeyColumn]) {
    entities.append(
      EntityDescription(
        name: "Remark", isAbstract: random.chance(70),
        attributes: [AttributeDescription(name: "s0", type: .string, isOptional: true)],
        discriminator: random.chance(50) ? DiscriminatorDescription(column: "kind") : nil))
    let hasOneName = random.chance(30)
    for number in 0..<random.number(2...3) {
      let owner = random.pick(owners)
      let isRequired = random.chance(40)
      let isToMany = random.chance(75)
      let isOrdered = isToMany && random.chance(35)
      let name = hasOneName ? "subject" : "subject\(number)"
      entities[owner].relationships.append(
        RelationshipDescription(
          name: "remarks\(number)", destination: "Remark\(number)", isToMany: isToMany, isOptional: true,
          isOrdered: isOrdered, inverse: name, userInfo: annotation(6),
          orderColumn: isOrdered ? "place" : nil))
      entities.append(
        EntityDescription(
          name: "Remark\(number)", parent: "Remark",
          relationships: [
            RelationshipDescription(
              name: name, destination: entities[owner].name, isOptional: !isRequired,
              inverse: "remarks\(number)", userInfo: isRequired ? [:] : annotation(6),
              columns: columns(owner))
          ]))
    }
  }

  mutating func annotateRequired() {
    for e in entities.indices {
      for r in entities[e].relationships.indices {
        let relationship = entities[e].relationships[r]
        guard !relationship.isToMany, !relationship.isOptional, relationship.userInfo.isEmpty else {
          continue
        }
        entities[e].relationships[r].userInfo = random.chance(50) ? [:] : annotation(30)
      }
    }
  }
}
