import MOCloneModel

extension RandomModel {
  /// The model of a seed in the tables of a Core Data store, where every entity has the same key.
  ///
  /// - Throws: `ModelError` where the model needs keys of its own.
  public static func inCoreData(seed: UInt64) throws -> ObjectModel {
    let model = try make(seed: seed)
    var entities = model.entities
    for i in entities.indices {
      entities[i].primaryKey = []
      entities[i].table = nil
      entities[i].discriminator = nil
      for j in entities[i].attributes.indices { entities[i].attributes[j].column = nil }
      for j in entities[i].relationships.indices {
        entities[i].relationships[j].columns = []
        entities[i].relationships[j].orderColumn = nil
        entities[i].relationships[j].joinTable = nil
      }
    }
    return try ObjectModel(name: model.name, store: StoreOptions(naming: .coreData), entities: entities)
  }
}
