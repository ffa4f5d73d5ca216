import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The programs of plans on one connection, each as long as the tables that it is about stay as they are.
final class PostgresPrograms {
  private let connection: PostgresConnection
  var mapping: SchemaMapping {
    didSet { kept.removeAll() }
  }
  private var kept: [Key: (program: PostgresProgram, state: PostgresTableState)] = [:]

  private struct Key: Hashable {
    var shape: ObjectIdentifier
    var keepsMapping = false
    var severalRoots = false
    var dialect: String
  }

  private static let capacity = 32

  init(_ connection: PostgresConnection, mapping: SchemaMapping) {
    self.connection = connection
    self.mapping = mapping
  }

  func program(
    of plan: ClonePlan, keepsMapping: Bool = false, severalRoots: Bool = false,
    dialect: Dialect = .postgres
  ) throws -> PostgresProgram {
    let key = Key(
      shape: ObjectIdentifier(plan.identity.shape), keepsMapping: keepsMapping,
      severalRoots: severalRoots, dialect: dialect.id)
    if let kept = kept[key], try kept.state.isCurrent(in: connection) { return kept.program }
    let leftOut = try visible(StoreCheck.tablesLeftOut(of: plan, mapping: mapping))
    let tables = try StoreCheck.tables(of: plan, mapping: mapping).union(leftOut).sorted()
    let state = try PostgresTableState(of: tables, refusingHidden: plan.tables(mapping), in: connection)
    let schema = try PostgresSchemaReader(connection).schema(of: tables).with(dialect)
    let layout = try CloneLayout(
      plan: plan, mapping: mapping, schema: schema, keepsMapping: keepsMapping,
      severalRoots: severalRoots)
    let program = try PostgresProgram(layout)
    if kept.count >= Self.capacity { kept.removeAll(keepingCapacity: true) }
    kept[key] = (program, state)
    return program
  }

  /// Those tables that are in schemas that the role may use.
  func visible(_ tables: Set<String>) throws -> [String] {
    let dotted = tables.filter { $0.contains(".") }
    guard !dotted.isEmpty else { return Array(tables) }
    let schemas = try connection.rows(
      "SELECT nspname::text FROM pg_catalog.pg_namespace WHERE has_schema_privilege(oid, 'USAGE')")
    let usable = Set(schemas.compactMap { $0[0].string?.sqlName })
    return tables.filter { table in
      !dotted.contains(table) || usable.contains(String(table.prefix { $0 != "." }).sqlName)
    }
  }

  /// The program of a plan and its tables' state as they were last; nil where there was none.
  func last(of plan: ClonePlan) -> (program: PostgresProgram, state: PostgresTableState)? {
    kept[Key(shape: ObjectIdentifier(plan.identity.shape), dialect: Dialect.postgres.id)]
  }
}

extension ClonePlan {
  /// The tables whose rows a clone copies or links, and the join tables between them.
  fileprivate func tables(_ mapping: SchemaMapping) -> Set<String> {
    let asked = nodes.flatMap { node in
      node.relationships.filter(\.rule.asks).map { (node.entity, $0.relationship) }
    }
    let joins = asked.compactMap { entity, relationship -> String? in
      guard case .join(let join) = mapping[entity].relationships[relationship.name] else { return nil }
      return join.table
    }
    return Set((nodes.map(\.entity) + asked.map(\.1.destination)).map { mapping[$0].table } + joins)
  }
}

/// A program, and the same as one statement where that can be; each is rendered when it is asked for first.
final class PostgresProgram {
  let program: SQLProgram
  private var singles: [SingleKind: SingleStatement?] = [:]
  let analysis = StatementAnalysis()

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

/// When the server analysed statements, which tells that their tables are still what they were: it does so again once a
/// table has another column, trigger, rule or policy.
///
/// The instant is to be trusted once a statement has run twice without being analysed in between, and the catalogue was
/// looked at before and behind each time.
final class StatementAnalysis {
  private var known: [String: (instant: String, isTrusted: Bool)] = [:]

  func trusted(_ statement: SingleStatement) -> String? {
    known[statement.sql].flatMap { $0.isTrusted ? $0.instant : nil }
  }

  /// Notes an instant of a statement that ran once the catalogue had been looked at, or at a trusted instant.
  func note(_ instant: String?, of statement: SingleStatement) {
    known[statement.sql] = instant.map { ($0, known[statement.sql]?.instant == $0) }
  }

  func forget(_ statement: SingleStatement) { known[statement.sql] = nil }
}
