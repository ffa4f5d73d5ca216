import MOCloneEngine
import MOCloneModel

extension [StoredValue] {
  /// The key of an object from some column on.
  func key(of table: TablePlan, from first: Int = 0) -> ObjectKey {
    KeyCoding(entity: table.map).decode(self, from: first)
  }

  /// What a column holds, as text; nil for null.
  func text(at place: Int) -> String? {
    self[place].isNull ? nil : AttributeValue(raw: self[place]).description
  }
}

extension TablePlan {
  /// The concrete entity that the mark in a column of a row stands for.
  func entity(_ row: [StoredValue], at place: Int = 0) -> String { entity(marked: row.text(at: place)) }
}

extension StoreLayout {
  /// An object from the mark and the key in a row.
  func id(_ row: [StoredValue], from first: Int, in table: TablePlan) -> ObjectID {
    ObjectID(table.entity(row, at: first), key: row.key(of: table, from: first + 1))
  }
}

extension RowAccess {
  /// The tables of the model in this store.
  ///
  /// - Parameters:
  ///   - entities: those whose tables must be there; every one where nil.
  ///   - dialect: how its SQL is spelled; the connection's where nil.
  /// - Throws: `CloneError` (`store-mismatch`) with everything that is missing.
  package func storeLayout(of entities: [String]? = nil, in dialect: Dialect? = nil) throws -> StoreLayout {
    let all = model.entities.map(\.name)
    let schema = try db.schema(of: StoreCheck.tables(of: all, model, mapping: mapping).sorted(), mapping)
    try StoreCheck(model: model, mapping: mapping, schema: schema, entities: entities ?? all).check()
    return StoreLayout(model: model, mapping: mapping, schema: schema.with(dialect ?? db.dialect))
  }
}

extension RowAccess where Connection: TransferConnection {
  package var metadata: MetadataTable { MetadataTable(db: db) }
}
