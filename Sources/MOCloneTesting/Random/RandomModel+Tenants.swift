import MOCloneModel

/// Models of several tenants: the column `tenant_id` lies in most keys, foreign keys and join tables.
extension RandomModel {
  static func tenants(seed: UInt64) throws -> ObjectModel {
    var maker = RandomModel(random: SplitMix64(seed: seed ^ 0x7E4A_4750))
    maker.addTenant()
    for number in 0..<maker.random.number(2...5) { maker.addEntity(ofTenants: number) }
    for _ in 0..<maker.random.number(2...6) { maker.addRelationshipWithinTenants() }
    maker.addSiblingsOfTenants()
    maker.addFollowers()
    maker.addFollowersOfKeys()
    maker.annotateRequired()
    let store = StoreOptions(
      dates: maker.random.pick(DateStorage.allCases), uuids: maker.random.pick(UUIDStorage.allCases))
    return try maker.valid(named: "Tenants\(seed)", store: store)
  }

  private mutating func addTenant() {
    let key = random.chance(30) ? [KeyColumn("id", generate: .uuid)] : []
    entities.append(EntityDescription(name: "Tenant", primaryKey: key))
    usedNames["Tenant"] = []
    addAttributes(to: 0, namesKey: false)
  }

  /// An entity whose key is the tenant's with a UUID, with a number that is counted or copied, or with its owner's; or
  /// a key of its own.
  private mutating func addEntity(ofTenants number: Int) {
    var entity = EntityDescription(name: "T\(number)")
    let tenant = KeyColumn("tenant_id")
    let owners = entities.filter { $0.primaryKey.count == 2 }
    switch random.number(0...9) {
    case 0...2:
      let key = [tenant, KeyColumn("id", generate: .uuid)]
      entity.primaryKey = random.chance(70) ? key : key.reversed()
    case 3...4:
      entity.primaryKey = [tenant, KeyColumn("number", generate: .max)]
      entity.attributes = [AttributeDescription(name: "number", type: .integer64, column: "number")]
    case 5:
      entity.primaryKey = [tenant, KeyColumn("part")]
      entity.attributes = [AttributeDescription(name: "part", type: .integer64, column: "part")]
    case 6...7 where !owners.isEmpty:
      return addEntity(entity, ownedBy: random.pick(owners))
    default: break
    }
    let place = entities.count
    entities.append(entity)
    usedNames[entity.name] = []
    addAttributes(to: place, namesKey: false)
    if entity.primaryKey.count > 1 || random.chance(60) { addTenant(to: place) }
  }

  /// The relationship to the tenant comes before or behind all others.
  private mutating func addTenant(to place: Int) {
    let name = entities[place].name
    let hasInverse = random.chance(80)
    if hasInverse {
      let isOrdered = random.chance(20)
      entities[0].relationships.append(
        RelationshipDescription(
          name: "all\(name)", destination: name, isToMany: true, isOrdered: isOrdered,
          inverse: "tenant", userInfo: annotation(4), orderColumn: isOrdered ? "tenant_place" : nil))
    }
    entities[place].relationships.append(
      RelationshipDescription(
        name: "tenant", destination: "Tenant", inverse: hasInverse ? "all\(name)" : nil,
        userInfo: hasInverse ? [:] : ["onClone": "link"], columns: [ForeignKeyColumn("tenant_id")]))
    if let unique = entities[place].attributes.first(where: {
      $0.userInfo["rebuild"] != nil && $0.type == .uuid
    }
    ) {
      entities[place].uniquenessConstraints.append(["tenant", unique.name])
    }
  }

