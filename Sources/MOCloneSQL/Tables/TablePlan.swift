import MOCloneModel

/// The one description of a table that an operation touches: that of a root entity and of all that inherit from it.
package final class TablePlan: Sendable, Equatable {
  /// Its place in the layout.
  package let index: Int
  package let root: String
  package let map: EntityMapping
  package let schema: TableSchema
  package let keys: KeyColumns
  /// The concrete entities, with what marks the rows of each.
  package let entities: [String]
  private let marks: [String]
  /// What keeps derived values, by their columns as names are compared.
  private let derivations: [String: Derivation]
  package let dialect: Dialect

  package init(_ root: String, index: Int, model: ObjectModel, mapping: SchemaMapping, schema: StoreSchema) {
    self.index = index
    self.root = root
    map = mapping[root]
    let table = schema[map.table]!
    self.schema = table
    dialect = schema.dialect
    keys = KeyColumns(map.keyColumns, of: table, dialect: dialect)
    entities = model.concreteEntities(of: root)
    marks = entities.compactMap { mapping[$0].discriminator?.value }
    let derived = entities.flatMap { entity in
      model.attributes(of: entity).compactMap { attribute in
        attribute.derivation.flatMap { derivation in
          mapping[entity].attributes[attribute.name].map { ($0.column.sqlName, derivation) }
        }
      }
    }
    derivations = Dictionary(derived) { first, _ in first }
  }

  package static func == (a: TablePlan, b: TablePlan) -> Bool { a.index == b.index && a.root == b.root }

  /// The table in a statement.
  package var sql: String { dialect.table(schema.name) }

  /// The table with an alias.
  package func rows(_ alias: String) -> From { From("\(sql) \(alias)") }

  package func row(_ alias: String, of key: [String]) -> From.Join {
    .ordered("\(sql) \(alias)", on: isRow(alias, key))
  }

  // MARK: Derived values

  /// Whether a column's values follow from others, so that nothing is lost with them.
  package func isDerived(_ column: String) -> Bool { derivations[column.sqlName] != nil }

  /// Whether the store's triggers keep a column: inserts write its default, and nothing else writes it.
  package func isKeptByTriggers(_ column: String) -> Bool { derivations[column.sqlName] == .trigger }

  /// Whether triggers keep any of its columns.
  package var hasKeptColumns: Bool { derivations.values.contains(.trigger) }

  // MARK: Keys

  package var keyColumns: [ColumnSchema] { keys.columns }
  package func key(_ alias: String) -> [String] { keys.of(alias) }
  package func keys(_ prefix: String) -> [String] { keys.parts(prefix) }
  package func isRow(_ alias: String, _ key: [String]) -> Condition { .equal(self.key(alias), key) }

  /// Whether some column is a part of the key.
  package func isInKey(_ columns: [String]) -> Bool {
    columns.contains { column in keyColumns.contains { $0.name.sqlName == column.sqlName } }
  }

  /// What makes a part of the key in the database, where nothing else gives new objects theirs.
  package func next(_ part: Int) -> String? {
    switch map.key[part].source {
    case .rowid, .max, .automatic: schema.column(map.key[part].column)?.next
    default: nil
    }
  }

  // MARK: Entities

  package var discriminator: String? { map.discriminator?.column }

  /// What marks a row's entity; null where the table holds one only.
  package func mark(_ alias: String) -> String {
    discriminator.map { dialect.column(alias, $0) } ?? dialect.cast("NULL", "text")
  }

  /// Whether a row is of some concrete entities.
  package func isKind(_ entities: [String], alias: String) -> Condition {
    guard discriminator != nil, Set(entities) != Set(self.entities) else { return .always }
    return .among(mark(alias), values: literals(entities))
  }

  /// What marks the rows of some concrete entities, as SQL.
  package func literals(_ entities: [String]) -> [String] {
    zip(self.entities, marks).filter { entities.contains($0.0) }.map { dialect.text($0.1) }
  }

  /// The concrete entity that a row's mark represents; the root where it represents none.
  package func entity(marked mark: String?) -> String {
    mark.flatMap { mark in zip(entities, marks).first { $0.1 == mark }?.0 }
      ?? (entities.count == 1 ? entities[0] : root)
  }

  /// Rows with a value for each of their concrete entities, where entities differ in it.
  package func choose(_ values: [(entities: [String], value: String)], _ alias: String) -> String {
    guard Set(values.map(\.value)).count > 1 else { return values.first?.value ?? "NULL" }
    let cases = values.map { "WHEN \(isKind($0.entities, alias: alias).text) THEN \($0.value)" }
    return "CASE \(cases.joined(separator: " ")) END"
  }
}

extension TableSchema {
  /// The column of the primary key that the database counts by itself, so that rows are in the order in which they came;
  /// nil where there is none.
  package var countedKey: String? {
    guard primaryKey.count == 1 else { return nil }
    return countsItself(primaryKey[0]) ? primaryKey[0] : nil
  }

  /// Whether the database counts the values of a column by itself.
  package func countsItself(_ name: String) -> Bool { isRowid(name) || column(name)?.sequence != nil }

  /// Whether the keys in a column are numbers that can be counted on: the row's number, or another column of integers.
  package func countsKeys(in name: String) -> Bool {
    isRowid(name)
      || column(name).map { ["INTEGER", "NUMERIC"].contains($0.affinity) || $0.type.isEmpty } ?? false
  }

  /// Selects the greatest number that a column of the key has had.
  package func greatestNumber(in column: String, _ dialect: Dialect) -> String {
    let greatest = "SELECT max(\(dialect.name(column))) AS number FROM \(dialect.table(name))"
    let sequence = "SELECT seq FROM main.sqlite_sequence WHERE name = \(dialect.text(name))"
    guard let used = keyCounter ?? (isAutoincrement ? sequence : nil) else { return greatest }
    return "SELECT max(number) FROM (\(greatest) UNION ALL \(used))"
  }

  /// Whether a trigger finds the row in which it counts a new one by some of the new row's columns.
  func isCounted(_ columns: [String]) -> Bool {
    triggers.filter { $0.event == "INSERT" }.flatMap(\.updates).contains { update in
      update.table == name.sqlName && !Set(update.chosenBy).isDisjoint(with: columns.map(\.sqlName))
    }
  }

  /// Whether an index, or the row's number, serves to look some columns up.
  package func hasIndex(_ columns: [String]) -> Bool {
    let wanted = Set(columns.map(\.sqlName))
    if columns.count == 1, isRowid(columns[0]) { return true }
    return indexes.contains { index in
      index.condition == nil
        && Set(index.columns.prefix(wanted.count).compactMap { $0.name?.sqlName }) == wanted
    }
  }

  /// Whether the table keeps rows apart by some columns or by fewer.
  package func isUnique(_ columns: some Sequence<String>) -> Bool {
    let columns = Set(columns.map(\.sqlName))
    return uniqueColumns.contains { Set($0.map(\.sqlName)).isSubset(of: columns) }
  }
}
