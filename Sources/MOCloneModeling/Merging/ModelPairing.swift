import MOCloneModel

/// Which parts of a source are which of a model, by tables and columns: a person may have renamed them. Sub-entities can
/// have different references in the same columns, so these count by their entities and destinations, too.
struct ModelPairing {
  /// The model of the file.
  let written: ObjectModel
  /// The same, where Core Data's entities have the parents and the tables of the source.
  let old: ObjectModel
  let new: ObjectModel
  /// The tables and columns of the source.
  let shape: SourceShape
  /// What the model has and the source has no more, also because something else takes its place.
  private(set) var gone: RemovedParts
  /// The model's entity of each of the source's.
  private(set) var entities: [String: String] = [:]
  private(set) var attributes: [PropertyName: AttributeDescription] = [:]
  private(set) var relationships: [PropertyName: RelationshipDescription] = [:]
  /// Parts of the source that the model has in another form, or that a person took out of it.
  private(set) var skipped: Set<PropertyName> = []
  private(set) var skippedEntities: Set<String> = []
  /// Those of them whose table the model has as a join table.
  private(set) var joinEntities: [String] = []
  /// The model's entities that stand for several of the source with references of their own in the same columns.
  private(set) var mergedEntities: Set<String> = []
  /// The model's relationship that stands for an attribute of the source.
  private(set) var standIns: [PropertyName: RelationshipDescription] = [:]

  /// The root entities of the model that have other keys in the source.
  private(set) var otherKeys: [OtherKey] = []

  struct OtherKey {
    var entity: String
    /// The key in the source.
    var columns: [KeyColumn]
    /// Whether rows cannot have the model's any more: it names a column that went, or makes numbers where UUIDs are.
    var isTaken: Bool
  }

  /// Tables, and columns as `table.column`, that a person does not want in the model: the list `x-ignored` of the file.
  private let ignored: Set<String>
  private var index: TableIndex
  let newMapping: SchemaMapping
  /// Nil where the model or the source is not Core Data's.
  let versions: VersionPairing?
  private let oldMapping: SchemaMapping

  /// - Parameter shape: nil where the source is no database, and so declares no keys.
  init(old: ObjectModel, new: ObjectModel, shape: SourceShape?) {
    versions = VersionPairing(old: old, new: new)
    (written, self.old, self.new) = (old, versions?.moved ?? old, new)
    let numbered = versions?.numbered ?? old
    (oldMapping, newMapping) = (SchemaMapping(numbered), SchemaMapping(new))
    ignored = Self.ignored(by: old)
    self.shape = (shape ?? SourceShape()).union(SourceShape(TableIndex(new)))
    gone = RemovedParts(
      of: numbered, in: self.shape, former: SchemaMapping(written), lost: versions?.lost ?? [])
    index = TableIndex(self.old, mapping: oldMapping, leavingOut: gone)
    pairEntities()
    if shape != nil { otherKeys = foundKeys }
    let known = new.entities.filter { !skippedEntities.contains($0.name) }
    // What leads where it did is itself, and is nothing that leads elsewhere now.
    for relationship in known.flatMap(\.relationships) { pairUnchanged(relationship) }
    for relationship in known.flatMap(\.relationships) { pairForeignKey(relationship) }
    for entity in known {
      for attribute in entity.attributes { pair(attribute) }
      for relationship in entity.relationships { pairOther(relationship) }
    }
  }

  // MARK: Entities

  private mutating func pairEntities() {
    for entity in new.entities {
      let home = newMapping[entity.name]
      if ignored.contains(home.table.sqlName) { skippedEntities.insert(entity.name) }
      guard !skippedEntities.contains(entity.name) else { continue }
      guard let table = index.tables[home.table.sqlName] else {
        if index.joins[home.table.sqlName] != nil {
          skippedEntities.insert(entity.name)
          joinEntities.append(entity.name)
        }
        continue
      }
      if let versions {
        entities[entity.name] = versions.ownNames[entity.name]
      } else if new.rootEntity(of: entity.name) == entity.name {
        entities[entity.name] = table.root
      } else if let found = subEntity(entity, below: table.root) {
        entities[entity.name] = found
      } else if !hasSubEntities(table.root) {
        // A person made one entity of them.
        entities[entity.name] = table.root
      }
    }
  }

  private func subEntity(_ entity: EntityDescription, below root: String) -> String? {
    let family = old.entities.map(\.name).filter { old.rootEntity(of: $0) == root }
    let value = newMapping[entity.name].discriminator?.value
    return family.first { value != nil && oldMapping[$0].discriminator?.value == value }
      ?? family.first { $0 == entity.name && !isAnother(of: entity, by: oldMapping[$0].discriminator?.value) }
  }

  /// Whether a value marks rows of another entity of the source in the same table.
  private func isAnother(of entity: EntityDescription, by value: String?) -> Bool {
    let root = new.rootEntity(of: entity.name)
    return value != nil
      && new.entities.contains {
        new.rootEntity(of: $0.name) == root && newMapping[$0.name].discriminator?.value == value
      }
  }

