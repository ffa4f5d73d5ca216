/// Parts of composite keys that come from nowhere.
extension ModelChecks {
  /// A part that is neither generated nor a property's column is copied. That may be meant, as of a tenant that the model leaves
  /// out; where a property has almost that column it is misspelt.
  func keyColumnsBelongToProperties() -> [Diagnostic] {
    // The key of a Core Data store is a number that no property holds.
    guard model.store.naming != .coreData else { return [] }
    let composite = entities.filter { $0.primaryKey.count > 1 && isComplete($0.name) }
    return composite.flatMap { entity -> [Diagnostic] in
      let columns = propertyColumns(of: entity.name)
      let known = Set(columns.map(\.sqlName))
      // Where a relationship does not resolve its columns are not known.
      guard !unclearEntities.contains(entity.name) else { return [] }
      let taken = Set(entity.primaryKey.map(\.column.sqlName))
      let others = columns.filter { !taken.contains($0.sqlName) }
      return entity.primaryKey.filter { $0.generate == nil && !known.contains($0.column.sqlName) }.compactMap
      {
        part in
        suggestions.question(part.column, names: others).map {
          .unknownKeyColumn(part.column, of: entity.name, question: $0)
        }
      }
    }
  }

  /// The columns of attributes and relationships in the table of an entity.
  private func propertyColumns(of entity: String) -> [String] {
    let home = mapping[entity]
    return home.attributes.values.map(\.column).sorted() + home.foreignKeys.flatMap(\.key.columns)
      + [home.discriminator?.column].compactMap { $0 }
      + hiddenForeignKeys().filter { $0.entity == entity }.map(\.column)
  }
}

extension Diagnostic {
  fileprivate static func unknownKeyColumn(
    _ column: String, of entity: String, question: String
  ) -> Diagnostic {
    Diagnostic(
      .unknownKeyColumn, at: .entity(entity) / "primaryKey",
      "the part '\(column)' of the primary key of '\(entity)' is no property's column, so a clone has the original's value",
      help: question)
  }
}
