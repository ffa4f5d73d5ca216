import GRDB
import MOCloneEngine
import MOCloneModel

/// Where clones wait for `save()` or `rollback()`.
///
/// A graph on an app's writer keeps them on a connection of its own, so that the app's stays free: it reads what was
/// saved, and SQLite refuses its writes as busy. A database in memory has one connection only; they wait in a copy of
/// it, which is written back.
final class PendingClones {
  private let transaction: PendingTransaction
  private let connection: any DatabaseWriter
  /// The app's writer; nil where the graph has one of its own.
  private let shared: (any DatabaseWriter)?
  /// The state that a database in memory was copied in; nil for a file.
  private let copied: MemoryState?

  init(on writer: any DatabaseWriter, isShared: Bool) throws {
    if isShared { try writer.checkOutermost() }
    shared = isShared ? writer : nil
    let isInMemory = try isShared && writer.unsafeReentrantRead { try $0.storePath().isEmpty }
    copied = isInMemory ? try writer.unsafeReentrantRead(MemoryState.init) : nil
    if isShared {
      connection = try DatabaseQueue(
        path: isInMemory ? ":memory:" : writer.path, configuration: writer.configuration)
    } else {
      connection = writer
    }
    let copy = connection
    if isInMemory {
      try writer.unsafeReentrantRead { source in
        try copy.writeWithoutTransaction { try source.backup(to: $0) }
      }
    }
    transaction = try PendingTransaction(connection)
    if let shared { Self.writers.withLock { _ = $0.insert(ObjectIdentifier(shared)) } }
  }

  func perform<T>(_ body: (Database) throws -> T) throws -> T {
    try transaction.perform(body)
  }

  /// Whether nothing is pending any more: an end that finds the store busy can be asked for again.
  var isEnded: Bool { transaction.isEnded }

  /// Ends the statement under way.
  var interruption: @Sendable () -> Void { { [connection] in connection.interrupt() } }

  func end(commits: Bool) throws {
    // A graph may be let go of anywhere, so taking back is never refused.
    if commits { try shared?.checkOutermost() }
    defer {
      if let shared, isEnded { Self.writers.withLock { _ = $0.remove(ObjectIdentifier(shared)) } }
    }
    try transaction.end(commits: commits)
    guard let shared else { return }
    defer { try? connection.close() }
    if commits { try hand(over: shared) }
  }

  /// Writes a database in memory back, and tells the app's observers.
  private func hand(over writer: any DatabaseWriter) throws {
    if let copied {
      try connection.read { source in
        try writer.unsafeReentrantWrite { try copied.replace($0, by: source) }
      }
    }
    // The clone is saved: where the store is busy now, observers hear of it with the next change.
    try? writer.unsafeReentrantWrite { db in
      try db.inTransaction(.deferred) {
        try db.notifyChanges(in: .fullDatabase)
        return .commit
      }
    }
  }

  // MARK: Others on the same writer

  private static let writers = Locked<Set<ObjectIdentifier>>([])

  /// Names the pending clone where it is what keeps a writer's connection from writing.
  static func explained(_ error: DatabaseError, on writer: any DatabaseWriter) -> any Error {
    guard error.resultCode == .SQLITE_BUSY, writers.withLock({ $0.contains(ObjectIdentifier(writer)) }) else {
      return StoreErrors.translated(error)
    }
    return CloneError(
      .storeBusy,
      "a clone made with 'saveBeforeReturn: false' is pending in another graph of this database",
      help: "call that graph's 'save()' or 'rollback()' first", underlying: error)
  }
}

/// What changes whenever a connection changes its database: this one's changes, others' (a database in memory can be
/// shared), the schema, and the one number that is an app's own.
private struct MemoryState: Equatable {
  private let changes: Int
  private let pragmas: [Int?]

  init(_ db: Database) throws {
    changes = db.totalChangesCount
    pragmas = try ["data_version", "schema_version", "user_version"].map {
      try Int.fetchOne(db, sql: "PRAGMA \($0)")
    }
  }

  /// Writes a copy back that was made in this state.
  func replace(_ db: Database, by copy: Database) throws {
    guard try MemoryState(db) == self else {
      throw CloneError(
        .storeBusy,
        "the database has changed since the clone was made, so the clone cannot be saved",
        help: "make it again")
    }
    try copy.backup(to: db)
    db.clearSchemaCache()
  }
}
