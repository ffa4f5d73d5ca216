import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneSQL

/// Another database beside the one that is written, attached read only for the time of a closure.
struct CopySource {
  static let schema = "moclone_source"

  let path: String
  /// How the source's own connection was opened.
  let configuration: Configuration
  /// Whether that connection takes it for a file that never changes.
  var isImmutable = false

  /// A connection of its own: the source's could be waiting for the one that this source is attached to.
  ///
  /// - Throws: `CloneError`, such as `store-busy` where the source's connection lets no other one read.
  func opened() throws -> DatabaseQueue {
    try StoreFile(path).naming {
      try DatabaseQueue(path: configuration.readonly ? uri : path, configuration: configuration)
    }
  }

  func attached<Result>(to db: Database, _ body: () throws -> Result) throws -> Result {
    try db.execute(sql: "ATTACH DATABASE ? AS \(Self.schema)", arguments: [uri])
    defer { try? db.execute(sql: "DETACH DATABASE \(Self.schema)") }
    try db.execute(sql: "PRAGMA \(Self.schema).cache_size = -8000")
    return try body()
  }

  /// Finds something in the store by another connection, and then runs a body that reads it as attached; both again where
  /// the store was changed in between.
  ///
  /// - Parameter body: it is given the check to make once it has begun to read. No other connection may begin to read then:
  ///   a program that waits to write would be waited for.
  /// - Throws: `Restless` where the store has changed each time.
  func inOneState<Result>(
    _ db: Database, find: () throws -> Void, _ body: (_ check: () throws -> Void) throws -> Result
  ) throws -> Result {
    // The number tells what other connections have committed.
    func state() throws -> Int64? { try Int64.fetchOne(db, sql: "PRAGMA \(Self.schema).data_version") }
    for _ in 0..<5 {
      let before = try state()
      try find()
      do {
        return try body { if try state() != before { throw StateChanged() } }
      } catch is StateChanged {}
    }
    throw Restless()
  }

  /// Another process writes to the store all the time.
  struct Restless: Error {}

  private struct StateChanged: Error {}

  private var uri: String { StoreFile(path).uri + (isImmutable ? "?immutable=1" : "?mode=ro") }
}

extension Database {
  /// Whether the file was opened as one that never changes, for which SQLite keeps no locks.
  var isImmutable: Bool {
    sqlite3_uri_boolean(sqlite3_db_filename(sqliteConnection, "main"), "immutable", 0) != 0
  }
}
