import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The program of a plan on a connection of SQLite.
final class SQLiteCloneSession: CloneSession {
  let connection: Database
  let statements: StatementRunner
  private let prepared: PreparedClone
  /// The number by which statements find the generator of the run.
  private var generator: Int64?

  init(_ db: Database, prepared: PreparedClone) {
    connection = db
    statements = StatementRunner(db)
    self.prepared = prepared
  }

  var program: SQLProgram { prepared.program }

  func begin(_ generator: ValueGenerator) throws {
    try ConnectionState.of(connection).register(in: connection)
    let number = Functions.begin(generator)
    self.generator = number
    statements.bind("run", .integer(Int64(number)))
  }

  func end() {
    if let generator { Functions.end(generator) }
    generator = nil
  }

  func greatestNumbers() throws -> [(tablePlan: Int, number: Int64)] {
    try prepared.greatestNumbers(in: connection)
  }

  func mayDangle(_ greatest: [(tablePlan: Int, number: Int64)]) throws -> Bool {
    try prepared.mayDangle(greatest, in: connection)
  }

  func makeTables() throws {
    try prepared.makeTables(statements)
  }

  // MARK: Small closures, written row by row

  func cloneSmall(
    _ root: ObjectID, executor: CloneExecutor<SQLiteCloneSession>, into result: inout CloneResult
  ) throws -> Bool {
    guard let rows = try executor.options.measure(.closure, { try small(root, executor: executor) }) else {
      return false
    }
    try clone(rows, executor: executor, into: &result)
    return true
  }

  /// The closure of a root, where it is small and nothing of it is refused.
  private func small(_ root: ObjectID, executor: CloneExecutor<SQLiteCloneSession>) throws -> RowClone? {
    guard let preparedRows = prepared.rows, executor.options.smallClosure > 0 else { return nil }
    try executor.bindKeyOffsets()
    if executor.mayDangle { return nil }
    try executor.bind(root)
    statements.bind("root", .integer(1))
    let rows = try RowClone(connection, prepared: preparedRows, runner: statements, options: executor.options)
    return try rows.find() ? rows : nil
  }

  private func clone(
    _ rows: RowClone, executor: CloneExecutor<SQLiteCloneSession>, into result: inout CloneResult
  ) throws {
    let options = executor.options
    if options.countsLinks { try options.measure(.closure) { try rows.countLinks(into: &result) } }
    try executor.checkRoom { rows.maps[$0.index].count }
    try options.measure(.write) { try write(rows, executor: executor) }
    try options.measure(.joins) {
      for (place, join) in program.joins.enumerated() {
        let written = try executor.translating(join) { try rows.writeJoin(place) }
        try executor.compare(written.count, with: written.expected, table: join.table.name)
      }
    }
    rows.countObjects(into: &result)
    result.roots.append(rows.clone(0, prepared.rows!.program.root.tablePlan))
    guard options.keepsMapping else { return }
    for tablePlan in rows.maps.indices {
      try options.keep(rows.pairs(tablePlan, rows: 0..<rows.maps[tablePlan].count), in: &result)
    }
  }

  private func write(_ rows: RowClone, executor: CloneExecutor<SQLiteCloneSession>) throws {
    var objects = 0
    for (place, write) in program.writes.enumerated() {
      let tablePlan = program.layout.tablePlans[write.tablePlan]
      let written = try executor.translating(tablePlan, first: rows.first) { try rows.write(place) }
      try executor.compare(
        written.count, with: rows.maps[tablePlan.index].count, table: tablePlan.table.name)
      objects += written.count
      try executor.options.report(
        CloneProgress(phase: .write, objects: objects, total: rows.maps.map(\.count).reduce(0, +)))
    }
  }
}
