import Foundation
import MOCloneSQL

/// What a database allows the connection's role, and what of its tables a schema has no words for.
package struct PostgresCatalog: Sendable, Equatable {
  package struct Table: Sendable, Equatable {
    /// Whether other tables inherit from it, so that it shows their rows too.
    package var hasChildren = false
    /// Whether the server hides rows of it from the role.
    package var isRowSecurityActive = false
    /// What the role may not do: `SELECT`, `INSERT`, `UPDATE`, `DELETE`, of some columns where they are named:
    /// `INSERT (name, text)`; and `USAGE` of the sequences that count its columns.
    package var missingRights: [String] = []
  }

  /// Whether the server only follows another one, so that it has no temporary tables either.
  package let isReplica: Bool
  /// The role whose rights count, and the database.
  package let role, database: String
  /// Whether the role may make temporary tables.
  package let allowsTemporaryTables: Bool
  /// By the names that were asked for; without those that no table has.
  package let tables: [String: Table]

  /// Asks about tables, in two statements.
  package init(of names: some Sequence<String>, in connection: PostgresConnection) throws {
    let session = try connection.rows(
      """
      SELECT pg_is_in_recovery(), current_user, current_database(),
        has_database_privilege(current_database(), 'TEMPORARY')
      """)[0]
    isReplica = session[0].number != 0
    (role, database) = (session[1].string ?? "", session[2].string ?? "")
    allowsTemporaryTables = session[3].number != 0
    let relations = try PostgresRelation.all(Set(names).sorted(), in: connection).filter(\.isTable)
    let rows = try connection.rows(
      Self.query, ["tables": .text(PostgresArray.text(relations.map { String($0.id) }))])
    let found = Dictionary(uniqueKeysWithValues: try rows.map { ($0[0].number, try Table($0)) })
    tables = Dictionary(relations.map { ($0.name, found[$0.id] ?? Table()) }, uniquingKeysWith: { $1 })
  }

  private static let query = """
    SELECT c.oid,
      c.relkind <> 'p' AND EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhparent = c.oid),
      row_security_active(c.oid),
      (SELECT coalesce(json_agg(m.name), '[]') FROM (\(missingRights)) m)
    FROM pg_catalog.pg_class c
    WHERE c.oid = ANY($tables::oid[])
    """

  /// Generated columns are never written.
  private static let missingRights = """
    SELECT r.name || CASE WHEN r.hasColumns AND bool_or(has_column_privilege(c.oid, a.attnum, r.name))
        THEN ' (' || string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
          FILTER (WHERE NOT has_column_privilege(c.oid, a.attnum, r.name)) || ')' ELSE '' END AS name
    FROM (VALUES (1, 'SELECT', true), (2, 'INSERT', true), (3, 'UPDATE', true), (4, 'DELETE', false))
      r(place, name, hasColumns)
    LEFT JOIN pg_catalog.pg_attribute a ON r.hasColumns AND a.attrelid = c.oid AND a.attnum > 0
      AND NOT a.attisdropped AND (r.name = 'SELECT' OR a.attgenerated = '')
    GROUP BY r.place, r.name, r.hasColumns
    HAVING CASE WHEN r.hasColumns THEN NOT bool_and(has_column_privilege(c.oid, a.attnum, r.name))
      ELSE NOT has_table_privilege(c.oid, r.name) END
    UNION ALL
    SELECT 'USAGE of ' || quote_ident(n.nspname) || '.' || quote_ident(s.relname)
    FROM pg_catalog.pg_class s
    JOIN pg_catalog.pg_namespace n ON n.oid = s.relnamespace
    WHERE CASE WHEN s.relkind = 'S' THEN NOT has_sequence_privilege(s.oid, 'USAGE') ELSE false END AND EXISTS (
      SELECT FROM pg_catalog.pg_depend d
      LEFT JOIN pg_catalog.pg_attrdef e ON d.classid = 'pg_catalog.pg_attrdef'::regclass AND d.objid = e.oid
      WHERE d.objid = s.oid AND d.classid = 'pg_catalog.pg_class'::regclass AND d.refobjid = c.oid
          AND d.refobjsubid > 0
        OR e.adrelid = c.oid AND d.refobjid = s.oid AND d.refclassid = 'pg_catalog.pg_class'::regclass)
    """
}

extension PostgresCatalog.Table {
  fileprivate init(_ row: [StoredValue]) throws {
    self.init(
      hasChildren: row[1].number != 0, isRowSecurityActive: row[2].number != 0,
      missingRights: try JSONDecoder().decode([String].self, from: Data((row[3].string ?? "[]").utf8)))
  }
}
