import MOCloneModel

extension RandomModel {
  /// The model, in which triggers keep some of the attributes that may be empty and need not be unique.
  static func leavingSomeToTriggers(_ model: ObjectModel, seed: UInt64) throws -> ObjectModel {
    var random = SplitMix64(seed: seed ^ 0x7216_6E25)
    guard random.chance(30) else { return model }
    let unique = Set(model.entities.flatMap { $0.uniquenessConstraints.joined() })
    var entities = model.entities
    for i in entities.indices {
      for j in entities[i].attributes.indices where random.chance(40) {
        let attribute = entities[i].attributes[j]
        let mayBeEmpty = attribute.isOptional || attribute.defaultValue != nil
        guard mayBeEmpty, attribute.column == nil, !attribute.isTransient, !unique.contains(attribute.name)
        else { continue }
        entities[i].attributes[j].derivation = .trigger
      }
    }
    return try ObjectModel(
      name: model.name, userInfoKeys: model.userInfoKeys, store: model.store, entities: entities)
  }
}