  private mutating func addEntity(_ entity: EntityDescription, ownedBy owner: EntityDescription) {
    var entity = entity
    let columns = columns("owner", to: owner)
    let isCounted = random.chance(40)
    entity.primaryKey =
      owner.primaryKey.map { KeyColumn(column("owner", $0.column)) }
      + [KeyColumn("line", generate: isCounted ? .max : nil)]
    entity.attributes = [AttributeDescription(name: "line", type: .integer64, column: "line")]
    entity.relationships = [
      RelationshipDescription(
        name: "owner", destination: owner.name, inverse: "lines\(entity.name)", columns: columns)
    ]
    let place = entities.firstIndex { $0.name == owner.name }!
    let isOrdered = random.chance(25)
    entities[place].relationships.append(
      RelationshipDescription(
        name: "lines\(entity.name)", destination: entity.name, isToMany: true, isOrdered: isOrdered,
        inverse: "owner", orderColumn: isOrdered ? "owner_place" : nil))
    entities.append(entity)
    usedNames[entity.name] = []
    addAttributes(to: entities.count - 1, namesKey: false)
  }

  // MARK: Relationships

  private func column(_ name: String, _ part: String) -> String {
    part == "tenant_id" ? part : "\(name)_\(part)"
  }

  /// The foreign key to an entity, in any order.
  private mutating func columns(_ name: String, to entity: EntityDescription) -> [ForeignKeyColumn] {
    let columns = entity.primaryKey.map {
      ForeignKeyColumn(column(name, $0.column), references: $0.column)
    }
    return columns.shuffled(using: &random)
  }

  private mutating func addRelationshipWithinTenants() {
    let source = random.number(1...(entities.count - 1))
    let target = random.number(1...(entities.count - 1))
    let name = "r\(relationshipCount)"
    relationshipCount += 1
    if random.chance(30) { return addPairs(name, source, target) }
    let isRequired = target < source && random.chance(35)
    let isToMany = random.chance(80)
    let hasInverse = random.chance(80)
    let columns = columns(name, to: entities[target])
    let place = random.chance(50) ? 0 : entities[source].relationships.count
    entities[source].relationships.insert(
      RelationshipDescription(
        name: name, destination: entities[target].name, isOptional: !isRequired,
        inverse: hasInverse ? name + "i" : nil,
        userInfo: isRequired
          ? [:] : hasInverse ? annotation(15) : ["onClone": random.pick(["link", "clone"])],
        columns: columns), at: place)
    guard hasInverse else { return }
    let isOrdered = isToMany && random.chance(30)
    entities[target].relationships.append(
      RelationshipDescription(
        name: name + "i", destination: entities[source].name, isToMany: isToMany, isOptional: true,
        isOrdered: isOrdered, inverse: name, userInfo: annotation(8),
        orderColumn: isOrdered ? name + "_place" : nil))
  }

  private mutating func addPairs(_ name: String, _ source: Int, _ target: Int) {
    func ends(_ end: String, _ entity: Int) -> [String] {
      let key = entities[entity].primaryKey.map(\.column)
      return (key.isEmpty ? ["id"] : key).map { column(end, $0) }
    }
    let join = JoinTableDescription(
      table: "join_" + name, columns: ends("from", source), inverseColumns: ends("to", target))
    let hasInverse = random.chance(70)
    let isOrdered = random.chance(35)
    entities[source].relationships.append(
      RelationshipDescription(
        name: name, destination: entities[target].name, isToMany: true, isOrdered: isOrdered,
        inverse: hasInverse ? name + "i" : nil,
        userInfo: hasInverse ? annotation(10) : ["onClone": random.pick(["link", "clone"])],
        orderColumn: isOrdered ? "place" : nil, joinTable: join))
    guard hasInverse else { return }
    let isInverseOrdered = random.chance(35)
    entities[target].relationships.append(
      RelationshipDescription(
        name: name + "i", destination: entities[source].name, isToMany: true, isOrdered: isInverseOrdered,
        inverse: name, userInfo: annotation(8), orderColumn: isInverseOrdered ? "inverse_place" : nil))
  }

  /// Siblings that share both columns of a composite foreign key.
  private mutating func addSiblingsOfTenants() {
    let owners = entities.indices.filter { entities[$0].primaryKey.count == 2 }
    guard random.chance(50), !owners.isEmpty else { return }
    let keys = Dictionary(uniqueKeysWithValues: owners.map { ($0, entities[$0].primaryKey.map(\.column)) })
    addSiblings(of: owners) { owner in
      keys[owner]!.map {
        ForeignKeyColumn($0 == "tenant_id" ? $0 : "subject_id", references: $0)
      }
    }
  }
}
