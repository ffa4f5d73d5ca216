import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneSQL

/// The clone of a small closure: its objects are found into memory, then written row by row.
///
/// Nothing is written before the whole closure is known. Statements: for each object one for
/// each cloned relationship and check, and two for its row; for each join table one an object and one a row.
final class RowClone {
  private let db: Database
  private let prepared: PreparedRows
  private let all: PreparedRows.Statements
  private let runner: StatementRunner
  private let options: CloneOptions
  private var constants: [RawValue] = []
  /// By table plan.
  private(set) var maps: [RowMap]
  /// The object, by its place in its map, whose row is being written.
  private var writing = 0

  private let program: RowProgram
  private let rootTablePlan: Int
  private let shapes: [PreparedRows.Shape]

  init(_ db: Database, prepared: PreparedRows, runner: StatementRunner, options: CloneOptions) throws {
    self.db = db
    self.prepared = prepared
    program = prepared.program
    shapes = prepared.shapes
    rootTablePlan = program.root.tablePlan
    self.runner = runner
    self.options = options
    all = try prepared.statements(in: db)
    maps = shapes.map { RowMap($0) }
  }

  /// Finds the objects of the root whose key the runner's parameters hold, and checks them.
  ///
  /// - Returns: false where they are too many, or where a check finds something: that is for the statements for all
  ///   objects to clone, or to report.
  func find() throws -> Bool {
    constants = prepared.constants.map { RawValue(runner.bound($0)) }
    guard try append(all.root, to: rootTablePlan, own: nil), maps[rootTablePlan].count == 1 else {
      return false
    }
    for (statement, expansion) in zip(all.expansions, program.expansions) {
      for row in 0..<maps[expansion.step.tablePlan].count {
        guard try append(statement, to: expansion.target, own: (expansion.step.tablePlan, row)) else {
          return false
        }
      }
      try options.report(CloneProgress(phase: .closure, objects: count))
    }
    return try holds()
  }

  /// - Returns: false where the closure has become too large, or an object has no key.
  private func append(
    _ statement: PreparedRows.Prepared, to tablePlan: Int, own: (tablePlan: Int, row: Int)?
  ) throws -> Bool {
    bind(statement, own)
    runner.begin()
    while try statement.raw.step() {
      maps[tablePlan].append(statement.raw)
      guard count <= options.smallClosure, maps[tablePlan].hasKey else {
        statement.raw.reset()
        return false
      }
    }
    return true
  }

  var count: Int { maps.reduce(0) { $0 + $1.count } }

  private func holds() throws -> Bool {
    for (statement, check) in zip(all.checks, program.checks) {
      for row in 0..<maps[check.tablePlan].count {
        bind(statement, (check.tablePlan, row))
        runner.begin()
        guard try statement.raw.step() else { continue }
        statement.raw.reset()
        return false
      }
    }
    return true
  }

  // MARK: Parameters

  private func bind(_ statement: PreparedRows.Prepared, _ own: (tablePlan: Int, row: Int)?) {
    for (i, binding) in statement.bindings.enumerated() {
      let parameter = Int32(i + 1)
      switch binding {
      case .own(let column):
        bind(statement.raw, parameter: parameter, in: own!.tablePlan, row: own!.row, column: column)
      case .root(let column):
        bind(statement.raw, parameter: parameter, in: rootTablePlan, row: 0, column: column)
      case .parent(let column):
        let (tablePlan, row) = parent(of: own!)
        bind(statement.raw, parameter: parameter, in: tablePlan, row: row, column: column)
      case .constant(let place): statement.raw.bind(constants[place], at: parameter)
      }
    }
  }

  private func bind(_ statement: RawStatement, parameter: Int32, in tablePlan: Int, row: Int, column: Int?) {
    if let column {
      statement.bind(maps[tablePlan][row, column], at: parameter)
    } else {
      statement.bind(row + 1, at: parameter)
    }
  }

  private func parent(of own: (tablePlan: Int, row: Int)) -> (tablePlan: Int, row: Int) {
    guard let parent = prepared.parents[own.tablePlan],
      case .integer(let seq) = maps[own.tablePlan][own.row, parent.column]
    else { preconditionFailure("every object but the root has a parent") }
    return (parent.tablePlan, Int(seq) - 1)
  }
}

// MARK: - Writing

extension RowClone {
  /// Writes the objects of one table plan.
  func write(_ place: Int) throws -> Written { try write(program.writes[place], all.writes[place]) }

  /// Writes the rows of one join table.
  func writeJoin(_ place: Int) throws -> Written { try write(program.joins[place], all.joins[place]) }

  /// How many rows there were to write, and how many the table took.
  struct Written {
    var expected = 0
    var count = 0
  }

