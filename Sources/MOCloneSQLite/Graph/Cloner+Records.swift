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
  /// - Throws: `CloneError` with everything that was found; the transaction is then as it was.
  @discardableResult
  public func clone<Record: FetchableRecord & TableRecord & EncodableRecord>(
    _ record: Record, in db: Database, request: CloneRequest = CloneRequest()
  ) throws -> Record {
    let entity = try recordEntity(Record.self)
    return try clone(keys: [entity.key(of: record)], of: entity, in: db, request)[0]
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
    try clone(keys: keys.map { ObjectKey($0) }, of: recordEntity(type), in: db, request)
  }

  /// Clones a record in a transaction of its own; a cancelled task leaves nothing.
  ///
  /// - Throws: `CloneError` with everything that was found, `CancellationError`.
  @discardableResult
  public func clone<Record: FetchableRecord & TableRecord & EncodableRecord & Sendable>(
    _ record: Record, in writer: any DatabaseWriter, request: CloneRequest = CloneRequest()
  ) async throws -> Record {
    do {
      return try await writer.write { try clone(record, in: $0, request: request) }
    } catch let error as DatabaseError {
      throw StoreErrors.translated(error)
    }
  }

  private func clone<Record: FetchableRecord & TableRecord>(
    keys: [ObjectKey], of entity: RecordEntity, in db: Database, _ request: CloneRequest
  ) throws -> [Record] {
    guard !keys.isEmpty else { return [] }
    let roots = try SQLiteGraph.with(db, model: entity.model) { graph in
      try clone(entity.name, keys: keys, in: graph, request: request).roots
    }
    return try roots.map { try Record.filter(key: entity.columns(of: $0.key)).fetchOne(db)! }
  }

  private func recordEntity(_ record: any TableRecord.Type) throws -> RecordEntity {
    guard let model else {
      throw CloneError(.invalidValue, "the cloner has no model; make it by 'Cloner(model:)'")
    }
    return try RecordEntity(table: record.databaseTableName, model)
  }
}

/// The entity whose objects a table's records are.
private struct RecordEntity {
  let model: ObjectModel
  let name: String
  private let mapping: EntityMapping

  init(table: String, _ model: ObjectModel) throws {
    let mapping = SchemaMapping(model)
    let found = model.entities.first { $0.parent == nil && mapping[$0.name].table.sqlName == table.sqlName }
    guard let found else {
      throw CloneError(.unknownEntity, "no entity of the model has the table '\(table)'")
    }
    self.model = model
    name = found.name
    self.mapping = mapping[found.name]
  }

  func key(of record: some EncodableRecord) throws -> ObjectKey {
    let values = try record.databaseDictionary
    return ObjectKey(
      try mapping.keyColumns.map { column -> AttributeValue in
        let value = values.first { $0.key.sqlName == column.sqlName }?.value
        guard let value, !value.isNull else {
          throw CloneError(
            .noSuchObject, "the record has no value in its key column '\(column)'; insert it first",
            entity: name)
        }
        return AttributeValue(raw: value)
      })
  }

  func columns(of key: ObjectKey) -> [String: (any DatabaseValueConvertible)?] {
    let values = KeyCoding(entity: mapping).encode(key)
    return Dictionary(uniqueKeysWithValues: zip(mapping.keyColumns, values))
  }
}
