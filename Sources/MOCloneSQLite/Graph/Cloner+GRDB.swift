import GRDB
import MOCloneEngine
import MOCloneModel

extension Cloner {
  /// Clones an object inside the caller's transaction, in a savepoint: a failed clone leaves the transaction as it was.
  ///
  /// It never commits, and leaves every setting of the connection as it was. A failed clone ends cursors that the
  /// caller has open on the connection.
  ///
  /// - Throws: `CloneError` with everything that was found.
  @discardableResult
  public func clone(
    _ entity: String, key: ObjectKey, in db: Database, model: ObjectModel,
    request: CloneRequest = CloneRequest()
  ) throws -> CloneResult {
    try SQLiteGraph.with(db, model: model) { graph in
      try clone(entity, keys: [key], in: graph, request: request)
    }
  }

  /// Clones an object in a transaction of its own; a cancelled task leaves nothing.
  ///
  /// - Throws: `CloneError` with everything that was found, `CancellationError`.
  @discardableResult
  public func clone(
    _ entity: String, key: ObjectKey, in writer: any DatabaseWriter, model: ObjectModel,
    request: CloneRequest = CloneRequest()
  ) async throws -> CloneResult {
    try await writer.translatingWrite { try clone(entity, key: key, in: $0, model: model, request: request) }
  }
}

extension DatabaseWriter {
  /// Writes in a transaction of its own; a failure of the database says what to do.
  func translatingWrite<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    do { return try await write(body) } catch let error as DatabaseError {
      throw StoreErrors.translated(error)
    }
  }
}
