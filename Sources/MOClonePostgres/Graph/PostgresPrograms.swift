import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The programs of plans on one connection, each as long as the tables that it is about stay as they are.
final class PostgresPrograms {
  private let connection: PostgresConnection
  private let mapping: SchemaMapping
  private var kept: [Key: (program: PostgresProgram, tables: [String], catalogue: String)] = [:]

  private struct Key: Hashable {
    var shape: ObjectIdentifier
    var keepsMapping: Bool
    var dialect: String
  }

  private static let capacity = 32

  init(_ connection: PostgresConnection, _ mapping: SchemaMapping) {
    self.connection = connection
    self.mapping = mapping
  }

  func program(
    of plan: ClonePlan, keepsMapping: Bool = false, dialect: Dialect = .postgres
  ) throws -> PostgresProgram {
    let key = Key(
      shape: ObjectIdentifier(plan.identity.shape), keepsMapping: keepsMapping, dialect: dialect.id)
    let tables = kept[key]?.tables ?? StoreCheck.tables(of: plan.entities, plan.model, mapping).sorted()
    let catalogue = try catalogue(of: tables)
    if let table = catalogue.filtered.first { throw CloneError.rowsAreHidden(of: table, catalogue.role) }
    if let table = catalogue.inherited.first { throw CloneError.hasHeirs(table) }
    if let kept = kept[key], kept.catalogue == catalogue.state { return kept.program }
    let schema = try PostgresSchemaReader(connection).schema(of: tables).with(dialect)
    let layout = try CloneLayout(plan: plan, mapping: mapping, schema: schema, keepsMapping: keepsMapping)
    let program = try PostgresProgram(layout)
    if kept.count >= Self.capacity { kept.removeAll(keepingCapacity: true) }
    kept[key] = (program, tables, catalogue.state)
    return program
  }

  /// What changes whenever a statement changes what the catalogue says of some tables, which is the transactions that
  /// wrote its rows; the tables whose rows the server may hide from the role; and those from which others inherit.
  private func catalogue(
    of tables: [String]
  ) throws -> (state: String, filtered: [String], inherited: [String], role: String) {
    let names = tables.map { Dialect.postgres.text(Dialect.postgres.table($0)) }.list
    let rows = try connection.rows(
      """
      SELECT concat_ws(' ', t.oid, t.xmin,
        (SELECT concat(count(*), max(a.xmin::text::bigint)) FROM pg_attribute a WHERE a.attrelid = t.oid),
        (SELECT concat(count(*), max(c.xmin::text::bigint)) FROM pg_constraint c WHERE c.conrelid = t.oid),
        (SELECT concat(count(*), max(i.xmin::text::bigint)) FROM pg_index i WHERE i.indrelid = t.oid),
        (SELECT concat(count(*), max(g.xmin::text::bigint), max(p.xmin::text::bigint))
          FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid WHERE g.tgrelid = t.oid),
        (SELECT concat(count(*), max(r.xmin::text::bigint)) FROM pg_rewrite r WHERE r.ev_class = t.oid)),
        row_security_active(t.oid), current_user,
        t.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits h WHERE h.inhparent = t.oid)
      FROM unnest(ARRAY[\(names)]) WITH ORDINALITY AS n(name, place)
        LEFT JOIN pg_class t ON t.oid = to_regclass(n.name) ORDER BY n.place
      """)
    return (
      rows.map { AttributeValue(raw: $0[0]).description }.joined(separator: "; "),
      zip(tables, rows).filter { $1[1].number != 0 }.map(\.0),
      zip(tables, rows).filter { $1[3].number != 0 }.map(\.0), rows.first?[2].string ?? ""
    )
  }
}

/// A program, and the same as one statement where that can be; each is rendered when it is asked for first.
final class PostgresProgram {
  let program: SQLProgram
  private var singles: [SingleKind: SingleStatement?] = [:]

  private struct SingleKind: Hashable {
    var countsLinks: Bool
    var writes: Bool
  }

  init(_ layout: CloneLayout) throws {
    program = try SQLProgram(layout)
  }

  /// The clone as one statement, with the number of objects that are linked or without.
  func single(countsLinks: Bool) throws -> SingleStatement? { try single(countsLinks, writes: true) }

  /// Counts what a clone would contain.
  func looking() throws -> SingleStatement? { try single(true, writes: false) }

  private func single(_ countsLinks: Bool, writes: Bool) throws -> SingleStatement? {
    let kind = SingleKind(countsLinks: countsLinks, writes: writes)
    if let known = singles[kind] { return known }
    let made = try SingleStatement(program.layout, countsLinks: countsLinks, writes: writes)
    singles[kind] = made
    return made
  }

  /// All statements, for people.
  var statements: [String] {
    get throws { try single(countsLinks: false).map { [$0.sql] } ?? program.statements }
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
      "row-level security can hide rows of the table '\(table)' from the role '\(role)', so a clone could be incomplete; "
        + "connect as the owner of the table, or as a role with BYPASSRLS")
  }
}
