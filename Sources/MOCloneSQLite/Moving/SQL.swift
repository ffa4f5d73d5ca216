import MOCloneModel
import MOCloneSQL

/// Small pieces of SQL text in SQLite's dialect.
enum SQL {
  static func name(_ name: String) -> String { Dialect.sqlite.name(name) }

  static func column(_ alias: String, _ column: String) -> String { Dialect.sqlite.column(alias, column) }

  static func main(_ table: String) -> String { Dialect.sqlite.table(table) }

  static func temp(_ table: String) -> String { Dialect.sqlite.temporary(table) }

  static func text(_ text: String) -> String { Dialect.sqlite.text(text) }

  static func list(_ items: [String]) -> String { items.list }

  static func createIndex(on table: String, _ columns: [String]) -> String {
    Dialect.sqlite.createIndex(on: table, columns)
  }

  /// `a.x = b.y AND ...` for columns in step.
  static func equal(_ a: [String], _ b: [String]) -> String { Condition.equal(a, b).text }
}

extension TableSchema {
  var insertInto: String {
    "\(conflict == .fail ? Dialect.sqlite.insertOrFail : "INSERT INTO") \(SQL.main(name))"
  }

  /// The beginning of a statement that inserts rows, up to their values.
  func insert(_ columns: [String]) -> String { "\(insertInto)(\(SQL.list(columns.map(SQL.name))))" }
}

extension ReferenceHolders {
  /// The same at the end of a condition.
  func conjunct(_ key: ForeignKeyMapping, _ alias: String) -> String {
    let condition = condition(key, alias)
    return condition == .always ? "" : " AND " + condition.text
  }
}