  private func hasSubEntities(_ root: String) -> Bool {
    old.entities.contains { $0.name != root && old.rootEntity(of: $0.name) == root }
  }

  private var foundKeys: [OtherKey] {
    entities.sorted { $0.value < $1.value }.compactMap { source, own in
      guard new.rootEntity(of: source) == source else { return nil }
      let (home, known) = (newMapping[source], oldMapping[own])
      let isRemoved = shape.missing(of: known.keyColumns, in: known.table) != nil
      let isOther = Set(home.keyColumns.map(\.sqlName)) != Set(known.keyColumns.map(\.sqlName))
      let given = new.entity(source)?.primaryKey ?? []
      let uuids = Set(given.filter { $0.generate == .uuid }.map(\.column.sqlName))
      let hasUUIDs = known.key.contains { $0.source.isNumber && uuids.contains($0.column.sqlName) }
      guard isOther || hasUUIDs else { return nil }
      return OtherKey(
        entity: own, columns: given.isEmpty ? home.keyColumns.map { KeyColumn($0) } : given,
        isTaken: isRemoved || hasUUIDs)
    }
  }

  /// Whether a column is in the key that an entity gets from the source.
  private func isInTakenKey(_ column: String, of entity: String) -> Bool {
    otherKeys.contains {
      $0.entity == entity && $0.isTaken && $0.columns.contains { $0.column.sqlName == column }
    }
  }

  // MARK: Properties

  private mutating func pair(_ attribute: AttributeDescription) {
    let name = PropertyName(attribute)
    let home = newMapping[attribute.entity]
    guard let table = index.tables[home.table.sqlName] else { return }
    guard let column = home.attributes[attribute.name]?.column.sqlName else {
      let found = entities[attribute.entity].flatMap { old.attribute(attribute.name, of: $0) }
      attributes[name] = found.flatMap { gone.contains(PropertyName($0)) ? nil : $0 }
      return
    }
    if let found = best(table.attributes[column] ?? [], of: attribute.entity, owner: \.entity) {
      attributes[name] = found
    } else if let found = table.foreignKeys.first(where: { $0.key.contains(column) })?.value.first {
      standIns[name] = found
      skipped.insert(name)
    } else if table.others.contains(column) && !isInTakenKey(column, of: table.root)
      || isIgnored([column], in: home.table)
    {
      skipped.insert(name)
    }
  }

  private func isIgnored(_ columns: Set<String>, in table: String) -> Bool {
    columns.contains { ignored.contains("\(table.sqlName).\($0)") }
  }

  private static func ignored(by model: ObjectModel) -> Set<String> {
    guard case .list(let items)? = model.extensions["x-ignored"] else { return [] }
    return Set(items.compactMap { if case .text(let name) = $0 { name.sqlName } else { nil } })
  }

  /// A to-one relationship with its columns in the entity's own table that leads where the model's does.
  private mutating func pairUnchanged(_ relationship: RelationshipDescription) {
    let home = newMapping[relationship.entity]
    guard let key = home.foreignKey(relationship.name) else { return }
    let found = references(key, in: home.table).filter {
      !$0.isToMany && !leadsElsewhere($0, relationship: relationship)
    }
    relationships[PropertyName(relationship)] = best(found, of: relationship.entity, owner: \.entity)
  }

  /// Any other to-one relationship with its columns in the entity's own table.
  private mutating func pairForeignKey(_ relationship: RelationshipDescription) {
    let (name, home) = (PropertyName(relationship), newMapping[relationship.entity])
    guard relationships[name] == nil, let key = home.foreignKey(relationship.name) else { return }
    let columns = Set(key.columns.map(\.sqlName))
    if let former = formerColumns(of: relationship, on: columns, in: home.table) {
      replaceAttributes(on: columns.subtracting(former), in: home.table, by: relationship)
      index.moveForeignKeys(on: former, to: columns, table: home.table.sqlName)
    }
    guard let table = index.tables[home.table.sqlName] else { return }
    let others = references(key, in: home.table).filter { other in
      !relationships.values.contains { PropertyName($0) == PropertyName(other) }
    }
    let found = best(others, of: relationship.entity, owner: \.columnOwner)
    if isMerged(relationship.entity), !columns.isDisjoint(with: table.columns) {
      skipped.insert(name)
      mergedEntities.insert(table.root)
    } else if let found, found.isToMany {
      // A person has only the other side.
      skipped.insert(name)
    } else if let found {
      relationships[name] = found
      retire(inverseOf: found, ifItLeadsElsewhere: relationship)
    } else if skippedEntities.contains(relationship.destination) || isIgnored(columns, in: home.table) {
      skipped.insert(name)
    } else {
      replaceAttributes(on: columns, in: home.table, by: relationship)
    }
  }

  private func references(_ key: ForeignKeyMapping, in table: String) -> [RelationshipDescription] {
    index.tables[table.sqlName]?.foreignKeys[Set(key.columns.map(\.sqlName))] ?? []
  }

  /// Whether the model has an entity's rows in its root, which has no sub-entities there.
  private func isMerged(_ entity: String) -> Bool {
    guard versions == nil, new.rootEntity(of: entity) != entity, let own = entities[entity] else {
      return false
    }
    return old.rootEntity(of: own) == own
  }

