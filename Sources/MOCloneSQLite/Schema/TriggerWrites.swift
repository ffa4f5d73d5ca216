import GRDB
import GRDBSQLite
import MOCloneSQL

/// Asks SQLite what the triggers of a store write.
///
/// Only the authorizer tells that, and GRDB has that of its connections; so a database in memory is made with the same
/// schema. What a trigger needs besides, such as functions of the app, is replaced by something of that name: nothing is run.
package struct TriggerWrites {
  private let names: [(name: String, kind: String)]
  private let connection: OpaquePointer

  /// All that the triggers of a store write.
  package static func all(in db: Database) throws -> Set<TriggerWrite> {
    let rows = try Row.fetchAll(
      db, sql: "SELECT type, name, sql, rootpage FROM main.sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
    )
    guard rows.contains(where: { $0["type"] == "trigger" }) else { return [] }
    var connection: OpaquePointer?
    guard sqlite3_open(":memory:", &connection) == SQLITE_OK, let connection else {
      sqlite3_close_v2(connection)
      throw DatabaseError(resultCode: .SQLITE_CANTOPEN)
    }
    defer { sqlite3_close_v2(connection) }
    let writes = try TriggerWrites(rows, of: db, connection: connection)
    return writes.found()
  }

  private init(_ rows: [Row], of db: Database, connection: OpaquePointer) throws {
    self.connection = connection
    names = rows.filter { $0["type"] == "table" || $0["type"] == "view" }.map { ($0["name"], $0["type"]) }
    for kind in ["table", "index", "view", "trigger"] {
      for row in rows where row["type"] == kind && !(row["name"] as String).hasPrefix("sqlite_") {
        guard !run(row["sql"]), kind == "table" else { continue }
        // A virtual table of a module or tokenizer that is not there has the same columns as an ordinary one; the tables
        // in which another keeps its rows are there with that one.
        let columns = try String.fetchAll(
          db, sql: "SELECT name FROM pragma_table_xinfo(?, 'main')", arguments: [row["name"] as String])
        let list = columns.map(Dialect.sqlite.name).list
        if !columns.isEmpty { run("CREATE TABLE \(Dialect.sqlite.name(row["name"]))(\(list))") }
      }
    }
  }

  @discardableResult
  private func run(_ sql: String) -> Bool { sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK }

  private func found() -> Set<TriggerWrite> {
    let log = AuthorizerLog()
    sqlite3_set_authorizer(
      connection,
      { log, action, first, second, _, trigger in
        guard let log, let trigger, let first else { return SQLITE_OK }
        Unmanaged<AuthorizerLog>.fromOpaque(log).takeUnretainedValue()
          .note(
            action, table: String(cString: first), column: second.map { String(cString: $0) },
            by: String(cString: trigger))
        return SQLITE_OK
      }, Unmanaged.passUnretained(log).toOpaque())
    for (name, _) in names {
      let table = Dialect.sqlite.table(name)
      log.isInserting = true
      compile("INSERT INTO \(table) DEFAULT VALUES")
      log.isInserting = false
      compile("DELETE FROM \(table)")
      // A trigger of some columns is run by each of them.
      for column in columns(of: name) {
        let column = Dialect.sqlite.name(column)
        compile("UPDATE \(table) SET \(column) = \(column)")
      }
    }
    sqlite3_set_authorizer(connection, nil, nil)
    return withExtendedLifetime(log) { log.writes }
  }

  private func columns(of table: String) -> [String] {
    var statement: OpaquePointer?
    guard
      sqlite3_prepare_v2(
        connection, "SELECT * FROM \(Dialect.sqlite.table(table))", -1, &statement, nil) == SQLITE_OK
    else { return [] }
    defer { sqlite3_finalize(statement) }
    return (0..<sqlite3_column_count(statement)).compactMap {
      sqlite3_column_name(statement, $0).map { String(cString: $0) }
    }
  }

  /// Compiles a statement and the triggers that it runs; functions and collations of the app are made up as they are missed.
  private func compile(_ sql: String) {
    for _ in 0..<Self.mostMissing {
      var statement: OpaquePointer?
      let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
      sqlite3_finalize(statement)
      guard code != SQLITE_OK, replaceMissing(String(cString: sqlite3_errmsg(connection))) else { return }
    }
  }

  private static let mostMissing = 100

  private func replaceMissing(_ message: String) -> Bool {
    func name(after text: String) -> String? {
      message.hasPrefix(text) ? String(message.dropFirst(text.count)) : nil
    }
    if let function = name(after: "no such function: ") {
      return sqlite3_create_function_v2(
        connection, function, -1, SQLITE_UTF8, nil, { _, _, _ in }, nil, nil, nil) == SQLITE_OK
    }
    if let collation = name(after: "no such collation sequence: ") {
      return sqlite3_create_collation_v2(
        connection, collation, SQLITE_UTF8, nil, { _, _, _, _, _ in 0 }, nil) == SQLITE_OK
    }
    return false
  }
}

/// What the authorizer was told.
private final class AuthorizerLog {
  private(set) var writes: Set<TriggerWrite> = []
  var isInserting = false

  func note(_ action: Int32, table: String, column: String?, by trigger: String) {
    let kind: TriggerWrite.Kind
    switch action {
    case SQLITE_INSERT: kind = .insert
    case SQLITE_DELETE: kind = .delete
    case SQLITE_UPDATE: kind = .update(column: (column ?? "").sqlName)
    default: return
    }
    writes.insert(
      TriggerWrite(trigger: trigger.sqlName, table: table.sqlName, kind: kind, isByInsert: isInserting))
  }
}
