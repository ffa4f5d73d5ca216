import GRDB
import GRDBSQLite

/// A row program on one connection: which statements it has there, and what each of their parameters stands for.
final class PreparedRows {
  /// What a parameter is given.
  enum Binding {
    /// A column of the map, nil for the number of the object; of the object itself, its parent or the root.
    case own(Int?)
    case parent(Int?)
    case root(Int?)
    /// The same for all objects, by its place among `constants`.
    case constant(Int)
  }

  struct Prepared {
    var raw: RawStatement
    var bindings: [Binding]
  }

  let program: RowProgram
  /// The names of the parameters that are the same for all objects.
  private(set) var constants: [String] = []
  private let texts: [(sql: String, family: Int)]
  private var kept: [Kept?]

  /// GRDB keeps the statement, and drops it where it must.
  private struct Kept {
    weak var statement: Statement?
    var bindings: [Binding]
  }

  init(_ program: RowProgram) {
    self.program = program
    let steps =
      [program.root] + program.expansions.map(\.step)
      + program.checks.map { RowProgram.Step(family: $0.family, sql: $0.sql) } + program.writes
      + program.joins.map(\.step) + program.links.map(\.step)
    texts = steps.map { ($0.sql, $0.family) }
    kept = Array(repeating: nil, count: texts.count)
  }

  /// The statements by kind, in the order of the program.
  struct Statements {
    var root: Prepared
    var expansions: ArraySlice<Prepared>
    var checks: ArraySlice<Prepared>
    var writes: ArraySlice<Prepared>
    var joins: ArraySlice<Prepared>
    var links: ArraySlice<Prepared>
  }

  func statements(in db: Database) throws -> Statements {
    var all: [Prepared] = []
    all.reserveCapacity(texts.count)
    for i in texts.indices { all.append(try prepared(i, db)) }
    var rest = all[...].dropFirst()
    func take(_ count: Int) -> ArraySlice<Prepared> {
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    return Statements(
      root: all[0], expansions: take(program.expansions.count), checks: take(program.checks.count),
      writes: take(program.writes.count), joins: take(program.joins.count), links: rest)
  }

  private func prepared(_ i: Int, _ db: Database) throws -> Prepared {
    if let kept = kept[i], let statement = kept.statement {
      return Prepared(raw: RawStatement(statement, in: db), bindings: kept.bindings)
    }
    let statement = try db.cachedStatement(sql: texts[i].sql)
    let raw = RawStatement(statement, in: db)
    let names = raw.parameters
    // GRDB runs a statement only where it has been given something for each parameter.
    try statement.setArguments(StatementArguments(names.map { _ in DatabaseValue.null }))
    let bindings = try kept[i]?.bindings ?? names.map { try binding(of: $0, family: texts[i].family) }
    kept[i] = Kept(statement: statement, bindings: bindings)
    return Prepared(raw: raw, bindings: bindings)
  }

  /// `row_m_o0` is column `o0` of the object, `row_y1_seq` the number of its parent.
  private func binding(of name: String, family: Int) throws -> Binding {
    let parts = name.split(separator: "_", maxSplits: 2).map(String.init)
    guard parts.count == 3, parts[0] == "row" else { return .constant(constant(name)) }
    let families = program.layout.families
    let own = families[family]
    switch parts[1] {
    case "m", "p", "x", "y": return .own(own.mapColumn(parts[2]))
    case "r": return .root(families.first { $0.hasRoot }!.mapColumn(parts[2]))
    default: return .parent(program.layout.source(of: own).mapColumn(parts[2]))
    }
  }

  private func constant(_ name: String) -> Int {
    if let place = constants.firstIndex(of: name) { return place }
    constants.append(name)
    return constants.count - 1
  }
}

extension Family {
  /// The place of a column of the map, nil for the number of the object.
  func mapColumn(_ name: String) -> Int? {
    foundColumns.firstIndex(of: name)
  }
}
