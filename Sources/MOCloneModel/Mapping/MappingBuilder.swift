/// Settles the defaults of the mapping; where a model is faulty the first possibility counts.
struct MappingBuilder {
  let model: ObjectModel
  private let coreData: CoreDataNames?
  private var naming: NamingConvention { model.store.naming }

  init(_ model: ObjectModel) {
    self.model = model
    coreData = model.store.naming == .coreData ? CoreDataNames(model) : nil
  }

  func build() -> SchemaMapping {
    var entities: [String: EntityMapping] = [:]
    for entity in model.entities where entities[entity.name] == nil {
      entities[entity.name] = mapping(of: entity)
    }
    return SchemaMapping(
      entities: KeyForms(entities: entities).settled(),
      coreData: coreData.map(coreDataMapping))
  }

  private func mapping(of entity: EntityDescription) -> EntityMapping {
    var relationships: [String: RelationshipMapping] = [:]
    for relationship in model.relationships(of: entity.name) {
      relationships[relationship.name] = mapping(of: relationship)
    }
    var mapping = EntityMapping(
      entity: entity.name, table: table(of: entity.name), key: [], discriminator: discriminator(of: entity),
      attributes: attributeColumns(of: entity.name), relationships: relationships)
    mapping.key = keyParts(of: entity, mapping)
    let key = mapping.keyColumns.map(\.sqlName)
    mapping.attributes = mapping.attributes.mapValues { attribute in
      var attribute = attribute
      attribute.keyPart = key.firstIndex(of: attribute.column.sqlName)
      return attribute
    }
    return mapping
  }

  private func root(of entity: String) -> EntityDescription? {
    model.entity(model.rootEntity(of: entity))
  }

  private func table(of entity: String) -> String {
    let root = model.rootEntity(of: entity)
    return model.store.table(model.entity(root)?.table ?? naming.table(root))
  }

  private func discriminator(of entity: EntityDescription) -> EntityMapping.Discriminator? {
    guard let root = root(of: entity.name) else { return nil }
    let isAlone = entity.name == root.name && model.index.children[model.index.number[root.name]!].isEmpty
    if isAlone && root.discriminator == nil && coreData == nil { return nil }
    let number = coreData?.numbers[entity.name].map(String.init)
    return EntityMapping.Discriminator(
      column: root.discriminator?.column ?? coreData.map { _ in CoreDataMapping.entityColumn }
        ?? naming.column("entity"),
      value: entity.discriminator?.value ?? number ?? entity.name)
  }

  private func attributeColumns(of entity: String) -> [String: AttributeColumn] {
    var columns: [String: AttributeColumn] = [:]
    for attribute in model.attributes(of: entity) where !attribute.isTransient {
      var column = AttributeColumn(
        column: self.column(of: attribute), type: attribute.type, dates: model.store.dates,
        uuids: model.store.uuids)
      column.isExternal = coreData != nil && attribute.isStoredExternally
      switch attribute.storage {
      case .date(let dates): column.dates = dates
      case .uuid(let uuids): column.uuids = uuids
      case nil: break
      }
      columns[attribute.name] = column
    }
    return columns
  }

  func column(of attribute: AttributeDescription) -> String {
    attribute.column ?? coreData?.column(of: attribute) ?? naming.column(attribute.name)
  }
}

// MARK: - Keys

extension MappingBuilder {
  /// The columns of an entity's key, without their sources.
  private func keyColumns(of entity: String) -> [KeyColumn] {
    guard let root = root(of: entity) else { return [] }
    return root.primaryKey.isEmpty ? [KeyColumn(model.store.primaryKey)] : root.primaryKey
  }

  private func keyParts(of entity: EntityDescription, _ mapping: EntityMapping) -> [KeyPart] {
    let columns = keyColumns(of: entity.name)
    return columns.map { column in
      KeyPart(
        column: column.column,
        source: source(of: column, isWholeKey: columns.count == 1, entity: entity.name, mapping))
    }
  }

  private func source(
    of key: KeyColumn, isWholeKey: Bool, entity: String, _ mapping: EntityMapping
  ) -> KeyPart.Source {
    if let reference = reference(in: key.column, of: entity, mapping) { return reference }
    switch key.generate {
    case .rowid: return .rowid
    case .max: return .max
    case .uuid: return .uuid(uuidStorage(of: key.column, mapping))
    case .some(.none), nil: break
    }
    if key.generate == nil, isRebuilt(key.column, entity: entity) {
      return .uuid(uuidStorage(of: key.column, mapping))
    }
    if !isWholeKey { return .copied }
    return key.generate == nil ? .automatic : .given
  }

