import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The table of a root entity and of all that inherit from it, as statements over many objects write it.
struct ObjectTable: Sendable, Equatable {
  var index: Int
  /// The root entity.
  var root: String
  var schema: TableSchema
  var keyColumns: [ColumnSchema]
  var discriminator: String?

  var sql: String { SQL.main(schema.name) }

  /// The key columns of a row.
  func key(_ alias: String) -> [String] { keyColumns.map { SQL.column(alias, $0.name) } }

  /// Columns of a temporary table that hold keys, compared as the table's own are.
  func keys(_ prefix: String) -> [String] { keyColumns.indices.map { "\(prefix)\($0)" } }

  func keyDefinitions(_ prefix: String) -> [String] {
    keyColumns.indices.map { i in
      "\(prefix)\(i) \(keyColumns[i].affinity) COLLATE \(SQL.name(keyColumns[i].collation))"
    }
  }

  /// The definitions of the key of a temporary table that holds each object once.
  func uniqueKeyDefinitions(_ prefix: String) -> [String] {
    if keyColumns.count == 1, schema.isRowid(keyColumns[0].name) { return ["\(prefix)0 INTEGER PRIMARY KEY"] }
    return keyDefinitions(prefix)
  }

  func uniqueKeyConstraint(_ prefix: String) -> [String] {
    if keyColumns.count == 1, schema.isRowid(keyColumns[0].name) { return [] }
    return ["UNIQUE (\(SQL.list(keys(prefix))))"]
  }

  /// The place in the key of each of some columns; nil where they are not the key's, each once.
  func keyPlaces(of columns: [String]) -> [Int]? {
    let places = columns.compactMap { column in
      keyColumns.firstIndex { $0.name.sqlName == column.sqlName }
    }
    return places.count == columns.count && Set(places).count == keyColumns.count ? places : nil
  }

}

/// The tables of a model in a store, and what refers to what.
struct MoveLayout {
  let model: ObjectModel
  let mapping: SchemaMapping
  let schema: StoreSchema
  /// One for each root entity, in the order of the model.
  let tables: [ObjectTable]
  /// The foreign keys between them.
  let references: [RowReference]
  /// The same for what is rendered by `MOCloneSQL`.
  let store: StoreLayout

  init(model: ObjectModel, mapping: SchemaMapping, schema: StoreSchema) {
    self.model = model
    self.mapping = mapping
    self.schema = schema
    let roots = model.entities.filter { $0.parent == nil }
    tables = roots.enumerated().map { index, root in
      let map = mapping[root.name]
      let table = schema[map.table]!
      return ObjectTable(
        index: index, root: root.name, schema: table,
        keyColumns: map.keyColumns.map { table.column($0) ?? .rowid(named: $0) },
        discriminator: map.discriminator?.column)
    }
    references = RowReference.all(model: model, mapping: mapping)
    store = StoreLayout(model: model, mapping: mapping, schema: schema)
  }

  /// The table that an entity's objects lie in.
  func table(of entity: String) -> ObjectTable {
    let root = model.rootEntity(of: entity)
    return tables.first { $0.root == root }!
  }

  /// What marks the rows of an entity and its sub-entities; nil where the table holds nothing else.
  func kind(of entity: String, _ alias: String) -> String? {
    guard let discriminator = mapping[entity].discriminator, model.rootEntity(of: entity) != entity else {
      return nil
    }
    let values = model.concreteEntities(of: entity).map { SQL.text(mapping[$0].discriminator!.value) }
    return "\(SQL.column(alias, discriminator.column)) IN (\(SQL.list(values)))"
  }

  /// The concrete entity of a row, as the place among those of its table.
  func discriminator(_ table: ObjectTable, _ alias: String) -> String {
    table.discriminator.map { SQL.column(alias, $0) } ?? "NULL"
  }

  /// The concrete entity that a discriminator stands for.
  func entity(_ table: ObjectTable, discriminator: DatabaseValue) -> String {
    guard !discriminator.isNull else { return table.root }
    let text = AttributeValue(raw: discriminator).description
    return model.concreteEntities(of: table.root).first { mapping[$0].discriminator?.value == text }
      ?? table.root
  }
}

extension MoveLayout {
  /// Assignments that set the date of change of rows.
  func touch(_ table: ObjectTable, _ alias: String, _ modified: ModifiedRule) -> [String] {
    store.touch(store.table(of: table.root), alias, modified).map { "\($0) = \($1)" }
  }

  /// An object from the discriminator and the key in a row.
  func id(_ row: Row, from first: Int, in table: ObjectTable) -> ObjectID {
    let key = KeyCoding(entity: mapping[table.root]).decode(row, from: first + 1)
    return ObjectID(entity(table, discriminator: row[first]), key: key)
  }
}

extension RowAccess {
  /// The tables of the model in this store.
  ///
  /// - Throws: `CloneError` (`store-mismatch`) with everything that is missing.
  func moveLayout() throws -> MoveLayout {
    let layout = try storeLayout()
    return MoveLayout(model: layout.model, mapping: layout.mapping, schema: layout.schema)
  }
}