  private mutating func replaceAttributes(
    on columns: Set<String>, in table: String, by relationship: RelationshipDescription
  ) {
    guard let known = index.tables[table.sqlName] else { return }
    let plain = columns.subtracting(known.others)
    for attribute in plain.flatMap({ known.attributes[$0] ?? [] }) {
      gone.add(
        PropertyName(attribute), "the attribute, which is the relationship '\(relationship.name)' now")
    }
    for column in plain { index.removeAttributes(column, table: table.sqlName) }
  }

  /// The columns that the model has a foreign key on which got more of them in the source, or lost some: a tenant's column,
  /// for one. Nil where the model has one on the same columns, or the source another on the former ones.
  private func formerColumns(
    of relationship: RelationshipDescription, on columns: Set<String>, in table: String
  ) -> Set<String>? {
    let known = index.tables[table.sqlName]?.foreignKeys ?? [:]
    guard known[columns] == nil, !isIgnored(columns, in: table) else { return nil }
    let found = known.filter { former, relationships in
      (former.isSubset(of: columns) || former.isSuperset(of: columns))
        && relationships.contains { !leadsElsewhere($0, relationship: relationship) && !$0.isToMany }
    }
    guard !found.isEmpty else { return nil }
    let declared = new.entities.map { newMapping[$0.name] }.filter { $0.table.sqlName == table.sqlName }
      .flatMap { $0.relationships.values.compactMap(\.anyForeignKey) }
      .filter { newMapping[$0.entity].table.sqlName == table.sqlName }
    let kept = Set(declared.map { Set($0.columns.map(\.sqlName)) })
    return found.keys.filter { !kept.contains($0) }.max { $0.sorted().lexicographicallyPrecedes($1.sorted()) }
  }

  /// A foreign key that references another table now has another inverse.
  private mutating func retire(
    inverseOf found: RelationshipDescription, ifItLeadsElsewhere relationship: RelationshipDescription
  ) {
    guard leadsElsewhere(found, relationship: relationship), let inverse = old.inverse(of: found) else {
      return
    }
    let home = versions == nil ? newMapping[relationship.destination].table : relationship.destination
    gone.add(PropertyName(inverse), "'\(found.qualifiedName)' references '\(home)' now")
  }

  /// Whether a relationship of the model has another destination than the same one of the source.
  func leadsElsewhere(_ found: RelationshipDescription, relationship: RelationshipDescription) -> Bool {
    guard let destination = entities[relationship.destination] else { return true }
    if versions != nil { return destination != found.destination }
    return !old.isKind(destination, of: found.destination) && !old.isKind(found.destination, of: destination)
  }

  /// A relationship whose columns are in another table.
  private mutating func pairOther(_ relationship: RelationshipDescription) {
    let name = PropertyName(relationship)
    guard !skippedEntities.contains(relationship.destination) else {
      skipped.insert(name)
      return
    }
    switch newMapping[relationship.entity].relationships[relationship.name] {
    case .inverseForeignKey(let key):
      if let owner = new.inverse(of: relationship) {
        pair(relationship, inverseOf: owner)
      } else {
        let found = references(key, in: newMapping[key.entity].table)
        relationships[name] =
          best(found.filter(\.isToMany), of: relationship.entity, owner: \.entity)
          ?? best(found.filter { !$0.isToMany }, of: key.entity, owner: \.entity)
      }
    case .join(let join):
      let columns = Set(join.columns.map(\.sqlName))
      let known = index.joins[join.table.sqlName] ?? []
      relationships[name] = known.first { $0.columns == columns }?.relationship
      let isKnown = !known.isEmpty || index.tables[join.table.sqlName] != nil
      if relationships[name] == nil, isKnown { skipped.insert(name) }
    case .foreignKey, nil: break
    }
  }

  private mutating func pair(
    _ relationship: RelationshipDescription, inverseOf owner: RelationshipDescription
  ) {
    if skipped.contains(PropertyName(owner)) { skipped.insert(PropertyName(relationship)) }
    guard let found = relationships[PropertyName(owner)], !leadsElsewhere(found, relationship: owner) else {
      return
    }
    if let inverse = old.inverse(of: found) {
      relationships[PropertyName(relationship)] = inverse
    } else {
      skipped.insert(PropertyName(relationship))
    }
  }

  /// Of several properties on the same columns the one of the same entity, else of a relative. Siblings can have something
  /// else in these columns, and a new sub-entity has only siblings and ancestors.
  private func best<T>(_ found: [T], of entity: String, owner: (T) -> String) -> T? {
    guard let own = new.lineage(of: entity).compactMap({ entities[$0] }).first else { return nil }
    return found.first { owner($0) == own }
      ?? found.first { old.isKind(own, of: owner($0)) }
      ?? found.first { entities[entity] != nil && old.isKind(owner($0), of: own) }
  }
}

extension RelationshipDescription {
  /// The entity whose rows have the columns of a to-one relationship, or of a to-many one without inverse.
  fileprivate var columnOwner: String { isToMany ? destination : entity }
}
