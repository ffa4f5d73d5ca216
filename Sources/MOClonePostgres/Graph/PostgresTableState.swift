import MOCloneEngine
import MOCloneSQL

/// What the catalogue says of some tables, as conditions that no longer hold as soon as a statement changes any of it.
///
/// Whatever changes a row of the catalogue leaves its number in it (`xmin`), so the rows are counted, and looked at for
/// numbers that were not there.
struct PostgresTableState {
  private let conditions: String

  /// A statement that selects the number of the transaction, and fails where the tables are others. It costs the server some
  /// look-ups in indexes.
  var guardStatement: String {
    "SELECT \(PostgresConnection.transactionNumber), 1 / CASE WHEN \(conditions) THEN 1 ELSE 0 END"
  }

  /// - Parameter read: those of the tables of which the role must see all rows.
  /// - Throws: `CloneError` where it does not.
  init(of tables: [String], refusingHidden read: Set<String> = [], in connection: PostgresConnection) throws {
    let names = Self.texts(of: tables)
    let tables = try Self.tables(tables, refusingHidden: read, in: connection)
    let found = tables.compactMap(\.self)
    let rows = Self.rows(about: found)
    let counts = try connection.rows(
      rows.enumerated().map {
        "SELECT count(*), coalesce(string_agg(DISTINCT t.xmin::text, ','), ''), \($0) FROM \($1)"
      }
      .joined(separator: " UNION ALL ") + " ORDER BY 3")
    let isSame = zip(rows, counts).map { rows, row in
      "(SELECT count(*) = \(row[0].number) AND coalesce(bool_and(t.xmin = ANY('{\(row[1].string!)}'::xid[])), true) "
        + "FROM \(rows))"
    }
    let hides = found.filter(\.hasRowSecurity).map { "row_security_active(\($0.id)::oid) = \($0.hidesRows)" }
    let ids = "ARRAY[\(names.map { "to_regclass(\($0))::oid" }.list)] = \(Self.list(tables))"
    conditions = ([ids] + hides + isSame).joined(separator: " AND ")
  }

  /// - Throws: `CloneError` where what a role sees of the tables is not all that they hold.
  static func check(_ names: [String], in connection: PostgresConnection) throws {
    _ = try tables(names, refusingHidden: Set(names), in: connection)
  }

  /// - Throws: `CloneError` (`row-security`) where row-level security can hide rows of a table from the role.
  static func refuseHidden(_ names: [String], in connection: PostgresConnection) throws {
    guard !names.isEmpty else { return }
    let hidden = """
      SELECT n.place, current_user FROM unnest(ARRAY[\(texts(of: names).list)]::text[]) WITH ORDINALITY AS n(name, place)
        WHERE row_security_active(to_regclass(n.name)) ORDER BY n.place
      """
    guard let row = try connection.rows(hidden).first else { return }
    throw CloneError.rowsAreHidden(of: names[row[0].number - 1], row[1].string ?? "")
  }

  /// - Throws: `CloneError` where two names mean one table.
  static func checkPlaces(_ names: [String], in connection: PostgresConnection) throws {
    _ = try tables(names, refusingHidden: [], in: connection)
  }

  static func texts(of tables: some Sequence<String>) -> [String] {
    tables.map { Dialect.postgres.text(Dialect.postgres.table($0)) }
  }

  func isCurrent(in connection: PostgresConnection) throws -> Bool {
    try connection.rows("SELECT (\(conditions)) IS TRUE").first?.first == .integer(1)
  }

  /// A table that exists; what it never had is not looked for, because the first of it changes the table's own row.
  private struct Table {
    let id: Int
    let hasRules: Bool
    let hasTriggers: Bool
    let hasRowSecurity: Bool
    let hidesRows: Bool
    let hadHeirs: Bool
  }

