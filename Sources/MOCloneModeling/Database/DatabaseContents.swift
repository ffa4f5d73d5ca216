import GRDB
import MOCloneModel
import MOCloneSQL
import MOCloneSQLite

/// A table of a database that a model can have, with what some of its rows show.
struct DatabaseTable {
  /// The name as SQL compares names.
  let id: String
  let schema: TableSchema
  /// What the columns' DEFAULT clauses say, as SQL, by the columns' names as SQL compares them.
  let defaults: [String: String]
  let values: [String: ColumnValues]
  /// The columns that tell the rows apart: the primary key, else the row's number.
  let key: [String]
  /// The types of the columns by their names as SQL compares them; one whose rows hold values of several kinds has none.
  private let types: [String: ColumnType]

  init(
    _ schema: TableSchema, defaults: [String: String], values: [String: ColumnValues], key: [String]
  ) {
    id = schema.name.sqlName
    self.schema = schema
    self.defaults = defaults
    self.values = values
    self.key = key
    let types = schema.columns.map { column in
      (column.name.sqlName, TypeChoice(column, values[column.name.sqlName] ?? ColumnValues()).type)
    }
    self.types = Dictionary(types, uniquingKeysWith: { first, _ in first }).compactMapValues { $0 }
  }

  func isInKey(_ column: String) -> Bool { key.contains { $0.sqlName == column.sqlName } }

  /// Whether so many rows have a value somewhere.
  func hasRows(_ count: Int) -> Bool { values.values.contains { $0.sample.count >= count } }

  func values(of column: String) -> ColumnValues { values[column.sqlName] ?? ColumnValues() }

  func type(of column: String) -> ColumnType? { types[column.sqlName] }
}

/// What a database has for a model, in the order in which it was created, and what is left out.
struct DatabaseContents {
  private(set) var tables: [DatabaseTable] = []
  /// Names of what is left out, by what they are.
  private(set) var leftOut: [(kind: String, names: [String])] = []
  /// Every ordinary table.
  let schema: StoreSchema
  private var numbers: [String: Int] = [:]

  init(_ db: Database) throws {
    let listed = try Row.fetchAll(
      db,
      sql: "SELECT l.name, l.type FROM pragma_table_list l LEFT JOIN main.sqlite_schema s "
        + "ON s.name = l.name AND s.type IN ('table', 'view') WHERE l.schema = 'main' "
        + "AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY s.rowid"
    ).map { (name: $0["name"] as String, type: $0["type"] as String) }
    let names = listed.filter { $0.type == "table" }.map(\.name)
    schema = try SchemaReader(db: db).schema(of: names)
    let system = schema.systemTables
    for schema in names.compactMap({ schema[$0] }) where !system.contains(schema.name.sqlName) {
      guard let key = schema.usableKey else { continue }
      numbers[schema.name.sqlName] = tables.count
      tables.append(
        DatabaseTable(
          schema, defaults: try Self.defaults(of: schema.name, db),
          values: TableSurvey(db: db, table: schema).values(), key: key))
    }
    note("views", listed.filter { $0.type == "view" }.map(\.name))
    note("virtual tables", listed.filter { $0.type == "virtual" }.map(\.name))
    note("tables in which virtual tables keep their rows", listed.filter { $0.type == "shadow" }.map(\.name))
    note("tables of frameworks and migrations", names.filter { system.contains($0.sqlName) })
    note(
      "tables without a key", names.filter { numbers[$0.sqlName] == nil && !system.contains($0.sqlName) })
  }

  private mutating func note(_ kind: String, _ names: [String]) {
    if !names.isEmpty { leftOut.append((kind, names)) }
  }

  /// A table by its name, compared as SQL compares names; nil where the model has no place for it.
  subscript(table: String) -> DatabaseTable? { numbers[table.sqlName].map { tables[$0] } }

  private static func defaults(of table: String, _ db: Database) throws -> [String: String] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, dflt_value FROM pragma_table_xinfo(?, 'main') WHERE dflt_value IS NOT NULL",
      arguments: [table])
    return Dictionary(
      rows.map { (($0["name"] as String).sqlName, $0["dflt_value"] as String) }, uniquingKeysWith: { $1 })
  }
}

extension StoreSchema {
  /// The tables of frameworks, but for those that foreign keys tie to other tables.
  fileprivate var systemTables: Set<String> {
    let tables = names.compactMap { self[$0] }
    let named = Set(tables.map(\.name.sqlName).filter(SystemTables.contains))
    let tied = tables.flatMap { table in
      table.foreignKeys.filter { named.contains(table.name.sqlName) != named.contains($0.table.sqlName) }
        .flatMap { [table.name.sqlName, $0.table.sqlName] }
    }
    return named.subtracting(tied)
  }
}

extension TableSchema {
  /// The primary key, else SQLite's number of the row; nil where columns have all the names of that.
  fileprivate var usableKey: [String]? {
    primaryKey.isEmpty ? rowidName.map { [$0] } : primaryKey
  }
}
