import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension RowAccess {
  /// The tables of the model in this store.
  ///
  /// - Parameter entities: those that are needed; every one where nil.
  /// - Throws: `CloneError` (`store-mismatch`) with everything that is missing.
  func storeLayout(of entities: [String]? = nil) throws -> StoreLayout {
    let entities = entities ?? model.entities.map(\.name)
    let schema = try SchemaReader(db: db).schema(of: StoreCheck.tables(of: entities, model, mapping))
    try StoreCheck(model: model, mapping: mapping, schema: schema, entities: entities).check()
    return StoreLayout(model: model, mapping: mapping, schema: schema)
  }
}
