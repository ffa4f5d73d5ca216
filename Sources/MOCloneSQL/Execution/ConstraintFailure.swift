import MOCloneEngine
import MOCloneModel

/// What a constraint of the store has refused, in the model's words.
package struct ConstraintFailure {
  /// Whether two rows would have the same values in columns that are unique.
  package let isUnique: Bool
  /// Whether a column that cannot be null would be.
  package let isOfNull: Bool
  package let message: String
  /// The columns of the table that the database names, in its order.
  package let columns: [String]
  /// The properties that lie in them, or the columns.
  package let properties: [String]
  /// The properties whose values are refused; also those that lie in columns which the database does not name.
  private let refused: [String]
  /// The dangling foreign key of the table, where it is known.
  package let foreignKey: ForeignKeySchema?
  /// The foreign key that refused a row, of whatever table, where the database names it.
  package let refusingKey: ForeignKeyName?
  /// The foreign key that keeps rows from exchanging unique values: it is checked before all of them have changed.
  package var obstacle: ForeignKeyName?
  /// The index that refused a row, where it is known.
  let index: IndexSchema?

  /// - Parameters:
  ///   - others: the columns that it is about where the database names none, such as the one of a domain.
  ///   - entities: those whose objects lie in the table.
  package init(
    isUnique: Bool, isOfNull: Bool, message: String, columns: [String], others: [String] = [],
    index: IndexSchema? = nil,
    foreignKey: ForeignKeySchema? = nil, refusingKey: ForeignKeyName? = nil, of entities: [String],
    _ mapping: SchemaMapping
  ) {
    self.isUnique = isUnique
    self.isOfNull = isOfNull
    self.message = message
    self.columns = columns
    self.index = index
    self.foreignKey = foreignKey
    self.refusingKey = refusingKey
    func properties(in columns: [String]) -> [String] {
      columns.map { Self.property(in: $0, among: columns, of: entities, mapping) }
    }
    self.properties = properties(in: columns)
    refused = columns.isEmpty ? properties(in: others) : self.properties
  }

  /// Of several relationships that share the column the one is meant that has the fewest columns beside those of the
  /// constraint, and then the fewest at all.
  private static func property(
    in column: String, among columns: [String], of entities: [String], _ mapping: SchemaMapping
  ) -> String {
    let own = Set(columns.map(\.sqlName))
    for entity in entities {
      let map = mapping[entity]
      if let name = map.attributes.filter({ $0.value.column.sqlName == column.sqlName }).keys.min() {
        return name
      }
      // A reference may hold the key of its own row.
      if map.isOwnPart(column) { return column }
      let sharing = map.foreignKeys.filter { $0.key.columns.contains { $0.sqlName == column.sqlName } }
      let sizes = sharing.map { _, key in
        (others: key.columns.count { !own.contains($0.sqlName) }, all: key.columns.count)
      }
      if let place = sizes.indices.min(by: { sizes[$0] < sizes[$1] }) { return sharing[place].relationship }
    }
    return column
  }

  /// `'name' and 'unit'`, or what an index with expressions computes beside them.
  package var names: String {
    let computed = "what \(index.map { "the index '\($0.name)'" } ?? "an index") computes"
    return (properties.uniqued().map { "'\($0)'" } + (isComputed ? [computed] : [])).joined(
      separator: " and ")
  }

  private var isComputed: Bool { properties.isEmpty || index?.columns.contains { $0.name == nil } == true }

  /// Whether no two rows of the table can have the same values in the columns.
  package var isOfColumns: Bool { !isComputed && index?.condition == nil }

  /// Which rows are meant, where these are not all.
  package var scope: String {
    index.flatMap { index in
      index.condition.map { " among the rows of the index '\(index.name)' (WHERE \($0))" }
    } ?? ""
  }

  /// What is said of them.
  package var areUnique: String { hasSeveral ? "are unique together" : "is unique" }

  private var hasSeveral: Bool { Set(properties).count + (isComputed ? 1 : 0) > 1 }

  /// Whether it keeps rows apart by other comparisons than equality.
  package var isExclusion: Bool { message.contains("exclusion constraint") }

  /// What to do about a constraint of the database that only other values can meet, where a clone is made.
  package var help: String? {
    isExclusion
      ? "name its columns in the model, as Strings where it has no type for them, and give a root other values with --set, or "
        + "exclude the relationship that leads to such rows"
      : nil
  }

  /// - Parameters:
  ///   - object: the one whose row was refused, where it is known.
  ///   - advice: what can be done about a value that exists already or conflicts with another one.
  package func error(of entity: String, object: ObjectID? = nil, advice: String? = nil) -> CloneError {
    let place = object?.description ?? entity
    let subject = refused.isEmpty ? "a row" : refused.uniqued().map { "'\($0)'" }.joined(separator: " and ")
    let problem =
      isUnique
      ? "\(names) of \(place) \(areUnique)\(scope), but another object already has the same "
        + "value\(hasSeveral ? "s" : "") (\(message))\(obstacle.map { ", and \($0.checkedTooEarly)" } ?? "")"
      : "the store refused \(subject) of \(place): \(message)"
    let help = obstacle.map { "if rows exchange such values, \($0.adviceToWait)" } ?? advice
    return CloneError(
      isUnique ? .uniqueValue : .constraintFailed, problem, help: isUnique || isExclusion ? help : nil,
      entity: entity, property: refused.first, object: object)
  }

  /// The same of a row of a join table.
  package func error(
    ofPairs relationship: RelationshipDescription, in table: TableSchema, advice: String?,
    underlying: (any Error)? = nil
  ) -> CloneError {
    let problem =
      isUnique
      ? "\(names) in the table '\(table.name)' \(areUnique), but another join row already has the same value as one of "
        + "\(relationship.qualifiedName) (\(message))"
      : "the store refused a join row of \(relationship.qualifiedName) in the table '\(table.name)': \(message)"
    return CloneError(
      isUnique ? .uniqueValue : .constraintFailed, problem, help: isUnique || isExclusion ? advice : nil,
      entity: relationship.entity, property: relationship.name, underlying: underlying)
  }
}

/// A foreign key by the name by which the database says what it refuses.
package struct ForeignKeyName {
  package let name: String
  package let table: String

  package init(_ name: String, of table: String) {
    self.name = name
    self.table = table
  }

  /// What is said of one that refuses a change which others were to follow.
  var checkedTooEarly: String {
    "the store checks the foreign key '\(name)' of the table '\(table)' before all rows have changed"
  }

  /// What to do about it.
  var adviceToWait: String {
    let dialect = Dialect.postgres
    return "have it checked at the end with \"ALTER TABLE \(dialect.table(table)) ALTER CONSTRAINT "
      + "\(dialect.name(name)) DEFERRABLE\", or declare it ON UPDATE CASCADE"
  }
}