  /// - Returns: nil for each that does not exist.
  private static func tables(
    _ tables: [String], refusingHidden read: Set<String>, in connection: PostgresConnection
  ) throws -> [Table?] {
    let rows = try connection.rows(
      """
      SELECT t.oid, t.relhasrules, t.relrowsecurity, t.relkind = 'r' AND t.relhassubclass,
        row_security_active(t.oid), current_user,
        t.relkind = 'r' AND EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhparent = t.oid),
        EXISTS (SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = t.oid AND NOT g.tgisinternal)
      FROM unnest(ARRAY[\(texts(of: tables).list)]) WITH ORDINALITY AS n(name, place)
        LEFT JOIN pg_catalog.pg_class t ON t.oid = to_regclass(n.name) ORDER BY n.place
      """)
    for (name, row) in zip(tables, rows) where read.contains(name) {
      if row[4].number != 0 { throw CloneError.rowsAreHidden(of: name, row[5].string ?? "") }
      if row[6].number != 0 { throw CloneError.hasHeirs(name) }
    }
    let named = zip(tables, rows).filter { name, row in
      row[0] != .null && (read.isEmpty || read.contains(name))
    }
    let places = Dictionary(grouping: named, by: { $1[0].number })
    if let same = places.values.filter({ $0.count > 1 }).map({ $0.map(\.0) }).min(by: { $0[0] < $1[0] }) {
      throw CloneError.isOneTable(same)
    }
    return rows.map { row in
      guard row[0] != .null else { return nil }
      return Table(
        id: row[0].number, hasRules: row[1].number != 0, hasTriggers: row[7].number != 0,
        hasRowSecurity: row[2].number != 0, hidesRows: row[4].number != 0, hadHeirs: row[3].number != 0)
    }
  }

  /// The rows `t` of the catalogue that are about tables.
  private static func rows(about tables: [Table]) -> [String] {
    let ids = list(tables)
    let (ruled, inherited) = (tables.filter(\.hasRules), tables.filter(\.hadHeirs))
    var rows = [
      "pg_catalog.pg_class t WHERE t.oid = ANY(\(ids))",
      "pg_catalog.pg_attribute t WHERE t.attrelid = ANY(\(ids)) AND t.attnum > 0",
      "pg_catalog.pg_trigger t WHERE t.tgrelid = ANY(\(ids)) AND NOT t.tgisinternal",
      "pg_catalog.pg_constraint t WHERE t.conrelid = ANY(\(ids))",
      "pg_catalog.pg_index t WHERE t.indrelid = ANY(\(ids))",
    ]
    if tables.contains(where: \.hasTriggers) {
      rows.append(
        "pg_catalog.pg_trigger g JOIN pg_catalog.pg_proc t ON t.oid = g.tgfoid "
          + "WHERE g.tgrelid = ANY(\(ids)) AND NOT g.tgisinternal")
    }
    if !ruled.isEmpty { rows.append("pg_catalog.pg_rewrite t WHERE t.ev_class = ANY(\(list(ruled)))") }
    if !inherited.isEmpty {
      rows.append("pg_catalog.pg_inherits t WHERE t.inhparent = ANY(\(list(inherited)))")
    }
    return rows
  }

  private static func list(_ tables: [Table?]) -> String {
    "'{\(tables.map { $0.map { String($0.id) } ?? "NULL" }.joined(separator: ","))}'::oid[]"
  }
}

extension CloneError {
  /// Two names of the model lead to one table, since the search path leads one of them into another schema.
  fileprivate static func isOneTable(_ tables: [String]) -> CloneError {
    CloneError(
      .storeMismatch,
      "the names \(tables.map { "'\($0)'" }.joined(separator: " and ")) of the model mean one table, because the "
        + "search path of this connection leads to it",
      help: "write the schemas of both in the model ('table: public.item')")
  }

  /// Rows of tables that inherit are seen through their parent, and would be copied without what they have beside it.
  fileprivate static func hasHeirs(_ table: String) -> CloneError {
    CloneError(
      .storeMismatch,
      "other tables inherit from the table '\(table)', and a clone would put copies of their rows into '\(table)' itself, without "
        + "their own columns; such tables cannot be cloned")
  }

  /// Row-level security leaves rows out without an error, and a clone would lack them.
  fileprivate static func rowsAreHidden(of table: String, _ role: String) -> CloneError {
    CloneError(
      .rowSecurity,
      "row-level security can hide rows of the table '\(table)' from the role '\(role)', so what is cloned or "
        + "found could be incomplete",
      help: PostgresErrors.seeingEveryRow)
  }
}
