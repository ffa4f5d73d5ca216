import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneSQL

/// The deferred foreign keys of a transaction that still wait for their rows.
struct PendingReferences {
  let db: Database
  let program: SQLProgram

  /// A row with a dangling reference; tables without row numbers have none.
  struct Violation: Hashable {
    var table: String
    var row: Int64?
    var parent: String
    var key: Int
  }

  /// Whether any waits; SQLite tells that much without reading a row.
  var isPending: Bool { Self.arePending(in: db) }

  static func arePending(in db: Database) -> Bool {
    var current: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return current != 0
  }

  /// The dangling references of the tables that the program writes, and how many: reads all their rows.
  func violations() throws -> [Violation: Int] {
    let tables = Set(program.layout.tablePlans.map(\.table.name) + program.joins.map(\.table.name))
    let found = try tables.flatMap { table in
      try Row.fetchAll(db, sql: "SELECT * FROM pragma_foreign_key_check(?, 'main')", arguments: [table]).map {
        Violation(table: table, row: $0["rowid"], parent: $0["parent"], key: $0["fkid"])
      }
    }
    return Dictionary(found.map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// Refuses a clone that holds a reference without a row.
  ///
  /// - Parameter before: what dangled before the clone, where something of the caller's was pending; only then
  ///   rows must be compared, since SQLite does not tell whose references wait.
  func check(since before: [Violation: Int]?) throws {
    guard isPending else { return }
    let new = try violations().filter { $0.value > before?[$0.key] ?? 0 }.keys
    guard before == nil || !new.isEmpty else { return }
    throw dangling(new.min { ($0.table, $0.row ?? 0) < ($1.table, $1.row ?? 0) })
  }

  private func dangling(_ violation: Violation?) -> CloneError {
    let entity = program.layout.tablePlans.first { $0.table.name == violation?.table }?.name
    let place = violation.map { found in
      let holder = entity.map { "a row of \($0)" } ?? "a row of '\(found.table)'"
      return ": \(holder) references a missing '\(found.parent)'"
    }
    return CloneError(
      .constraintFailed, "the clone would have a dangling reference\(place ?? "")", entity: entity)
  }
}
