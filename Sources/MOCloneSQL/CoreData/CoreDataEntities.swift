import MOCloneEngine
import MOCloneModel

/// The entities as a Core Data store numbers them, by its table `Z_PRIMARYKEY`.
package struct CoreDataEntities: Sendable, Equatable {
  package struct Entity: Sendable, Equatable {
    package var number: Int
    /// The name at the time the entity was made: a later model may have renamed it.
    package var name: String
    /// The number of the parent; 0 for none.
    package var parent: Int

    package init(number: Int, name: String, parent: Int) {
      self.number = number
      self.name = name
      self.parent = parent
    }
  }

  package var entities: [Entity]

  package init(_ entities: [Entity]) {
    self.entities = entities
  }

  package subscript(number: Int) -> Entity? { entities.first { $0.number == number } }

  /// The entity that a model means, by its name or an older one.
  package func entity(_ entity: EntityDescription) -> Entity? {
    entities.first { $0.name == entity.name } ?? entities.first { $0.name == entity.renamedFrom }
  }

  /// In what the numbers of a model differ, which tell its rows apart.
  package func failures(_ model: ObjectModel, mapping: SchemaMapping) -> [CloneError.Failure] {
    guard let coreData = mapping.coreData else { return [] }
    return model.entities.compactMap { entity in
      let number = coreData.numbers[entity.name] ?? 0
      let parent = entity.parent.flatMap { coreData.numbers[$0] } ?? 0
      let found = self[number]
      let names = [entity.name, entity.renamedFrom].compactMap { $0 }
      if let found, names.contains(found.name), found.parent == parent { return nil }
      return failure(entity, number: number, found: found)
    }
  }

  private func failure(_ entity: EntityDescription, number: Int, found: Entity?) -> CloneError.Failure {
    let other = self.entity(entity).map { $0.number }
    let advice =
      switch other {
      case nil: "use the model that the store was made with"
      case number: "give it the parent that it has in the store"
      case let other?:
        "write 'discriminator: {value: \(other)}' at \(entity.name) if the model is right otherwise"
      }
    let there = found.map { "is '\($0.name)', a sub-entity of number \($0.parent)" } ?? "does not exist"
    return CloneError.Failure(
      .storeMismatch,
      "the model numbers \(entity.name) \(number), but in the store's table 'Z_PRIMARYKEY' the entity \(number) "
        + "\(found?.parent == 0 ? "is '\(found!.name)'" : there)",
      help: advice, entity: entity.name)
  }
}
