import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension StoreListing {
  /// The tables of some schemas of a PostgreSQL database, those along the search path where none is named; about
  /// ten statements, whatever the number of tables.
  ///
  /// A table is named with its schema where the search path does not lead to it, or another schema has a table of that name.
  /// Partitions are in the table that they divide.
  ///
  /// - Parameter known: names of tables that stay as they are, with their schema or without.
  /// - Throws: `CloneError` (`no-such-store`, `missing-right`, `unsupported-model-source`) where a schema is missing, or
  ///   there are no tables.
  package init(_ connection: PostgresConnection, schemas named: [String] = [], known: Set<String> = []) throws
  {
    let session = try connection.rows("SELECT current_database()::text, current_user::text")[0]
    let schemas = try PostgresSchemas(
      named, database: session[0].string ?? "", role: session[1].string ?? "", in: connection)
    let found = try ListedRelation.all(in: schemas.names, known: known, connection)
    let names = Dictionary(grouping: found, by: \.name.sqlName)
    func isNamed(_ relation: ListedRelation) -> Bool {
      !relation.hasDot && names[relation.name.sqlName]?.count == 1
    }
    let named = found.filter { $0.isTable && isNamed($0) }
    let columns = try Self.columns(of: named, connection)
    let tables = named.filter { columns[$0.id]?.isUnambiguous ?? true }
    if tables.isEmpty { throw schemas.noTables() }
    let schema = try PostgresSchemaReader(connection).schema(of: tables.map(\.name))
    let entities = tables.filter { !$0.isInherited }
    let referrers = try connection.rows(
      PostgresListingQueries.referrers, Self.arguments(entities, schemas: schemas)
    ).compactMap { $0[0].string }
    let partitions = try connection.rows(PostgresListingQueries.partitions, Self.arguments(entities))
      .compactMap { $0[0].string?.sqlName }
    let leftOut: [(kind: String, names: [String])] = Self.kinds.map { letter, kind in
      (kind, found.filter { $0.kind == letter }.map(\.name))
    }
    let inheriting = tables.filter(\.isInherited)
    let unnamed = found.filter { $0.isTable && !isNamed($0) }
    let ambiguous = named.filter { !(columns[$0.id]?.isUnambiguous ?? true) }
    let others: [(kind: String, names: [String])] = [
      ("tables that inherit from others, and those that they inherit from", inheriting.map(\.name)),
      ("tables whose names have a dot, or differ from others in letter case only", unnamed.map(\.name)),
      ("tables with columns whose names differ in letter case only", ambiguous.map(\.name)),
      ("tables of other schemas that reference these, so clones leave their rows behind", referrers),
    ]
    self.init(
      name: schemas.database, schema: schema, writes: schema.triggerWrites,
      tables: entities.map { $0.listed(columns[$0.id]?.byName ?? [:], role: schemas.role) },
      leftOut: leftOut + others, partitions: Set(partitions))
  }

  /// `pg_class.relkind`
  private static let kinds = [("v", "views"), ("m", "materialized views"), ("f", "foreign tables")]

  private static func arguments(
    _ tables: [ListedRelation], schemas: PostgresSchemas? = nil
  ) -> [String: StoredValue] {
    [
      "tables": .text(PostgresArray.text(tables.map { String($0.id) })),
      "schemas": .text(PostgresArray.text(schemas?.names ?? [])),
    ]
  }

  /// The columns of a table, by their names as SQL compares them.
  private struct Columns {
    var byName: [String: ListedColumn] = [:]
    /// Whether these names tell them apart.
    var isUnambiguous = true
  }

  /// By the number of the table.
  private static func columns(
    of tables: [ListedRelation], _ connection: PostgresConnection
  ) throws -> [Int: Columns] {
    try connection.rows(PostgresListingQueries.columns, arguments(tables)).reduce(into: [:]) { columns, row in
      func list(_ place: Int) throws -> [String] {
        try row[place].string.map { try JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? []
      }
      let column = ListedColumn(
        defaultValue: row[2].string, comment: row[3].string,
        allowedValues: try list(4), comparedWith: try list(5))
      let other = columns[row[0].number, default: Columns()].byName.updateValue(
        column, forKey: (row[1].string ?? "").sqlName)
      if other != nil { columns[row[0].number]?.isUnambiguous = false }
    }
  }
}

/// A table, view or the like of a database.
private struct ListedRelation {
  let id: Int
  let title: String
  /// With the schema where the search path does not lead to it, or another schema has a table of that name.
  let name: String
  /// `pg_class.relkind`
  let kind: String
  let isReadable: Bool
  /// Whether it shows rows of other tables, or is shown by them.
  let isInherited: Bool
  private let partitions: Int
  private let comment: String?
  /// A dot is taken for the end of a schema's name.
  let hasDot: Bool

  var isTable: Bool { ["r", "p"].contains(kind) }

  static func all(in schemas: [String], known: Set<String>, _ connection: PostgresConnection) throws
    -> [ListedRelation]
  {
    let rows = try connection.rows(
      PostgresListingQueries.relations, ["schemas": .text(PostgresArray.text(schemas))])
    let titles = Dictionary(grouping: rows, by: { $0[2].string ?? "" })
    return rows.map { ListedRelation($0[...], isAlone: titles[$0[2].string ?? ""]?.count == 1, known) }
  }

  /// - Parameter isAlone: whether no other schema has a table of that name, to which another role's search path could lead.
  private init(_ row: ArraySlice<StoredValue>, isAlone: Bool, _ known: Set<String>) {
    var row = Fields(row)
    let schema: String
    (id, schema, title, kind) = (row.number(), row.text(), row.text(), row.text())
    let full = "\(schema).\(title)"
    let isPlain = row.bool() && !known.contains(full) && (isAlone || known.contains(title))
    name = isPlain ? title : full
    hasDot = title.contains(".") || !isPlain && schema.contains(".")
    (isReadable, isInherited, partitions) = (row.bool(), row.bool(), row.number())
    comment = row.optionalText()
  }

  func listed(_ columns: [String: ListedColumn], role: String) -> ListedTable {
    let remarks = [
      partitions == 0 ? nil : "The table has \(partitions.counting("partition")).",
      isReadable
        ? nil
        : "The role '\(role)' may not read all of the table, so values could not be looked at: "
          + "GRANT SELECT ON \(Dialect.postgres.table(name)) TO \(Dialect.postgres.name(role))",
    ]
    return ListedTable(
      name: name, title: title, comments: [comment].compactMap { $0 } + remarks.compactMap { $0 },
      columns: columns)
  }
}
