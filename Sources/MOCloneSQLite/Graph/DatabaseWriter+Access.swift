import GRDB
import MOCloneEngine

/// A graph's access to a writer. GRDB ends the program where such an access lies in a closure of the same writer; here
/// it is an error.
extension DatabaseWriter {
  func checkOutermost() throws {
    try unsafeReentrantWrite { try $0.checkOutermost() }
  }

  func reading<T>(_ body: (Database) throws -> T) throws -> T {
    try unsafeReentrantRead { db in
      try db.checkOutermost()
      return try db.readOnly { try db.returning(.deferred, body: body) }
    }
  }

  /// Reads with temporary tables; other connections may write meanwhile, as far as the journal of the store allows it.
  func looking<T>(_ body: (Database) throws -> T) throws -> T {
    try outermost { try $0.returning(.deferred, body: body) }
  }

  func writing<T>(_ body: (Database) throws -> T) throws -> T {
    try outermost { try $0.returning(nil, body: body) }
  }

  /// Without a transaction.
  func outermost<T>(_ body: (Database) throws -> T) throws -> T {
    try unsafeReentrantWrite { db in
      try db.checkOutermost()
      return try body(db)
    }
  }
}

extension Database {
  /// Runs a closure that makes temporary tables, which SQLite refuses where GRDB's queue only reads (`query_only`).
  func makingTemporaryTables<T>(_ body: () throws -> T) throws -> T {
    guard try Bool.fetchOne(self, sql: "PRAGMA query_only") == true else { return try body() }
    try execute(sql: "PRAGMA query_only = 0")
    defer { try? execute(sql: "PRAGMA query_only = 1") }
    return try body()
  }

  fileprivate func checkOutermost() throws {
    guard isInsideTransaction else { return }
    throw CloneError(
      .invalidValue,
      "a graph was used inside a closure of its own writer",
      help: "use 'SQLiteGraph.with(db, model: model)' or 'cloner.clone(..., in: db)' there")
  }

  fileprivate func returning<T>(_ kind: TransactionKind?, body: (Database) throws -> T) throws -> T {
    var result: T?
    try inTransaction(kind) {
      result = try body(self)
      return .commit
    }
    return result!
  }
}
