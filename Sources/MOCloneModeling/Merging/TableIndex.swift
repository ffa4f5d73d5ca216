import MOCloneModel

/// A property by the entity that declares it.
struct PropertyName: Hashable, Comparable {
  var entity: String
  var name: String

  init(_ attribute: AttributeDescription) {
    (entity, name) = (attribute.entity, attribute.name)
  }

  init(_ relationship: RelationshipDescription) {
    (entity, name) = (relationship.entity, relationship.name)
  }

  static func < (a: Self, b: Self) -> Bool { (a.entity, a.name) < (b.entity, b.name) }
}

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

  init(_ model: ObjectModel, leavingOut gone: GoneParts = GoneParts()) {
    let mapping = SchemaMapping(model)
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
        add(relationship, home.relationships[relationship.name], in: table, model, mapping)
      }
    }
  }

  private mutating func add(
    _ relationship: RelationshipDescription, _ home: RelationshipMapping?, in table: String,
    _ model: ObjectModel, _ mapping: SchemaMapping
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
  mutating func removeAttributes(_ column: String, _ table: String) {
    tables[table]?.attributes[column] = nil
  }

  private mutating func add(
    _ relationship: RelationshipDescription, _ key: ForeignKeyMapping, in table: String
  ) {
    tables[table]?.foreignKeys[Set(key.columns.map(\.sqlName)), default: []].append(relationship)
    if let position = key.orderColumn { tables[table]?.others.insert(position.sqlName) }
  }
}

/// The tables and columns of a source, as far as they are known.
package struct SourceShape: Sendable {
  private(set) var tables: [String: Set<String>] = [:]

  package init() {}

  /// Adds a table with its columns.
  package mutating func add(table: String, columns: some Sequence<String>) {
    tables[table.sqlName, default: []].formUnion(columns.map(\.sqlName))
  }

  init(_ index: TableIndex) {
    tables = index.tables.mapValues(\.columns).merging(index.joinColumns) { $0.union($1) }
  }

  /// Both together.
  func union(_ other: SourceShape) -> SourceShape {
    var both = self
    both.tables.merge(other.tables) { $0.union($1) }
    return both
  }

  func has(_ table: String) -> Bool { tables[table.sqlName] != nil }

  /// The first of some columns that a table lacks; nil where the table itself is missing.
  func missing(of columns: [String], in table: String) -> String? {
    guard let known = tables[table.sqlName] else { return nil }
    return columns.first { !known.contains($0.sqlName) }
  }
}
