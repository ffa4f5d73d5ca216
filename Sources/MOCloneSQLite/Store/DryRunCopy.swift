import GRDB
import MOCloneEngine
import MOCloneModel

/// What a dry run changes in place of the store: a copy in a temporary file, which has no name and goes with its
/// connection.
///
/// So a dry run meets every constraint, index and trigger that the run itself would meet, whereas the store is only read,
/// by a connection that may be read only, and stays open to others.
final class DryRunCopy: Sendable {
  private let state = Locked<(copy: DatabaseQueue?, isInterrupted: Bool)>((nil, false))

  func with<T>(copyOf db: Database, _ body: (Database) throws -> T) throws -> T {
    var configuration = db.configuration
    configuration.readonly = false
    configuration.journalMode = .default
    let copy = try DatabaseQueue(path: "", configuration: configuration)
    state.withLock { $0 = (copy, false) }
    defer { state.withLock { $0.copy = nil } }
    return try copy.writeWithoutTransaction { target in
      try db.backUp(to: target) { try self.checkInterruption() }
      return try body(target)
    }
  }

  /// Ends what runs on the copy; any thread may call it.
  func interrupt() {
    let copy = state.withLock { state in
      state.isInterrupted = true
      return state.copy
    }
    copy?.interrupt()
  }

  private func checkInterruption() throws {
    try Cancellation.check()
    if state.withLock({ $0.isInterrupted }) { throw CancellationError() }
  }
}

extension Database {
  /// Copies the database in steps, between which it is asked whether the copying is to end.
  func backUp(to target: Database, check: @escaping () throws -> Void) throws {
    try backup(to: target, pagesPerStep: 4096) { _ in try check() }
  }

  /// Whether SQLite refuses to write the store here.
  var isReadOnly: Bool {
    get throws {
      if configuration.readonly { return true }
      return try Bool.fetchOne(self, sql: "PRAGMA query_only") ?? false
    }
  }
}
