/// Parts of composite keys that come from nowhere.
extension ModelChecks {
  /// A part that is neither generated nor a property's column is copied. That may be meant, as of a tenant that the model leaves
  /// out; where a property has almost that column it is misspelt.
  func keyColumnsBelongToProperties() -> [Diagnostic] {
    compositeKeys.flatMap { entity -> [Diagnostic] in
      // Where a relationship does not resolve its columns are not known.
      guard !unclearEntities.contains(entity.name) else { return [] }
      let columns = propertyColumns(of: entity.name)
      let known = Set(columns.map(\.sqlName))
      let taken = Set(entity.primaryKey.map(\.column.sqlName))
      let others = columns.filter { !taken.contains($0.sqlName) }
      // A reference or a value that may be empty makes no good key.
      let proposed = requiredColumns(of: entity.name).filter { !taken.contains($0.sqlName) }
      return entity.primaryKey.filter { $0.generate == nil && !known.contains($0.column.sqlName) }.compactMap
      { part in
        let meant = suggestions.nearest(to: part.column, in: proposed)
        return (meant ?? suggestions.nearest(to: part.column, in: others)).map {
          .unknownKeyColumn(
            part.column, of: entity.name, meant: meant, similar: property(ofColumn: $0, in: entity.name))
        }
      }
    }
  }

  /// A key has a value in each of its parts.
  func keyAttributesAreStored() -> [Diagnostic] {
    compositeKeys.flatMap { entity in
      sound.attributes(of: entity.name).compactMap { attribute -> Diagnostic? in
        let column = (attribute.column ?? model.store.naming.column(attribute.name)).sqlName
        guard attribute.isOptional || attribute.isTransient,
          let part = entity.primaryKey.first(where: { $0.column.sqlName == column })
        else { return nil }
        return .emptyKeyPart(part.column, of: entity.name, attribute: attribute)
      }
    }
  }

  /// Whether no part of a composite key is a property's column, of the entity or of those below it, and nobody said what becomes of
  /// any part: then nothing can give a clone another key.
  func isKeyForeign(to entity: EntityDescription) -> Bool {
    let key = entity.primaryKey
    let columns = Set(key.map(\.column.sqlName))
    guard key.count > 1, columns.count == key.count, key.allSatisfy({ $0.generate == nil }) else {
      return false
    }
    let below = entities.filter { sound.rootEntity(of: $0.name) == entity.name }
    let known = Set(below.flatMap { propertyColumns(of: $0.name) }.map(\.sqlName))
    return known.isDisjoint(with: columns)
  }

  /// The key of a Core Data store is a number that no property holds.
  private var compositeKeys: [EntityDescription] {
    guard model.store.naming != .coreData else { return [] }
    return entities.filter { $0.primaryKey.count > 1 && isComplete($0.name) }
  }

  /// The columns of attributes and relationships in the table of an entity.
  private func propertyColumns(of entity: String) -> [String] {
    let home = mapping[entity]
    return home.attributes.values.map(\.column).sorted() + home.foreignKeys.flatMap(\.key.columns)
      + [home.discriminator?.column].compactMap { $0 }
      + hiddenForeignKeys().filter { $0.entity == entity }.map(\.column)
  }

  /// The columns of attributes that always have a value.
  private func requiredColumns(of entity: String) -> [String] {
    sound.attributes(of: entity).filter { !$0.isOptional }
      .compactMap { mapping[entity].attributes[$0.name]?.column }.sorted()
  }

  /// The attribute or relationship that a column belongs to.
  private func property(ofColumn column: String, in entity: String) -> ModelPath? {
    let home = mapping[entity]
    if let attribute = sound.attributes(of: entity).first(where: {
      home.attributes[$0.name]?.column.sqlName == column.sqlName
    }) {
      return .attribute(attribute)
    }
    let key = home.foreignKeys.first { $0.key.columns.contains { $0.sqlName == column.sqlName } }
    return key.flatMap { sound.relationship($0.relationship, of: entity) }.map { .relationship($0) }
  }
}

extension Diagnostic {
  fileprivate static func unknownKeyColumn(
    _ column: String, of entity: String, meant: String?, similar: ModelPath?
  ) -> Diagnostic {
    Diagnostic(
      .unknownKeyColumn, at: .entity(entity) / "primaryKey",
      "part '\(column)' of the key of '\(entity)' is not the column of any property, so a clone keeps the original's value",
      notes: similar.map { [Note("this has a similar column", at: $0)] } ?? [],
      help: didYouMean(meant)
        ?? "declare '\(column)' as an attribute, or write '{column: \(column), generate: max}'")
  }

  fileprivate static func emptyKeyPart(
    _ column: String, of entity: String, attribute: AttributeDescription
  ) -> Diagnostic {
    let fault =
      attribute.isTransient
      ? "transient, so it is not stored" : "optional, but a key has a value in each part"
    return Diagnostic(
      .invalidPrimaryKey, .warning, at: .entity(entity) / "primaryKey",
      "part '\(column)' of the key of '\(entity)' is the column of \(attribute.quoted), which is \(fault)",
      notes: [Note("the attribute", at: .attribute(attribute))],
      help: attribute.isTransient
        ? "remove 'transient' from \(attribute.quoted), or leave '\(column)' out of the key"
        : "make \(attribute.quoted) required, or leave '\(column)' out of the key")
  }
}