  /// The reference that a part of a key is mapped by: of several that share it one that always leads to another entity's
  /// row, of these the one of the fewest columns.
  private func reference(in column: String, of entity: String, _ mapping: EntityMapping) -> KeyPart.Source? {
    let keys = mapping.foreignKeys.filter { !leadsBack($0.key, to: entity, mapping) }
    let candidates = keys.compactMap { relationship, key in
      key.columns.firstIndex { $0.sqlName == column.sqlName }.map { part in
        let isOwn = model.rootEntity(of: key.destination) == model.rootEntity(of: entity)
        let canBeNull =
          key.columns.count > 1 && model.relationship(relationship, of: entity)?.isOptional != false
        return (
          source: KeyPart.Source.relationship(relationship, part: part),
          rank: (isOwn ? 1 : 0, canBeNull ? 1 : 0, key.columns.count)
        )
      }
    }
    return candidates.min { $0.rank < $1.rank }?.source
  }

  /// Whether a foreign key holds the whole key of its own row, which what it leads to has from this row, as the current one
  /// of its revisions: then it says nothing of that key.
  private func leadsBack(_ key: ForeignKeyMapping, to entity: String, _ mapping: EntityMapping) -> Bool {
    let own = keyColumns(of: entity).map(\.column.sqlName)
    let shared = zip(key.columns, key.references).filter { own.contains($0.0.sqlName) }
    guard shared.count == own.count, key.columns.count > own.count else { return false }
    return foreignKeys(from: key.destination, to: entity, mapping).contains { back in
      shared.allSatisfy { column, reference in
        zip(back.columns, back.references).contains {
          $0.sqlName == reference.sqlName && $1.sqlName == column.sqlName
        }
      }
    }
  }

  /// The foreign keys in rows of one entity that lead to another, whichever of the two knows of them.
  private func foreignKeys(
    from entity: String, to destination: String, _ mapping: EntityMapping
  ) -> [ForeignKeyMapping] {
    let there = model.relationships(of: entity).compactMap {
      if case .foreignKey(let key) = self.mapping(of: $0) { key } else { nil }
    }
    let here = mapping.relationships.values.compactMap {
      if case .inverseForeignKey(let key) = $0 { key } else { nil }
    }
    return there.filter { model.rootEntity(of: $0.destination) == model.rootEntity(of: destination) }
      + here.filter { model.rootEntity(of: $0.entity) == model.rootEntity(of: entity) }
  }

  private func isRebuilt(_ column: String, entity: String) -> Bool {
    model.attributes(of: entity).contains {
      !$0.userInfo.isEmpty && self.column(of: $0).sqlName == column.sqlName
        && CloneAnnotations(userInfo: $0.userInfo, keys: model.userInfoKeys).rebuild == .uuid
    }
  }

  /// A key that an attribute shows as a string is one.
  private func uuidStorage(of column: String, _ mapping: EntityMapping) -> UUIDStorage {
    let attribute = mapping.attributes.values.first { $0.column.sqlName == column.sqlName }
    let storage = attribute?.uuids ?? model.store.uuids
    return storage == .blob && attribute.map { $0.type != .uuid } == true ? .text : storage
  }
}

// MARK: - Relationships

extension MappingBuilder {
  private func mapping(of relationship: RelationshipDescription) -> RelationshipMapping {
    let inverse = model.inverse(of: relationship)
    let isJoined =
      relationship.joinTable != nil || inverse?.joinTable != nil
      || (relationship.isToMany && inverse?.isToMany == true)
      || coreData?.joinTable(of: relationship) != nil
    if isJoined { return .join(joinTable(relationship, inverse: inverse)) }
    if owns(relationship, inverse: inverse) {
      return .foreignKey(foreignKey(of: relationship, inverse))
    }
    guard let inverse else {
      return .inverseForeignKey(hiddenForeignKey(of: relationship))
    }
    return .inverseForeignKey(foreignKey(of: inverse, relationship))
  }

  /// Whether the foreign key of a relationship is in the table of its own entity.
  func owns(_ relationship: RelationshipDescription, inverse: RelationshipDescription?) -> Bool {
    guard !relationship.isToMany else { return false }
    guard let inverse, !inverse.isToMany else { return true }
    if relationship.columns.isEmpty != inverse.columns.isEmpty { return !relationship.columns.isEmpty }
    if relationship.isOptional != inverse.isOptional { return !relationship.isOptional }
    return relationship.entity == inverse.entity
      ? relationship.name > inverse.name : relationship.entity > inverse.entity
  }

