import GRDB
import MOCloneEngine

extension SQLiteGraph {
  /// Runs an operation that moves data under a watch: in a transaction of its own, or in a savepoint of the caller's.
  ///
  /// A dry run is the same operation, rolled back, so that it meets whatever the run would meet. Where the store cannot
  /// be written it works on a copy.
  ///
  /// - Parameters:
  ///   - source: another store, attached for the time of the operation.
  ///   - find: finds something in it before, in the same state; nil where nothing is.
  func moving<T>(
    _ options: TransferOptions, attaching source: CopySource? = nil, find: (() throws -> Void)? = nil,
    body: (RowAccess, RunWatch) throws -> T
  ) throws -> T {
    let watch = RunWatch(options)
    return try onConnection(dryRun: options.isDryRun) { access, isOwn in
      let db = access.db
      func kept(_ access: RowAccess, watch: RunWatch) throws -> T {
        try keepingCoreData(access) { try body(access, watch) }
      }
      guard isOwn else {
        return try db.savepoint(isKept: !options.isDryRun) { try kept(access, watch: watch) }
      }
      func transaction(check: () throws -> Void) throws -> T {
        var result: T?
        try db.inTransaction(.immediate) {
          try check()
          result = try watch.during(db) { try kept(access, watch: watch) }
          return options.isDryRun ? .rollback : .commit
        }
        return result!
      }
      guard let source else { return try transaction {} }
      return try source.attached(to: db) {
        guard let find else { return try transaction {} }
        return try source.inOneState(db, find: find, transaction)
      }
    }
  }

  /// Runs a body that begins its own transactions, unless one is under way; a dry run works on a copy of a store that
  /// cannot be written.
  func onConnection<T>(dryRun: Bool, _ body: (RowAccess, _ isOwn: Bool) throws -> T) throws -> T {
    try onConnection { access, isOwn in
      guard dryRun, try access.db.isReadOnly else { return try body(access, isOwn) }
      return try dryRunCopy.with(copyOf: access.db) { try body(rows($0), true) }
    }
  }
}

extension Database {
  /// Runs a body in a savepoint, which is rolled back where what it wrote is not kept.
  package func savepoint<T>(isKept: Bool, _ body: () throws -> T) throws -> T {
    guard !isKept else { return try inKeptSavepoint(body) }
    var result: T?
    try inSavepoint {
      result = try body()
      return .rollback
    }
    return result!
  }
}
