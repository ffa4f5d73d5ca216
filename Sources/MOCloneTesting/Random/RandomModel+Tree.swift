import MOCloneModel

/// Small trees of entities, each reached over the foreign key to its one parent, beside entities that are linked.
extension RandomModel {
  static func tree(seed: UInt64) throws -> ObjectModel {
    var maker = RandomModel(random: SplitMix64(seed: seed ^ 0x0007_EE5E))
    maker.addLinkedEntities()
    let first = maker.entities.count
    for number in 0..<maker.random.number(2...5) { maker.addNode(number, from: first) }
    maker.addSubentities(from: first)
    maker.addFollowers()
    maker.addFollowersOfKeys()
    return try maker.valid(named: "Tree\(seed)", store: maker.randomStore())
  }

  private mutating func addLinkedEntities() {
    for number in 0..<random.number(1...2) {
      entities.append(EntityDescription(name: "L\(number)", primaryKey: nodeKey()))
      usedNames["L\(number)"] = []
      addAttributes(to: number)
    }
  }

  private mutating func nodeKey() -> [KeyColumn] {
    key(counted: KeyColumn("counted_key", generate: .max))
  }

  private mutating func addNode(_ number: Int, from first: Int) {
    let name = "N\(number)"
    var entity = EntityDescription(name: name, primaryKey: nodeKey())
    let parent = number == 0 ? nil : random.number(first...(entities.count - 1))
    if let parent {
      let isToMany = random.chance(80)
      let isPart = isToMany && entities[parent].primaryKey.count < 2 && random.chance(15)
      if isPart { entity.primaryKey = [KeyColumn("owner_id"), KeyColumn("part")] }
      entities[parent].relationships.append(
        RelationshipDescription(
          name: "to\(name)", destination: name, isToMany: isToMany, isOptional: true,
          isOrdered: isToMany && random.chance(20), inverse: "parent"))
      let columns =
        entities[parent].primaryKey.count > 1 ? [] : [ForeignKeyColumn(isPart ? "owner_id" : "up")]
      entity.relationships.append(
        RelationshipDescription(
          name: "parent", destination: entities[parent].name, isOptional: !isPart && random.chance(40),
          inverse: "to\(name)", columns: columns))
      if isPart {
        entity.attributes.append(AttributeDescription(name: "part", type: .integer64, column: "part"))
      }
    }
    let place = entities.count
    entities.append(entity)
    usedNames[name] = []
    addAttributes(to: place, namesKey: entity.primaryKey.count < 2)
    if random.chance(50) { addLink(from: place, random.number(0...(first - 1))) }
  }

  /// A reference to an object outside, or pairs with some.
  private mutating func addLink(from node: Int, _ target: Int) {
    let name = "r\(relationshipCount)"
    relationshipCount += 1
    let isPairs = random.chance(35) && entities[node].primaryKey.count < 2
    entities[node].relationships.append(
      RelationshipDescription(
        name: name, destination: entities[target].name, isToMany: isPairs, isOptional: random.chance(60),
        isOrdered: isPairs && random.chance(30), inverse: name + "i",
        joinTable: isPairs ? joinTable(name) : nil))
    entities[target].relationships.append(
      RelationshipDescription(
        name: name + "i", destination: entities[node].name, isToMany: true, isOrdered: random.chance(20),
        inverse: name))
  }

  private mutating func addSubentities(from first: Int) {
    for i in first..<entities.count where entities[i].primaryKey.count < 2 && random.chance(20) {
      entities.append(EntityDescription(name: entities[i].name + "Sub", parent: entities[i].name))
      addAttributes(to: entities.count - 1, namesKey: false)
      entities[i].isAbstract = random.chance(30)
    }
  }
}
