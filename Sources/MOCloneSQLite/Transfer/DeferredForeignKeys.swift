import GRDB
import MOCloneEngine
import MOCloneSQL

extension Database {
  /// Runs statements between which references may dangle, and leaves the connection's settings as they were.
  ///
  /// - Throws: `CloneError` (`constraint-failed`) where one dangles in the end.
  package func deferringForeignKeys<T>(_ body: () throws -> T) throws -> T {
    try whileForeignKeysWait { try refusingDanglingReferences(body) }
  }

  package func whileForeignKeysWait<T>(_ body: () throws -> T) throws -> T {
    let wasDeferred = try Bool.fetchOne(self, sql: "PRAGMA defer_foreign_keys") ?? false
    if !wasDeferred { try execute(sql: "PRAGMA defer_foreign_keys = ON") }
    defer {
      // Turning it off makes SQLite forget what is pending, so it is put back only where nothing is.
      if !wasDeferred && !PendingReferences.arePending(in: self) {
        try? execute(sql: "PRAGMA defer_foreign_keys = OFF")
      }
    }
    return try body()
  }

  /// Runs statements that may leave no dangling reference.
  ///
  /// - Throws: `CloneError` (`constraint-failed`).
  func refusingDanglingReferences<T>(_ body: () throws -> T) throws -> T {
    let wasPending = PendingReferences.arePending(in: self)
    let result = try body()
    if !wasPending { try refuseDanglingReferences(help: nil) }
    return result
  }

  /// - Parameter help: what to do.
  /// - Throws: `CloneError` (`constraint-failed`) where references wait for rows.
  package func refuseDanglingReferences(help: String?) throws {
    guard PendingReferences.arePending(in: self) else { return }
    // Others may have dangled before, and nothing tells these apart.
    let places = try Row.fetchAll(
      self, sql: "SELECT DISTINCT \"table\" AS member, parent FROM pragma_foreign_key_check(NULL, 'main')"
    ).map { "a row of '\($0["member"] as String)' references a missing '\($0["parent"] as String)'" }
    throw CloneError(
      .constraintFailed,
      "a reference would dangle" + (places.isEmpty ? "" : ": " + places.joined(separator: ", or ")),
      help: help)
  }
}