  private func coreDataMapping(_ names: CoreDataNames) -> CoreDataMapping {
    let roots = model.entities.filter { model.rootEntity(of: $0.name) == $0.name }
    let tables = roots.map { (table(of: $0.name).sqlName, names.numbers[$0.name] ?? 0) }
    return CoreDataMapping(
      numbers: names.numbers, tables: Dictionary(tables) { first, _ in first }, mirrors: mirrors)
  }

  /// The foreign keys on the other sides of one-to-one relationships.
  private var mirrors: [CoreDataMapping.Mirror] {
    model.entities.flatMap(\.relationships).compactMap { relationship in
      guard let inverse = model.inverse(of: relationship), !relationship.isToMany, !inverse.isToMany,
        !owns(relationship, inverse: inverse), let column = coreData?.column(of: relationship)
      else { return nil }
      return CoreDataMapping.Mirror(
        entity: relationship.entity, column: column, key: foreignKey(of: inverse, relationship))
    }
  }

  private func foreignKey(
    of relationship: RelationshipDescription, _ inverse: RelationshipDescription?
  ) -> ForeignKeyMapping {
    foreignKey(
      of: relationship, name: relationship.name, in: relationship.entity, to: relationship.destination,
      list: inverse)
  }

  /// The foreign key of a to-many without inverse: in the destination's table, pointing back.
  private func hiddenForeignKey(of relationship: RelationshipDescription) -> ForeignKeyMapping {
    foreignKey(
      of: relationship, name: relationship.entity + "_" + relationship.name, in: relationship.destination,
      to: relationship.entity, list: relationship)
  }

  /// The column with the position in a list, beside the one with the key that makes a row its member.
  private func orderColumn(beside column: String) -> String {
    coreData == nil ? column + "_order" : CoreDataNames.orderColumn(beside: column)
  }

  /// - Parameter list: the relationship whose members hold the key.
  private func foreignKey(
    of relationship: RelationshipDescription, name: String, in entity: String, to destination: String,
    list: RelationshipDescription?
  ) -> ForeignKeyMapping {
    let given = relationship.columns
    let key = keyColumns(of: destination).map(\.column)
    let own = key.count == 1 ? coreData?.column(of: relationship).map { [$0] } : nil
    let names = given.isEmpty ? own ?? naming.foreignKey(name, keyColumns: key) : given.map(\.column)
    let references = names.indices.map { i in
      (i < given.count ? given[i].references : nil) ?? (i < key.count ? key[i] : key.last ?? "")
    }
    let order = list.flatMap { $0.isOrdered ? $0.orderColumn ?? orderColumn(beside: names[0]) : nil }
    return ForeignKeyMapping(
      entity: entity, destination: destination, columns: names, references: references, orderColumn: order)
  }

  /// Either side may describe the table; what neither says is named after the two entities.
  private func joinTable(
    _ relationship: RelationshipDescription, inverse: RelationshipDescription?
  ) -> JoinTableMapping {
    let own = relationship.joinTable
    let other = inverse?.joinTable
    let source = keyColumns(of: relationship.entity).map(\.column)
    let destination = keyColumns(of: relationship.destination).map(\.column)
    let named = coreData?.joinColumns(of: relationship, inverse: inverse)
    let columns = firstGiven(
      own?.columns, other?.inverseColumns, joinColumn(named?.own, key: source))
    let inverseColumns = firstGiven(
      own?.inverseColumns, other?.columns, joinColumn(named?.destination, key: destination))
    var join = JoinTableMapping(
      table: model.store.table(
        own?.table ?? other?.table ?? coreData?.joinTable(of: relationship)
          ?? naming.joinTable((relationship.entity, relationship.destination))),
      columns: columns ?? naming.foreignKey(relationship.entity, keyColumns: source), references: source,
      destinationColumns: inverseColumns
        ?? naming.foreignKey(relationship.destination, keyColumns: destination),
      destinationReferences: destination)
    if relationship.isOrdered {
      join.orderColumn =
        own?.orderColumn ?? relationship.orderColumn ?? orderColumn(beside: join.destinationColumns[0])
    }
    if let inverse, inverse.isOrdered {
      join.inverseOrderColumn =
        other?.orderColumn ?? inverse.orderColumn ?? orderColumn(beside: join.columns[0])
    } else if coreData != nil && relationship.isMutual && relationship.isOrdered {
      join.inverseOrderColumn = orderColumn(beside: join.columns[0])
    }
    return join
  }

  /// Core Data's column with a key, which is one number.
  private func joinColumn(_ column: String?, key: [String]) -> [String]? {
    key.count == 1 ? column.map { [$0] } : nil
  }

  private func firstGiven(_ lists: [String]?...) -> [String]? {
    lists.compactMap { $0 }.first { !$0.isEmpty }
  }
}
