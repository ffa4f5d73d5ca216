import MOCloneEngine
import MOCloneModel

/// The tables that rows come from: those of an attached store, or temporary ones like those of the target, which take the
/// objects of a graph of another kind, so that every further step is the same for both.
package struct SourceTables: Sendable {
  package let schema: StoreSchema
  private let dialect: Dialect
  /// By the name of the table whose rows they take; empty where the store is attached.
  private var staged: [String: TemporaryTable] = [:]
  private var indexes: [String] = []
  /// The source's own tables, where columns that the model does not name are staged as well.
  private var shared: StoreLayout?
  private var isOwn = false
  /// The store's tables that take the rows themselves, by their names.
  package private(set) var inPlace: Set<String> = []

  /// The tables of an attached store.
  package init(attached schema: StoreSchema) {
    self.schema = schema
    dialect = schema.dialect
  }

  /// The tables of a store on its own connection.
  package init(own store: StoreLayout) {
    self.init(attached: store.schema)
    isOwn = true
  }

  /// Temporary tables with the columns that the model knows. They hold every value as the model's types have it, whatever
  /// the store's columns make of it, and keep nothing but keys apart.
  ///
  /// - Parameters:
  ///   - inPlace: the tables of the store itself whose rows need no other place.
  ///   - source: the tables that rows come from, where their other columns are staged as well, as they stand.
  package init(staging store: StoreLayout, inPlace: Set<String> = [], sharing source: StoreLayout? = nil) {
    self.inPlace = inPlace
    shared = source
    let objects = store.tables.map { Self.staged($0, store, source) }
    let joinRows = store.joins.enumerated().map { Self.staged($1, number: $0, store, source) }
    dialect = store.dialect
    schema = StoreSchema((objects + joinRows).map(\.schema), others: [:], dialect: dialect)
    for (table, schema) in objects + joinRows where !inPlace.contains(schema.name.sqlName) {
      staged[schema.name.sqlName] = table
      indexes += schema.indexes.filter { !$0.isUnique }.map { index in
        let columns = index.columns.compactMap(\.name)
        return table.index(columns.map(store.dialect.name), named: columns.joined())
      }
    }
  }

  /// The same for other tables of the store itself.
  func staging(_ store: StoreLayout, inPlace: Set<String>) -> SourceTables {
    SourceTables(staging: store, inPlace: inPlace, sharing: shared)
  }

  private static func staged(
    _ table: TablePlan, _ store: StoreLayout, _ source: StoreLayout?
  ) -> (TemporaryTable, schema: TableSchema) {
    let dialect = store.dialect
    let known = MappedColumns(table: table.schema, mapping: store.mapping)
    let attributes = table.entities.flatMap { store.mapping[$0].attributes.values }
    var key = table.keyColumns
    // Whether the store has room for them is asked once it is known which rows are new.
    if dialect.hasTypes { for part in key.indices { key[part].type = key[part].openType } }
    let columns =
      key
      + table.schema.columns.filter { known.contains($0.name) && !table.isInKey([$0.name]) }.map { column in
        var column = column
        let attribute = attributes.first { $0.column.sqlName == column.name.sqlName }
        if dialect.hasTypes {
          column = column.staged(for: attribute)
          column.type = column.openType
        } else if let type = attribute?.storedType {
          // A column of real numbers would make 0.0 of -0.0.
          column.type = type == "REAL" ? "" : type
        }
        return column
      } + unmapped(table.schema, store, source?.table(of: table.root).schema)
    let keys = table.keyColumns.map(\.name)
    let definitions =
      table.keys.isNumber
      ? ["\(dialect.name(keys[0])) \(dialect.numberKey)"] + definitions(columns.dropFirst(), dialect: dialect)
      : definitions(columns, dialect: dialect) + ["PRIMARY KEY (\(keys.map(dialect.name).list))"]
    return (
      TemporaryTable(
        "copy_source\(table.index)", columns: definitions, isOrdered: !table.keys.isNumber, dialect: dialect),
      .staged(
        table.schema.name, columns, number: table.keys.isNumber ? keys[0] : nil, key: keys,
        lookups: store.references(to: table).map(\.key.references).filter { table.keys.places(of: $0) == nil }
          .uniqued())
    )
  }

  private static func staged(
    _ join: TableJoin, number: Int, _ store: StoreLayout, _ source: StoreLayout?
  ) -> (TemporaryTable, schema: TableSchema) {
    let known = MappedColumns(table: join.schema, mapping: store.mapping)
    let columns =
      join.schema.columns.filter { known.contains($0.name) }
      + unmapped(join.schema, store, source?.joins[number].schema)
    return (
      TemporaryTable(
        "copy_source_pairs\(number)", columns: definitions(columns, dialect: store.dialect),
        dialect: store.dialect),
      .staged(join.schema.name, columns, lookups: join.ends.map(\.mapping.columns))
    )
  }

  /// Columns for what only both stores know, of types that keep it as it is.
  private static func unmapped(
    _ table: TableSchema, _ store: StoreLayout, _ source: TableSchema?
  ) -> [ColumnSchema] {
    guard let source else { return [] }
    let shared = SharedColumns(source, target: table, in: store.model, mapping: store.mapping)
    return (shared.names + shared.references).map { name in
      var column = table.column(name)!
      if !store.dialect.hasTypes, source.column(name)?.affinity != column.affinity { column.type = "" }
      return column
    }
  }

  private static func definitions(_ columns: some Sequence<ColumnSchema>, dialect: Dialect) -> [String] {
    columns.map { dialect.definition(dialect.name($0.name), as: $0) }
  }

  /// A table in a statement.
  package func sql(_ table: String) -> String {
    staged[table.sqlName]?.sql
      ?? (isOwn || inPlace.contains(table.sqlName) ? dialect.table(table) : dialect.source(table))
  }

  /// The statements that make temporary tables, and empty them.
  package var setUp: [String] { staged.values.flatMap(\.setUp) + indexes }
}

extension TableSchema {
  /// - Parameters:
  ///   - number: the column that is the row's number.
  ///   - key: the columns that keep rows apart.
  ///   - lookups: columns that rows are looked up by.
  fileprivate static func staged(
    _ name: String, _ columns: [ColumnSchema], number: String? = nil, key: [String] = [],
    lookups: [[String]] = []
  ) -> TableSchema {
    let hasIndex = number == nil && !key.isEmpty
    return TableSchema(
      name: name, columns: columns.map(\.unconstrained), rowidColumn: number, isAutoincrement: false,
      isWithoutRowid: hasIndex, isStrict: false, foreignKeys: [],
      indexes: (hasIndex ? [IndexSchema(key, isUnique: true)] : [])
        + lookups.map { IndexSchema($0, isUnique: false) },
      triggers: [], leavesConflictsToTriggers: false)
  }
}

extension IndexSchema {
  fileprivate init(_ columns: [String], isUnique: Bool) {
    self.init(
      name: columns.joined(), isUnique: isUnique, isPrimaryKey: isUnique,
      columns: columns.map { IndexedColumn(name: $0, text: $0, collation: "") })
  }
}

extension ColumnSchema {
  /// The same column where it takes nulls and is written as any other one.
  fileprivate var unconstrained: ColumnSchema {
    ColumnSchema(name: name, type: type, collation: collation, isRequired: false, isGenerated: false)
  }
}
