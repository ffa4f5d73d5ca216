import GRDB
import MOCloneModel
import MOCloneSQL

/// A row program on one connection: which statements it has there, and what each of their parameters represents.
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

  /// Selects rows and inserts them.
  struct Write {
    var select: Prepared
    var insert: RawStatement
  }

  /// The statements by kind, in the order of the program.
  struct Statements {
    var root: Prepared
    var expansions: [Prepared]
    var checks: [Prepared]
    var writes: [Write]
    var joins: [Write]
    var links: [Prepared]
  }

  /// Where the parents of a table plan's objects are told.
  struct Parent {
    var tablePlan: Int
    var column: Int
  }

  /// What the columns of a table plan's map are.
  struct Shape {
    var width: Int
    var old: [Int]
    /// Empty where the new key is the object's number and the key offset.
    var new: [Int]
    /// Nil where all objects are of the first entity.
    var entity: Int?
    var entities: [String]
    var keyOffset: String
    var coding: KeyCoding

    init(_ tablePlan: CloneTablePlan, mapping: SchemaMapping) {
      width = tablePlan.foundColumns.count
      old = tablePlan.keyColumns.indices.map { tablePlan.mapColumn("o\($0)")! }
      new = tablePlan.hasRowidKey ? [] : tablePlan.keyColumns.indices.map { tablePlan.mapColumn("n\($0)")! }
      entity = tablePlan.mapColumn("entity")
      entities = tablePlan.entities
      keyOffset = "keyOffset\(tablePlan.index)"
      coding = KeyCoding(entity: mapping[tablePlan.name])
    }
  }

  let program: RowProgram
  /// The names of the parameters that are the same for all objects.
  private(set) var constants: [String] = []
  /// By table plan; nil for the root's.
  let parents: [Parent?]
  let shapes: [Shape]
  /// In the order in which the statements are asked for.
  private var kept: [(statement: KeptStatement, bindings: [Binding]?)] = []

  init(_ program: RowProgram) {
    self.program = program
    shapes = program.layout.tablePlans.map { Shape($0, mapping: program.layout.mapping) }
    parents = program.layout.tablePlans.map { tablePlan in
      guard let column = tablePlan.mapColumn("parent"), !tablePlan.accessPaths.isEmpty else { return nil }
      return Parent(tablePlan: program.layout.source(of: tablePlan).index, column: column)
    }
  }

  func statements(in db: Database) throws -> Statements {
    var place = 0
    func prepared(_ step: RowProgram.Step) throws -> Prepared {
      defer { place += 1 }
      return try self.prepared(step, place, db)
    }
    func write(_ write: RowProgram.Write) throws -> Write {
      try Write(
        select: prepared(write.step),
        insert: prepared(RowProgram.Step(tablePlan: write.step.tablePlan, sql: write.insert)).raw)
    }
    return try Statements(
      root: prepared(program.root), expansions: program.expansions.map { try prepared($0.step) },
      checks: program.checks.map { try prepared(RowProgram.Step(tablePlan: $0.tablePlan, sql: $0.sql)) },
      writes: program.writes.map(write), joins: program.joins.map(write),
      links: program.links.map { try prepared($0.step) })
  }

  private func prepared(_ step: RowProgram.Step, _ place: Int, _ db: Database) throws -> Prepared {
    if place == kept.count { kept.append((KeptStatement(step.sql), nil)) }
    let raw = try kept[place].statement.raw(in: db)
    if let bindings = kept[place].bindings { return Prepared(raw: raw, bindings: bindings) }
    let bindings = try raw.parameters.compactMap { $0 }.map { try binding(of: $0, step.tablePlan) }
    kept[place].bindings = bindings
    return Prepared(raw: raw, bindings: bindings)
  }

  /// `row_m_o0` is column `o0` of the object, `row_y1_seq` the number of its parent.
  private func binding(of name: String, _ tablePlan: Int) throws -> Binding {
    let parts = name.split(separator: "_", maxSplits: 2).map(String.init)
    guard parts.count == 3, parts[0] == "row" else { return .constant(constant(name)) }
    let tablePlans = program.layout.tablePlans
    let own = tablePlans[tablePlan]
    switch parts[1] {
    case "m", "p", "x", "y": return .own(own.mapColumn(parts[2]))
    case "r": return .root(tablePlans.first { $0.hasRoot }!.mapColumn(parts[2]))
    default: return .parent(program.layout.source(of: own).mapColumn(parts[2]))
    }
  }

  private func constant(_ name: String) -> Int {
    if let place = constants.firstIndex(of: name) { return place }
    constants.append(name)
    return constants.count - 1
  }
}

extension CloneTablePlan {
  /// The place of a column of the map, nil for the number of the object.
  func mapColumn(_ name: String) -> Int? {
    foundColumns.firstIndex(of: name)
  }
}
