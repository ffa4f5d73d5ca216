import MOCloneSQL

/// Something in a database that has the name of a table.
struct PostgresRelation: Equatable {
  /// As it was asked for.
  var name: String
  /// Its number in `pg_class`.
  var id: Int
  var isTable: Bool
  /// As in `a view`.
  var kind: String
  /// The columns by which it is divided into partitions; nil for an expression.
  var partitionKey: [String?]

  /// What has some names, in the order of the names; without those that nothing has.
  ///
  /// Temporary tables are left out: they hide others of the same name.
  static func all(_ names: [String], in connection: PostgresConnection) throws -> [PostgresRelation] {
    guard !names.isEmpty else { return [] }
    return try connection.rows(query, ["names": .text(PostgresArray.text(names))]).map { row in
      var row = Fields(row[...])
      let (name, id, letter) = (row.text(), row.number(), row.text())
      return PostgresRelation(
        name: name, id: id, isTable: ["r", "p"].contains(letter), kind: kinds[letter] ?? "something else",
        partitionKey: try row.list())
    }
  }

  /// `pg_class.relkind`
  private static let kinds = [
    "r": "a table", "p": "a partitioned table", "v": "a view", "m": "a materialized view",
    "f": "a foreign table",
    "S": "a sequence", "i": "an index", "I": "an index", "c": "a composite type",
  ]

  /// A table may have a dot in its own name, which the search path tells.
  private static let query = """
    SELECT a.name, f.oid, f.relkind::text,
      (SELECT coalesce(json_agg(c.attname ORDER BY k.place), '[]')
        FROM pg_catalog.pg_partitioned_table p
        CROSS JOIN LATERAL unnest(p.partattrs::int2[]) WITH ORDINALITY k(number, place)
        LEFT JOIN pg_catalog.pg_attribute c ON c.attrelid = f.oid AND c.attnum = k.number AND c.attnum > 0
        WHERE p.partrelid = f.oid)
    FROM unnest($names::text[]) WITH ORDINALITY a(name, place)
    CROSS JOIN LATERAL (
      SELECT c.oid, c.relkind
      FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN unnest(current_schemas(false)) WITH ORDINALITY s(name, place) ON s.name = n.nspname
      WHERE c.relname = a.name AND s.place IS NOT NULL
        OR c.relname = substr(a.name, strpos(a.name, '.') + 1) AND strpos(a.name, '.') > 0
          AND n.nspname = split_part(a.name, '.', 1)
      ORDER BY c.relname = a.name DESC, s.place
      LIMIT 1) f
    ORDER BY a.place
    """
}

/// Arrays as PostgreSQL writes them: `{"a","b"}`.
enum PostgresArray {
  static func text(_ items: [String]) -> String {
    let quoted = items.map { "\"" + $0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"" }
    return "{" + quoted.joined(separator: ",") + "}"
  }
}
