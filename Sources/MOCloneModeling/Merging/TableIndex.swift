import MOCloneModel

/// What a model has in each table, by the names of tables and columns as SQL compares them.
struct TableIndex {
  struct Table {
    var root: String
    var attributes: [String: [AttributeDescription]] = [:]
    /// To-one relationships, and to-many ones without inverse, by their columns in this table.
    var foreignKeys: [Set<String>: [RelationshipDescription]] = [:]
    /// Columns of the key, of positions and of the discriminator.
    var others: Set<String> = []

    /// Every column that something of the model takes.
    var columns: Set<String> {
      others.union(attributes.keys).union(foreignKeys.keys.joined())
    }
  }

  private(set) var tables: [String: Table] = [:]
  /// Many-to-many relationships by their join tables, each with its own columns there.
  private(set) var joins: [String: [(relationship: RelationshipDescription, columns: Set<String>)]] = [:]
  private(set) var joinColumns: [String: Set<String>] = [:]

  /// - Parameter mapping: nil where it follows from the model.
  init(_ model: ObjectModel, mapping: SchemaMapping? = nil, leavingOut gone: RemovedParts = RemovedParts()) {
    let mapping = mapping ?? SchemaMapping(model)
    for entity in model.entities where model.rootEntity(of: entity.name) == entity.name {
      guard !gone.entities.contains(where: { $0.name == entity.name }) else { continue }
      let home = mapping[entity.name]
      var table = Table(root: entity.name)
      table.others = Set(home.keyColumns.map(\.sqlName))
      if let column = home.discriminator?.column { table.others.insert(column.sqlName) }
      tables[home.table.sqlName] = table
    }
    for entity in model.entities {
      let home = mapping[entity.name]
      let table = home.table.sqlName
      guard tables[table] != nil else { continue }
      for attribute in entity.attributes where !gone.contains(PropertyName(attribute)) {
        guard let column = home.attributes[attribute.name]?.column else { continue }
        tables[table]!.attributes[column.sqlName, default: []].append(attribute)
      }
      for relationship in entity.relationships where !gone.contains(PropertyName(relationship)) {
        add(relationship, home.relationships[relationship.name], in: table, mapping)
      }
    }
  }

  private mutating func add(
    _ relationship: RelationshipDescription, _ home: RelationshipMapping?, in table: String,
    _ mapping: SchemaMapping
  ) {
    switch home {
    case .foreignKey(let key): add(relationship, key, in: table)
    case .inverseForeignKey(let key) where relationship.inverse == nil:
      add(relationship, key, in: mapping[key.entity].table.sqlName)
    case .join(let join):
      let name = join.table.sqlName
      joins[name, default: []].append((relationship, Set(join.columns.map(\.sqlName))))
      let positions = [join.orderColumn, join.inverseOrderColumn].compactMap { $0 }
      joinColumns[name, default: []].formUnion(
        (join.columns + join.destinationColumns + positions).map(\.sqlName))
    case .inverseForeignKey, nil: break
    }
  }

  /// Forgets the attributes on a column, in whose place something else comes.
  mutating func removeAttributes(_ column: String, table: String) {
    tables[table]?.attributes[column] = nil
  }

  /// Takes the relationships on some columns for those on others.
  mutating func moveForeignKeys(on columns: Set<String>, to others: Set<String>, table: String) {
    guard let moved = tables[table]?.foreignKeys.removeValue(forKey: columns) else { return }
    tables[table]?.foreignKeys[others, default: []] += moved
  }

  private mutating func add(
    _ relationship: RelationshipDescription, _ key: ForeignKeyMapping, in table: String
  ) {
    tables[table]?.foreignKeys[Set(key.columns.map(\.sqlName)), default: []].append(relationship)
    if let position = key.orderColumn { tables[table]?.others.insert(position.sqlName) }
  }
}
