import GRDB
import GRDBSQLite
import MOCloneEngine

extension Database {
  /// Runs statements between which references may lead nowhere, and leaves the connection's settings as they were.
  ///
  /// - Throws: `CloneError` (`constraint-failed`) where one leads nowhere in the end.
  func deferringForeignKeys<T>(_ body: () throws -> T) throws -> T {
    let wasDeferred = try Bool.fetchOne(self, sql: "PRAGMA defer_foreign_keys") ?? false
    let wasPending = hasPendingReferences
    if !wasDeferred { try execute(sql: "PRAGMA defer_foreign_keys = ON") }
    defer {
      // Turning it off makes SQLite forget what is pending, so it is put back only where nothing is.
      if !wasDeferred && !hasPendingReferences { try? execute(sql: "PRAGMA defer_foreign_keys = OFF") }
    }
    let result = try body()
    if !wasPending && hasPendingReferences { throw try danglingReference() }
    return result
  }

  /// Whether a reference waits for its row; SQLite tells that much without reading a row.
  private var hasPendingReferences: Bool {
    var current: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return current != 0
  }

  private func danglingReference() throws -> CloneError {
    let row = try Row.fetchOne(
      self, sql: "SELECT \"table\" AS member, parent FROM pragma_foreign_key_check(NULL, 'main') LIMIT 1")
    let place = row.map {
      ": a row of '\($0["member"] as String)' refers to a row of '\($0["parent"] as String)' that would be gone"
    }
    return CloneError(.constraintFailed, "a reference would lead nowhere" + (place ?? ""))
  }
}
