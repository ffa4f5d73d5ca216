import MOCloneSQL

/// Tables that a transaction has to itself, as far as other sessions would alter them, before it sees a state of the database.
///
/// What a migration rewrites is empty in every state that is older than it, also for a transaction that has waited for the
/// migration to end.
///
/// Source: PostgreSQL documentation, "Caveats" of the chapter on concurrency control.
package struct HeldTables {
  var names: [String]
  var mode: Mode

  /// What the transaction does with the tables, as the server names the lock.
  enum Mode: String {
    case reads = "ACCESS SHARE"
    /// Nobody makes triggers for them meanwhile, either.
    case writes = "ROW EXCLUSIVE"
  }

  func lock(_ names: ArraySlice<String>, in mode: Mode) -> String {
    "LOCK TABLE \(names.map(Dialect.postgres.table).list) IN \(mode.rawValue) MODE"
  }
}

extension PostgresConnection {
  /// Locks tables, in their order; what is not there or not for the role is left to the statements that need it.
  func hold(_ tables: HeldTables) throws {
    let names = tables.names[...]
    guard !names.isEmpty, try !locks(tables.lock(names, in: tables.mode)) else { return }
    for name in names.indices.map({ names[$0...$0] }) {
      if try !locks(tables.lock(name, in: tables.mode)), tables.mode == .writes {
        _ = try locks(tables.lock(name, in: .reads))
      }
    }
  }

  private func locks(_ statement: String) throws -> Bool {
    do {
      // Others may hold the tables for long, so a cancelled task does not wait.
      try run("SAVEPOINT moclone_lock; \(statement); RELEASE moclone_lock")
      return true
    } catch let error as PostgresError where error.isOfNames {
      try control("ROLLBACK TO moclone_lock; RELEASE moclone_lock")
      return false
    }
  }
}
