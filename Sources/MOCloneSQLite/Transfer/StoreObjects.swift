import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension Row {
  /// The key of an object from some column on.
  func key(of table: TablePlan, from first: Int = 0) -> ObjectKey {
    KeyCoding(entity: table.map).decode(self, from: first)
  }

  /// What a column holds, as text; nil for null.
  func text(at place: Int) -> String? {
    let value: DatabaseValue = self[place]
    return value.isNull ? nil : AttributeValue(raw: value).description
  }
}

extension TablePlan {
  /// The concrete entity that the mark in a column of a row stands for.
  func entity(_ row: Row, at place: Int = 0) -> String { entity(marked: row.text(at: place)) }
}

extension StoreLayout {
  /// An object from the mark and the key in a row.
  func id(_ row: Row, from first: Int, in table: TablePlan) -> ObjectID {
    ObjectID(table.entity(row, at: first), key: row.key(of: table, from: first + 1))
  }
}

extension RowAccess {
  /// The tables of the model in this store.
  ///
  /// - Parameter entities: those whose tables must be there; every one where nil.
  /// - Throws: `CloneError` (`store-mismatch`) with everything that is missing.
  func storeLayout(of entities: [String]? = nil) throws -> StoreLayout {
    let all = model.entities.map(\.name)
    let schema = try SchemaReader(db: db, mapping: mapping).schema(
      of: StoreCheck.tables(of: all, model, mapping))
    try StoreCheck(model: model, mapping: mapping, schema: schema, entities: entities ?? all).check()
    return StoreLayout(model: model, mapping: mapping, schema: schema)
  }
}

extension StatementRunner {
  /// - Returns: how many rows the last one changed.
  @discardableResult
  func execute(_ statements: [String], scanning entity: String? = nil) throws -> Int {
    try statements.reduce(0) { try execute($1, scanning: entity) }
  }

  /// How many objects of each entity a query counts: marks, and numbers beside them.
  func counts(_ query: Select, of table: TablePlan) throws -> [String: Int] {
    let counted = try rows(query).filter { $0[1] as Int > 0 }
    return Dictionary(
      counted.map { (table.entity($0), $0[1] as Int) }, uniquingKeysWith: +)
  }
}
