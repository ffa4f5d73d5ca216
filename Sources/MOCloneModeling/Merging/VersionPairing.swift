import MOCloneModel

/// Which entities of a model are which of another version of it, where both are Core Data's.
///
/// Core Data counts entities in the order of their names, so others get new numbers where one comes or goes, and the
/// numbers are in the names of join tables and columns. So tables tell the roots, and names and renaming identifiers the
/// others; the numbers within a table only those that a person calls otherwise.
struct VersionPairing {
  private let old: ObjectModel
  private let new: ObjectModel
  /// The names in the version by those in the model.
  private(set) var names: [String: String] = [:]
  /// The names in the model by those in the version.
  private(set) var ownNames: [String: String] = [:]

  /// Nil where one of the two is not Core Data's.
  init?(old: ObjectModel, new: ObjectModel) {
    (self.old, self.new) = (old, new)
    let (mapping, newMapping) = (SchemaMapping(old), SchemaMapping(new))
    guard let numbers = mapping.coreData?.numbers, let newNumbers = newMapping.coreData?.numbers else {
      return nil
    }
    pairRoots(mapping, newMapping)
    for entity in new.entities {
      guard let former = entity.renamedFrom, old.entity(entity.name)?.renamedFrom != former else { continue }
      pair(old.entity(former) ?? old.entities.first { $0.renamedFrom == former }, entity)
    }
    for entity in new.entities { pair(old.entity(entity.name), entity) }
    for entity in old.entities { pair(entity, entity.renamedFrom.flatMap(new.entity)) }
    pairByNumbers((mapping, numbers), (newMapping, newNumbers))
  }

  private mutating func pair(_ entity: EntityDescription?, _ other: EntityDescription?) {
    guard let own = entity?.name, let name = other?.name, names[own] == nil, ownNames[name] == nil else {
      return
    }
    (names[own], ownNames[name]) = (name, own)
  }

  private mutating func pairRoots(_ mapping: SchemaMapping, _ newMapping: SchemaMapping) {
    let roots = old.entities.filter { $0.parent == nil }
    let byTable = Dictionary(roots.map { (mapping[$0.name].table.sqlName, $0) }) { first, _ in first }
    for root in new.entities where root.parent == nil {
      pair(byTable[newMapping[root.name].table.sqlName], root)
    }
  }

  private typealias Numbered = (mapping: SchemaMapping, numbers: [String: Int])

  /// Sub-entities that are as far behind their root as in the model, and have some column in common if any.
  private mutating func pairByNumbers(_ own: Numbered, _ version: Numbered) {
    for entity in old.entities where names[entity.name] == nil {
      let root = old.rootEntity(of: entity.name)
      guard let newRoot = names[root], let start = version.numbers[newRoot],
        let formerStart = own.numbers[root], let number = own.numbers[entity.name]
      else { continue }
      let columns = Self.columns(of: entity, own.mapping)
      let other = new.entities.first {
        let others = Self.columns(of: $0, version.mapping)
        return version.numbers[$0.name] == start + number - formerStart
          && new.rootEntity(of: $0.name) == newRoot
          && (columns == others || !columns.isDisjoint(with: others))
      }
      pair(entity, other)
    }
  }

  private static func columns(of entity: EntityDescription, _ mapping: SchemaMapping) -> Set<String> {
    let home = mapping[entity.name]
    return Set(entity.attributes.compactMap { home.attributes[$0.name]?.column.sqlName })
  }

  /// The sub-entities that the version has no more.
  var lost: Set<String> {
    Set(old.entities.filter { $0.parent != nil && names[$0.name] == nil }.map(\.name))
  }

  /// The model with the parents, of those that it has, and the tables that the version gives to its entities.
  var moved: ObjectModel {
    let reparented = old.changed { entity in
      guard let name = names[entity.name] else { return }
      entity.parent = new.lineage(of: name).dropFirst().compactMap { ownNames[$0] }.first
      if entity.parent != nil { (entity.table, entity.primaryKey) = (nil, []) }
    }
    let (mapping, newMapping) = (SchemaMapping(reparented), SchemaMapping(new))
    return reparented.changed { entity in
      guard entity.parent == nil, let name = names[entity.name],
        mapping[entity.name].table.sqlName != newMapping[name].table.sqlName
      else { return }
      entity.table = newMapping[name].table
    }
  }

  /// The same with the version's numbers and columns; what the version has no more gets some that it does not have.
  var numbered: ObjectModel {
    let mapping = SchemaMapping(new)
    let numbers = mapping.coreData?.numbers ?? [:]
    var last = numbers.values.max() ?? 0
    return moved.changed { entity in
      if let name = names[entity.name], let version = new.entity(name) {
        entity.number = numbers[name]
        entity.nameColumns(as: version, mapping[name])
      } else {
        last += 1
        entity.number = last
      }
    }
  }
}

extension EntityDescription {
  /// No column of Core Data.
  private static let noColumn = "gone"

  /// Names the columns that follow from the names of properties: what siblings call the same has a number behind it,
  /// which changes with them.
  fileprivate mutating func nameColumns(as version: EntityDescription, _ mapping: EntityMapping) {
    for i in attributes.indices where attributes[i].column == nil {
      let name = attributes[i].name
      let attribute = version.attributes.first { $0.name == name }
      if attributes[i].isTransient {
        guard attribute?.isTransient != true else { continue }
        attributes[i].isTransient = false
        attributes[i].column = Self.noColumn
      } else if let attribute {
        if attribute.column == nil { attributes[i].column = mapping.attributes[name]?.column }
      } else if !version.relationships.contains(where: { $0.name == name }) {
        attributes[i].column = Self.noColumn
      }
    }
    for i in relationships.indices where !relationships[i].isToMany && relationships[i].columns.isEmpty {
      let name = relationships[i].name
      if let relationship = version.relationships.first(where: { $0.name == name }) {
        guard relationship.columns.isEmpty, let key = mapping.foreignKey(name) else { continue }
        relationships[i].columns = key.columns.map { ForeignKeyColumn($0) }
      } else if !version.attributes.contains(where: { $0.name == name }) {
        relationships[i].columns = [ForeignKeyColumn(Self.noColumn)]
      }
    }
  }

  /// The number that the model itself gives in Core Data.
  var number: Int? {
    get { discriminator?.value.flatMap(Int.init) }
    set {
      discriminator = DiscriminatorDescription(
        column: discriminator?.column, value: newValue.map(String.init))
    }
  }
}

extension ObjectModel {
  /// The model with changed entities.
  func changed(_ change: (inout EntityDescription) -> Void) -> ObjectModel {
    var entities = entities
    for i in entities.indices { change(&entities[i]) }
    return ObjectModel(
      unvalidated: name, userInfoKeys: userInfoKeys, store: store, entities: entities, extensions: extensions)
  }
}