  private func write(_ write: RowProgram.Write, _ statements: PreparedRows.Write) throws -> Written {
    var written = Written()
    var waiting: [(row: Int, values: [RawValue])] = []
    for row in 0..<maps[write.step.tablePlan].count {
      writing = row
      bind(statements.select, (write.step.tablePlan, row))
      runner.begin()
      defer { statements.select.raw.reset() }
      while try statements.select.raw.step() {
        written.expected += 1
        if write.readsFirst {
          waiting.append((row, statements.select.raw.row))
        } else {
          written.count += try insert(statements.insert) { $0.bindRow(of: statements.select.raw) }
        }
      }
    }
    if write.isNumbered { waiting.sort { number($0.values) < number($1.values) } }
    for (row, values) in waiting {
      writing = row
      var values = values
      if write.isNumbered { values.removeLast() }
      written.count += try insert(statements.insert) { $0.bind(values) }
    }
    return written
  }

  /// What stands behind the columns of a row and says where it comes.
  private func number(_ values: [RawValue]) -> Int64 { values.last?.stored.integer ?? 0 }

  /// Through GRDB, whose observers are told of every row.
  private func insert(_ statement: RawStatement, bind: (RawStatement) -> Void) throws -> Int {
    // GRDB leaves a statement where it ended, and there it takes no parameters.
    statement.reset()
    bind(statement)
    runner.begin()
    try statement.statement.execute()
    return Int(sqlite3_changes(db.sqliteConnection))
  }

  /// The number of distinct objects that the clones link to, by entity.
  func countLinks(into result: inout CloneResult) throws {
    var keys: [String: Set<[RawValue]>] = [:]
    for (statement, link) in zip(all.links, program.links) {
      for row in 0..<maps[link.step.tablePlan].count {
        bind(statement, (link.step.tablePlan, row))
        runner.begin()
        while try statement.raw.step() {
          keys[link.entity, default: []].insert(statement.raw.row.map(\.comparable))
        }
      }
    }
    for (entity, keys) in keys { result.linked[entity, default: 0] += keys.count }
  }

  /// The keys of the originals and of their clones, in the order of the clones'.
  func pairs(_ tablePlan: Int, rows: Range<Int>) -> [CloneResult.Pair] {
    rows.map { row in
      CloneResult.Pair(original: original(row, in: tablePlan), clone: clone(row, tablePlan))
    }
  }

  func clone(_ row: Int, _ tablePlan: Int) -> ObjectID {
    let shape = shapes[tablePlan]
    let keyOffset = runner.bound(shape.keyOffset).integer ?? 0
    let key =
      shape.new.isEmpty
      ? ObjectKey([.integer(Int64(row) + 1 + keyOffset)]) : key(shape.new, of: row, tablePlan: tablePlan)
    return ObjectID(entity(of: row, tablePlan), key: key)
  }

  private func original(_ row: Int, in tablePlan: Int) -> ObjectID {
    ObjectID(entity(of: row, tablePlan), key: key(shapes[tablePlan].old, of: row, tablePlan: tablePlan))
  }

  private func key(_ columns: [Int], of row: Int, tablePlan: Int) -> ObjectKey {
    ObjectKey(
      columns.enumerated().map { part, column in
        shapes[tablePlan].coding.decode(maps[tablePlan][row, column].stored, part: part)
      })
  }

  private func entity(of row: Int, _ tablePlan: Int) -> String {
    guard let column = shapes[tablePlan].entity, case .integer(let number) = maps[tablePlan][row, column]
    else {
      return shapes[tablePlan].entities[0]
    }
    return shapes[tablePlan].entities[Int(number)]
  }

  /// How many objects were cloned, by concrete entity.
  func countObjects(into result: inout CloneResult) {
    for tablePlan in maps.indices where maps[tablePlan].count > 0 {
      if shapes[tablePlan].entity == nil {
        result.cloned[shapes[tablePlan].entities[0], default: 0] += maps[tablePlan].count
      } else {
        for row in 0..<maps[tablePlan].count { result.cloned[entity(of: row, tablePlan), default: 0] += 1 }
      }
    }
  }

  /// The original of the row that is being written.
  func first(
    _ tablePlan: CloneTablePlan, with columns: [String]
  ) throws -> (object: ObjectID, isRoot: Bool)? {
    (original(writing, in: tablePlan.index), tablePlan.hasRoot && writing == 0)
  }
}

/// The map of one table plan in memory: the columns of `CloneTablePlan.foundColumns` for each object.
struct RowMap {
  private let width: Int
  private let keys: [Int]
  private var values: [RawValue] = []
  private(set) var count = 0

  init(_ shape: PreparedRows.Shape) {
    width = shape.width
    keys = shape.old
  }

  /// Whether the object that was appended last has each part of its key: SQLite lets some be null.
  var hasKey: Bool { keys.allSatisfy { self[count - 1, $0] != .null } }

  subscript(row: Int, column: Int) -> RawValue { values[row * width + column] }

  mutating func append(_ statement: RawStatement) {
    for column in 0..<width { values.append(statement.value(column)) }
    count += 1
  }
}

extension RawValue {
  /// The value as SQL compares it: whole numbers are equal in either type.
  fileprivate var comparable: RawValue {
    guard case .real(let number) = self, let whole = Int64(exactly: number) else { return self }
    return .integer(whole)
  }
}
