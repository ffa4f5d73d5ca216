import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Temporary tables like those of a database, which clones pass through on their way into it.
///
/// They have the columns, defaults and primary keys of theirs, but no other unique constraint and no foreign key, whose
/// columns can be empty: they hold a part of the rows that references lead to, and values that are unique in the end.
struct TransitTables {
  /// Where the model is in them.
  let mapping: SchemaMapping
  /// The tables that they are like, in their order.
  private let tables: [String]
  /// That of the session's temporary tables.
  private let schema: String

  /// Makes them in a session of their own.
  ///
  /// - Parameter connection: by which the tables are found that they are like.
  init(
    of model: ObjectModel, _ mapping: SchemaMapping, in connection: PostgresConnection,
    session: PostgresConnection
  ) throws {
    tables = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: mapping).sorted()
    let names = Dictionary(uniqueKeysWithValues: tables.enumerated().map { ($1, Self.name($0)) })
    for (table, original) in try Self.qualified(tables, connection: connection) {
      try session.execute(
        "CREATE TEMPORARY TABLE \(names[table]!) (LIKE \(original) INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING GENERATED)"
      )
    }
    let schema = try session.rows("SELECT pg_my_temp_schema()::regnamespace::text")[0][0].string!
    self.schema = schema
    self.mapping = mapping.renamingTables { "\(schema).\(names[$0]!)" }
    for statement in Self.nullable(self.mapping) + Self.indexes(self.mapping, in: model) {
      try session.execute(statement)
    }
  }

  private static func name(_ place: Int) -> String { "moclone_passage\(place)" }

  /// Runs a body whose errors name the tables that these are like.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as CloneError {
      throw error.changing { failure in
        // The name of a later one can begin with that of an earlier one.
        for (place, table) in tables.enumerated().reversed() {
          failure.problem = failure.problem.replacing("\(schema).\(Self.name(place))", with: table)
        }
      }
    }
  }

  /// The statements that let references be empty which are required in the end.
  private static func nullable(_ mapping: SchemaMapping) -> [String] {
    mapping.referenceColumns.filter { !$1.isEmpty }.map { table, columns in
      let actions = columns.map { "ALTER COLUMN \(Dialect.postgres.name($0)) DROP NOT NULL" }
      return "ALTER TABLE \(Dialect.postgres.table(table)) \(actions.list)"
    }
  }

  /// The tables by their schemas, so that the search path does not matter.
  private static func qualified(
    _ tables: [String], connection: PostgresConnection
  ) throws -> [String: String] {
    let rows = try connection.rows(
      """
      SELECT quote_ident(n.nspname) || '.' || quote_ident(t.relname)
      FROM unnest(ARRAY[\(PostgresTableState.texts(of: tables).list)]) WITH ORDINALITY AS a(name, place)
        LEFT JOIN pg_catalog.pg_class t ON t.oid = to_regclass(a.name)
        LEFT JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace ORDER BY a.place
      """)
    let found = zip(tables, rows).compactMap { table, row in row[0].string.map { (table, $0) } }
    return Dictionary(uniqueKeysWithValues: found)
  }

  private static func indexes(_ mapping: SchemaMapping, in model: ObjectModel) -> [String] {
    let keys = model.entities.filter { $0.parent == nil }.map { root in
      let columns = mapping[root.name].keyColumns.map(Dialect.postgres.name).list
      return "ALTER TABLE \(Dialect.postgres.table(mapping[root.name].table)) ADD PRIMARY KEY (\(columns))"
    }
    let references = mapping.linkColumns.map { names in
      let columns = names.dropFirst().map(Dialect.postgres.name).list
      return "CREATE INDEX ON \(Dialect.postgres.table(names[0])) (\(columns))"
    }
    return keys + references.sorted()
  }
}
