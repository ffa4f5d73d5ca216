import MOCloneModel

extension ObjectModel {
  /// The model with the numbers that another version of it gives to its entities, where both are Core Data's.
  ///
  /// Core Data counts entities in the order of their names, so others get new numbers where one comes or goes, and the
  /// numbers are in the names of join tables and columns. Names tell the entities; the numbers within a table only those
  /// whose names do not.
  func numbered(as version: ObjectModel) -> ObjectModel {
    let (own, other) = (SchemaMapping(self), SchemaMapping(version))
    guard let former = own.coreData?.numbers, let numbers = other.coreData?.numbers else { return self }
    let names = sameEntities(in: version, tables: (own, other))
    var found = names.compactMapValues { numbers[$0] }
    let (used, taken) = (Set(numbers.values), Set(found.values))
    let unknown = version.entities.map(\.name).filter { numbers[$0].map { !taken.contains($0) } ?? false }
    var last = max(numbers.values.max() ?? 0, former.values.max() ?? 0)
    for entity in entities where found[entity.name] == nil {
      let (number, root) = (former[entity.name] ?? 0, rootEntity(of: entity.name))
      let shifted = names[root].flatMap { numbers[$0] }.map { number + $0 - (former[root] ?? 0) }
      let isThere = unknown.contains {
        numbers[$0] == shifted && other[$0].table.sqlName == own[entity.name].table.sqlName
      }
      if let shifted, isThere {
        found[entity.name] = shifted
      } else if used.contains(number) {
        last += 1
        found[entity.name] = last
      } else {
        found[entity.name] = number
      }
    }
    let numbered = entities.map { entity in
      var entity = entity
      let value = found[entity.name].map(String.init)
      entity.discriminator = DiscriminatorDescription(column: entity.discriminator?.column, value: value)
      return entity
    }
    return ObjectModel(unvalidated: name, userInfoKeys: userInfoKeys, store: store, entities: numbered)
  }

  /// The names that entities have in another version: of a root with the same table, else of an entity with the same name,
  /// or with what either of them was called.
  private func sameEntities(
    in version: ObjectModel, tables: (own: SchemaMapping, other: SchemaMapping)
  ) -> [String: String] {
    let roots = version.entities.map(\.name).filter { version.rootEntity(of: $0) == $0 }
    let byTable = Dictionary(roots.map { (tables.other[$0].table.sqlName, $0) }) { first, _ in first }
    let renamed = version.entities.compactMap { entity in entity.renamedFrom.map { ($0, entity.name) } }
    let byFormerName = Dictionary(renamed) { first, _ in first }
    func named(_ name: String) -> String? { version.entity(name)?.name ?? byFormerName[name] }
    let pairs = entities.compactMap { entity -> (String, String)? in
      let isRoot = rootEntity(of: entity.name) == entity.name
      let root = isRoot ? byTable[tables.own[entity.name].table.sqlName] : nil
      return (root ?? named(entity.name) ?? entity.renamedFrom.flatMap(named)).map { (entity.name, $0) }
    }
    return Dictionary(pairs) { first, _ in first }
  }
}
