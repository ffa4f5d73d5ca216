import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Reads what a database says of some tables: five statements, whatever the number of tables, and one more where their
/// triggers update tables.
///
/// A name is `note`, which is looked for along the search path, or `app.note`. Names count with their letter case.
package struct PostgresSchemaReader {
  private let connection: PostgresConnection

  package init(_ connection: PostgresConnection) { self.connection = connection }

  /// The tables, by the names that they are asked for.
  ///
  /// - Throws: `CloneError` where two names differ in letter case only, because names are compared without it.
  package func schema(of tables: some Sequence<String>) throws -> StoreSchema {
    let names = Set(tables).sorted()
    try checkCase(of: names, in: "the database")
    let relations = try PostgresRelation.all(names, in: connection)
    let found = relations.filter(\.isTable)
    let others = relations.filter { !$0.isTable }.map { ($0.name.sqlName, $0.kind) }
    return StoreSchema(
      try schemas(of: found), others: Dictionary(others, uniquingKeysWith: { $1 }), dialect: .postgres)
  }

  /// The tables along the search path beside some others, by their names; no partitions, none of an extension, and
  /// none whose columns cannot be told apart here.
  func tableNames(beside mapped: [String]) throws -> [String] {
    let known = Set(mapped.map(\.sqlName))
    let arguments = Self.arguments(try PostgresRelation.all(mapped, in: connection))
    let names = try connection.rows(PostgresCatalogQueries.otherTables, arguments).compactMap { $0[0].string }
    // Names that differ in letter case only cannot be told apart here.
    let groups = Dictionary(grouping: names, by: \.sqlName)
    return names.filter { groups[$0.sqlName]?.count == 1 && !known.contains($0.sqlName) }
  }

  /// The types that the columns of some tables are made of, by the names of tables and columns as SQL compares them: two
  /// statements.
  func baseTypes(of tables: [String]) throws -> [String: [String: String]] {
    let relations = try PostgresRelation.all(tables, in: connection).filter(\.isTable)
    let columns = try grouped(PostgresCatalogQueries.baseTypes, arguments: Self.arguments(relations))
    return Dictionary(
      relations.map { relation in
        let types = (columns[relation.id] ?? []).map { row in
          var row = Fields(row)
          return (row.text().sqlName, row.text())
        }
        return (relation.name.sqlName, Dictionary(types, uniquingKeysWith: { first, _ in first }))
      }, uniquingKeysWith: { first, _ in first })
  }

  private static func arguments(_ relations: [PostgresRelation]) -> [String: StoredValue] {
    ["tables": .text(PostgresArray.text(relations.map { String($0.id) }))]
  }

  private func schemas(of relations: [PostgresRelation]) throws -> [TableSchema] {
    guard !relations.isEmpty else { return [] }
    let tables = Self.arguments(relations)
    let columns = try grouped(PostgresCatalogQueries.columns, arguments: tables)
    let foreignKeys = try grouped(PostgresCatalogQueries.foreignKeys, arguments: tables)
    let indexes = try grouped(PostgresCatalogQueries.indexes, arguments: tables)
    let names = Dictionary(relations.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    let triggers = try PostgresTriggers(
      try grouped(PostgresCatalogQueries.triggers, arguments: tables).mapValues {
        $0.map(PostgresTrigger.init)
      },
      tables: names, in: connection)
    return try relations.map { relation in
      let columns = try (columns[relation.id] ?? []).map { try column($0) }
      try checkCase(of: columns.map(\.name), in: "the table '\(relation.name)'")
      var table = TableSchema(
        name: relation.name, columns: columns, isAutoincrement: false, isWithoutRowid: true, isStrict: true,
        foreignKeys: try (foreignKeys[relation.id] ?? []).map { try foreignKey($0, names: names) },
        indexes: try (indexes[relation.id] ?? []).map { try index($0) },
        triggers: triggers[relation.id], leavesConflictsToTriggers: true)
      table.partitionKey = relation.partitionKey
      return table
    }
  }

  /// The rows of a statement by the table that stands first in each.
  private func grouped(
    _ sql: String, arguments: [String: StoredValue]
  ) throws -> [Int: [ArraySlice<StoredValue>]] {
    Dictionary(grouping: try connection.rows(sql, arguments)) { $0[0].number }
      .mapValues { $0.map { $0.dropFirst() } }
  }

  private func checkCase(of names: [String], in place: String) throws {
    let same = Dictionary(grouping: names, by: \.sqlName).values.first { $0.count > 1 }
    guard let same else { return }
    let names = same.map { "'\($0)'" }.joined(separator: " and ")
    throw CloneError(
      .storeMismatch, "\(names) in \(place) differ in letter case only, which is not supported",
      help: "rename one")
  }

  // MARK: Rows of the catalogue

  private func column(_ row: ArraySlice<StoredValue>) throws -> ColumnSchema {
    var row = Fields(row)
    let (name, type, base, limited) = (row.text(), row.text(), row.text(), row.text())
    var column = ColumnSchema(
      name: name, type: type, collation: row.text(), isRequired: row.bool(), isGenerated: row.bool(),
      hasDefault: row.bool(), inputs: try row.list(), sequence: row.optionalText().map(Dialect.postgres.text),
      kind: Self.kind(ofType: base), base: base, limitedBase: limited)
    column.generator = row.optionalText()
    // A domain may have a CHECK.
    column.isChecked = row.bool()
    column.definition = row.optionalText()
    return column
  }

  /// What SQLite would call a type; those that it has none of the kind for are taken as they are.
  static func kind(ofType base: String) -> String {
    switch base {
    case "int2", "int4", "int8", "oid": "INTEGER"
    case "float4", "float8": "REAL"
    case "numeric": "NUMERIC"
    case "text", "varchar", "bpchar", "citext", "name": "TEXT"
    default: "BLOB"
    }
  }

  private func foreignKey(_ row: ArraySlice<StoredValue>, names: [Int: String]) throws -> ForeignKeySchema {
    var row = Fields(row)
    let (destination, name) = (row.number(), row.text())
    return ForeignKeySchema(
      columns: try row.list(), table: names[destination] ?? name, references: try row.list(),
      onDelete: row.text(), emptied: try row.list(), isDeferrable: row.bool(), name: row.text())
  }

  private func index(_ row: ArraySlice<StoredValue>) throws -> IndexSchema {
    var row = Fields(row)
    let (name, isUnique, isPrimaryKey) = (row.text(), row.bool(), row.bool())
    let (columns, texts, collations): ([String?], [String], [String]) = (
      try row.list(), try row.list(), try row.list()
    )
    let condition = row.optionalText()
    return IndexSchema(
      name: name, isUnique: isUnique, isPrimaryKey: isPrimaryKey,
      columns: columns.indices.map {
        IndexedColumn(name: columns[$0], text: texts[$0], collation: collations[$0])
      }, condition: condition, isExclusion: row.bool(), isDeferrable: row.bool())
  }
}

/// The fields of a row, in their order.
struct Fields {
  private var rest: ArraySlice<StoredValue>

  init(_ row: ArraySlice<StoredValue>) { rest = row }

  mutating func optionalText() -> String? { rest.removeFirst().string }
  mutating func text() -> String { optionalText() ?? "" }
  mutating func number() -> Int { rest.removeFirst().number }
  mutating func bool() -> Bool { number() != 0 }

  /// A list that the server wrote as JSON.
  ///
  /// - Throws: `CloneError` (`store-busy`) where it is about a table that is gone meanwhile.
  mutating func list<Item: Decodable>() throws -> [Item] {
    let text = Data((optionalText() ?? "[null]").utf8)
    do { return try JSONDecoder().decode([Item].self, from: text) } catch DecodingError.valueNotFound {
      throw CloneError(
        .storeBusy, "another session has removed or replaced a table while the catalogue was read",
        help: "try again")
    }
  }
}
