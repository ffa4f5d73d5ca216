import GRDB
import MOCloneEngine
import MOCloneModel

// Records of GRDB in place of entities and keys: a record's table names its entity.
extension Cloner {
  /// Clones a record and what belongs to it, in a savepoint of the caller's transaction.
  ///
  /// ```swift
  /// let cloner = Cloner(model: model)
  /// let copy = try dbQueue.write { db in try cloner.clone(project, in: db) }
  /// ```
  ///
  /// - Returns: the copy, as the store holds it.
  /// - Throws: `CloneError` with everything that was found, `invalid-value` where several copies are asked for, and what the
  ///   record throws that cannot be read from its row; the transaction is then as it was.
  @discardableResult
  public func clone<Record: FetchableRecord & TableRecord & EncodableRecord>(
    _ record: Record, in db: Database, request: CloneRequest = CloneRequest()
  ) throws -> Record {
    let count = request.count == 1 ? plan?.request.count ?? 1 : request.count
    guard count == 1 else {
      throw CloneError(
        .invalidValue,
        "clone(_:in:) of a record returns one copy, but \(count) are asked for",
        help: "give the key to clone(_:as:in:), which returns all of them")
    }
    return try clone(Record.self, in: db, request: request) { [try $0.key(of: record)] }[0]
  }

  /// Clones the records with the keys given, all or none.
  ///
  /// ```swift
  /// let copies = try cloner.clone([1, 2, 3], as: Project.self, in: db)
  /// ```
  ///
  /// - Returns: for each key its copies one after another.
  /// - Throws: `CloneError` with everything that was found.
  @discardableResult
  public func clone<Record: FetchableRecord & TableRecord>(
    _ keys: [some AttributeValueConvertible], as type: Record.Type, in db: Database,
    request: CloneRequest = CloneRequest()
  ) throws -> [Record] {
    try clone(type, in: db, request: request) { _ in keys.map { ObjectKey($0) } }
  }

  /// Clones a record in a transaction of its own; a cancelled task leaves nothing.
  ///
  /// - Throws: `CloneError` with everything that was found, `CancellationError`.
  @discardableResult
  public func clone<Record: FetchableRecord & TableRecord & EncodableRecord & Sendable>(
    _ record: Record, in writer: any DatabaseWriter, request: CloneRequest = CloneRequest()
  ) async throws -> Record {
    try await writer.translatingWrite { try clone(record, in: $0, request: request) }
  }

  /// Clones the records with the keys given in a transaction of its own; a cancelled task leaves nothing.
  ///
  /// - Throws: `CloneError` with everything that was found, `CancellationError`.
  @discardableResult
  public func clone<Record: FetchableRecord & TableRecord & Sendable>(
    _ keys: [some AttributeValueConvertible & Sendable], as type: Record.Type, in writer: any DatabaseWriter,
    request: CloneRequest = CloneRequest()
  ) async throws -> [Record] {
    try await writer.translatingWrite { try clone(keys, as: type, in: $0, request: request) }
  }

  private func clone<Record: FetchableRecord & TableRecord>(
    _ type: Record.Type, in db: Database, request: CloneRequest,
    keys: (RecordEntity) throws -> [ObjectKey]
  ) throws -> [Record] {
    guard let model else {
      throw CloneError(.invalidValue, "the cloner has no model", help: "create it with 'Cloner(model:)'")
    }
    var records: [Record] = []
    // A copy that cannot be read as a record is taken back with the others.
    try db.inSavepoint {
      records = try SQLiteGraph.with(db, model: model) { graph in
        let entity = try RecordEntity(table: type.databaseTableName, in: graph)
        let roots = try clone(entity.name, keys: keys(entity), in: graph, request: request).roots
        return try roots.map { root in
          guard let record = try type.filter(entity.condition(root.key)).fetchOne(db) else {
            throw CloneError.noSuchObject(root.entity, root.key)
          }
          return record
        }
      }
      return .commit
    }
    return records
  }
}

/// The entity whose objects a table's records are.
private struct RecordEntity {
  let name: String
  private let mapping: EntityMapping

  init(table: String, in graph: SQLiteGraph) throws {
    let found = graph.model.entities.first {
      $0.parent == nil && graph.mapping[$0.name].table.sqlName == table.sqlName
    }
    guard let found else {
      throw CloneError(.unknownEntity, "the model has no entity with the table '\(table)'")
    }
    name = found.name
    mapping = graph.mapping[found.name]
  }

  func key(of record: some EncodableRecord) throws -> ObjectKey {
    let values = try record.databaseDictionary
    let stored = try mapping.keyColumns.map { column -> StoredValue in
      let value = values.first { $0.key.sqlName == column.sqlName }?.value
      guard let value, !value.isNull else {
        throw CloneError(
          .noSuchObject, "the record has no value in its key column '\(column)'", help: "insert it first",
          entity: name)
      }
      return value.stored
    }
    return KeyCoding(entity: mapping).decode(stored, from: 0)
  }

  /// By the columns themselves: a key that only the model declares has no unique index.
  func condition(_ key: ObjectKey) -> SQLExpression {
    zip(mapping.keyColumns, KeyCoding(entity: mapping).encode(key)).map { Column($0) == $1.databaseValue }
      .joined(
        operator: .and)
  }
}
