import MOCloneEngine
import MOCloneSQL

/// What the catalogue says of some tables, in a text that becomes another one as soon as a statement changes any of it.
///
/// Whatever changes a row of the catalogue leaves its number in it (`xmin`). The rows are counted, and hash values of their
/// numbers are added up, in whatever order the server finds them.
struct PostgresTableState {
  /// An expression of SQL with the text that it gave.
  private struct Inquiry {
    let sql: String
    var text = ""
  }

  /// All that a program is made from.
  private var all: Inquiry
  /// What lets a program do something else than its plan says. Constraints and indexes do not: where a program breaks one,
  /// the server refuses it.
  private var essential: Inquiry

  /// A statement that selects the number of the transaction, and fails where the tables' columns or triggers are others. It
  /// costs the server a few look-ups in indexes.
  var guardStatement: (sql: String, arguments: [String: StoredValue]) {
    (
      "SELECT pg_catalog.pg_current_xact_id()::text, 1 / CASE \(essential.sql) WHEN $state::text THEN 1 ELSE 0 END",
      ["state": .text(essential.text)]
    )
  }

  /// - Parameter read: those of the tables of which the role must see all rows.
  /// - Throws: `CloneError` where it does not.
  init(of tables: [String], refusingHidden read: Set<String> = [], in connection: PostgresConnection) throws {
    let names = tables.map { Dialect.postgres.text(Dialect.postgres.table($0)) }
    let found = try Self.tables(tables, names: names, connection: connection, read: read)
    all = Inquiry(
      sql: Self.inquiry(names, tables: found, alsoIn: ["pg_constraint": "conrelid", "pg_index": "indrelid"]))
    essential = Inquiry(sql: Self.inquiry(names, tables: found))
    let texts = try connection.rows("SELECT \(all.sql), \(essential.sql)").first ?? []
    (all.text, essential.text) = (texts.first?.string ?? "", texts.last?.string ?? "")
  }

  /// - Throws: `CloneError` where what a role sees of the tables is not all that they hold.
  static func check(_ names: [String], in connection: PostgresConnection) throws {
    _ = try tables(
      names, names: names.map { Dialect.postgres.text(Dialect.postgres.table($0)) }, connection: connection,
      read: Set(names))
  }

  func isCurrent(in connection: PostgresConnection) throws -> Bool {
    try connection.rows("SELECT \(all.sql)").first?.first?.string == all.text
  }

  /// A table that exists; what it never had is not looked for, because the first of it changes the table's own row.
  private struct Table {
    let id: Int
    let hasRules: Bool
    let hasTriggers: Bool
    let hasRowSecurity: Bool
    let hadHeirs: Bool
  }

  private static func tables(
    _ tables: [String], names: [String], connection: PostgresConnection, read: Set<String>
  ) throws -> [Table] {
    let rows = try connection.rows(
      """
      SELECT t.oid, t.relhasrules, t.relrowsecurity, t.relkind = 'r' AND t.relhassubclass,
        row_security_active(t.oid), current_user,
        t.relkind = 'r' AND EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhparent = t.oid),
        EXISTS (SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = t.oid AND NOT g.tgisinternal)
      FROM unnest(ARRAY[\(names.list)]) WITH ORDINALITY AS n(name, place)
        LEFT JOIN pg_catalog.pg_class t ON t.oid = to_regclass(n.name) ORDER BY n.place
      """)
    for (name, row) in zip(tables, rows) where read.contains(name) {
      if row[4].number != 0 { throw CloneError.rowsAreHidden(of: name, row[5].string ?? "") }
      if row[6].number != 0 { throw CloneError.hasHeirs(name) }
    }
    return rows.filter { $0[0] != .null }.map {
      Table(
        id: $0[0].number, hasRules: $0[1].number != 0, hasTriggers: $0[7].number != 0,
        hasRowSecurity: $0[2].number != 0,
        hadHeirs: $0[3].number != 0)
    }
  }

  /// - Parameter alsoIn: further tables of the catalogue, each with the column that names the table which a row is about.
  private static func inquiry(
    _ names: [String], tables: [Table], alsoIn more: KeyValuePairs<String, String> = [:]
  ) -> String {
    let ids = list(tables)
    var numbers = [
      Self.numbers(in: "pg_class", where: "t.oid = \(ids)"),
      Self.numbers(in: "pg_attribute", where: "t.attrelid = \(ids) AND t.attnum > 0"),
      Self.numbers(in: "pg_trigger", where: "t.tgrelid = \(ids) AND NOT t.tgisinternal"),
    ]
    numbers += more.map { Self.numbers(in: $0, where: "t.\($1) = \(ids)") }
    if tables.contains(where: \.hasTriggers) {
      numbers.append(
        "SELECT t.xmin FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_proc t ON t.oid = g.tgfoid "
          + "WHERE g.tgrelid = \(ids) AND NOT g.tgisinternal")
    }
    if tables.contains(where: \.hasRules) {
      numbers.append(Self.numbers(in: "pg_rewrite", where: "t.ev_class = \(list(tables.filter(\.hasRules)))"))
    }
    if tables.contains(where: \.hadHeirs) {
      numbers.append(
        Self.numbers(in: "pg_inherits", where: "t.inhparent = \(list(tables.filter(\.hadHeirs)))"))
    }
    let all = numbers.joined(separator: " UNION ALL ")
    let parts =
      [
        "ARRAY[\(names.map { "to_regclass(\($0))::oid" }.list)]",
        "(SELECT concat_ws(' ', count(*), sum(hashtextextended(r.xmin::text, 0))) FROM (\(all)) r)",
      ] + tables.filter(\.hasRowSecurity).map { "row_security_active(\($0.id)::oid)" }
    return "concat_ws(' ', \(parts.list))"
  }

  private static func list(_ tables: [Table]) -> String {
    "ANY('{\(tables.map { String($0.id) }.joined(separator: ","))}'::oid[])"
  }

  private static func numbers(in catalogue: String, where condition: String) -> String {
    "SELECT t.xmin FROM pg_catalog.\(catalogue) t WHERE \(condition)"
  }
}

extension CloneError {
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
      "row-level security can hide rows of the table '\(table)' from the role '\(role)', so what is cloned or found could be incomplete; "
        + "connect as the owner of the table, or as a role with BYPASSRLS")
  }
}
