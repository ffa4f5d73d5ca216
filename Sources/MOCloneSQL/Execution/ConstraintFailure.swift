import MOCloneEngine
import MOCloneModel

/// What a constraint of the store has refused, in the model's words.
package struct ConstraintFailure {
  /// Whether two rows would have the same values in columns that are unique.
  package let isUnique: Bool
  package let message: String
  /// The columns of the table that the database names, in its order.
  package let columns: [String]
  /// The properties that lie in them, or the columns.
  package let properties: [String]

  /// - Parameter entities: those whose objects lie in the table.
  package init(
    isUnique: Bool, message: String, columns: [String], of entities: [String], _ mapping: SchemaMapping
  ) {
    self.isUnique = isUnique
    self.message = message
    self.columns = columns
    properties = columns.map { Self.property(in: $0, of: entities, mapping) }
  }

  private static func property(in column: String, of entities: [String], _ mapping: SchemaMapping) -> String {
    for entity in entities {
      let map = mapping[entity]
      if let name = map.attributes.filter({ $0.value.column.sqlName == column.sqlName }).keys.min() {
        return name
      }
      if let name = map.foreignKeys.first(where: { $0.key.columns.contains(column) })?.relationship {
        return name
      }
    }
    return column
  }

  /// `'name' and 'unit'`; an index of an expression has no columns.
  package var names: String {
    properties.isEmpty ? "what an index computes" : properties.map { "'\($0)'" }.joined(separator: " and ")
  }

  /// What is said of them.
  package var areUnique: String { properties.count > 1 ? "are unique together" : "is unique" }

  /// What to do about a constraint of the database that only other values can meet.
  package var advice: String {
    message.contains("exclusion constraint")
      ? "; name its columns in the model, as Strings where it has no type for them, and give a root other values with --set, or "
        + "exclude the relationship that leads to such rows"
      : ""
  }

  /// - Parameter advice: what can be done about a value that is there already.
  package func error(of entity: String, advice: String? = nil) -> CloneError {
    let text =
      isUnique
      ? "\(names) of \(entity) \(areUnique), but another object already has the same value\(properties.count > 1 ? "s" : "")"
        + " (\(message))" + (properties.isEmpty ? "" : advice.map { "; \($0)" } ?? "")
      : "the store refused a row of \(entity): \(message)\(self.advice)"
    return CloneError(
      isUnique ? .uniqueValue : .constraintFailed, text, entity: entity,
      property: properties.first)
  }

  /// The same of a row of a join table.
  package func error(
    ofPairs relationship: RelationshipDescription, in table: TableSchema, advice: String?
  ) -> CloneError {
    let text =
      isUnique
      ? "\(names) in the table '\(table.name)' is unique, but another join row already has the same value as one of "
        + "\(relationship.qualifiedName) (\(message))" + (advice.map { "; \($0)" } ?? "")
      : "the store refused a join row of \(relationship.qualifiedName) in the table '\(table.name)': "
        + "\(message)\(self.advice)"
    return CloneError(
      isUnique ? .uniqueValue : .constraintFailed, text, entity: relationship.entity,
      property: relationship.name)
  }
}
