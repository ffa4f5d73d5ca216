import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension StoreLayout {
  /// The concrete entity that a row's mark stands for.
  func entity(_ table: TablePlan, marked mark: DatabaseValue) -> String {
    table.entity(marked: mark.isNull ? nil : AttributeValue(raw: mark).description)
  }

  /// An object from the mark and the key in a row.
  func id(_ row: Row, from first: Int, in table: TablePlan) -> ObjectID {
    let key = KeyCoding(entity: table.map).decode(row, from: first + 1)
    return ObjectID(entity(table, marked: row[first]), key: key)
  }
}

extension RowAccess {
  /// The tables of the model in this store.
  ///
  /// - Parameter entities: those whose tables must be there; every one where nil.
  /// - Throws: `CloneError` (`store-mismatch`) with everything that is missing.
  func storeLayout(of entities: [String]? = nil) throws -> StoreLayout {
    let all = model.entities.map(\.name)
    let schema = try SchemaReader(db: db).schema(of: StoreCheck.tables(of: all, model, mapping))
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
  func counts(_ query: String, _ table: TablePlan, _ layout: StoreLayout) throws -> [String: Int] {
    let counted = try rows(query).filter { $0[1] as Int > 0 }
    return Dictionary(
      counted.map { (layout.entity(table, marked: $0[0]), $0[1] as Int) }, uniquingKeysWith: +)
  }
}
