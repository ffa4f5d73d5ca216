import MOCloneEngine
import MOCloneSQL

/// One expansion within a cycle, run for each generation: a chain has as many as objects, so it costs no more than
/// binding and stepping.
struct GenerationStep {
  private let statement: RawStatement
  private let statements: StatementRunner
  /// The table plans that the rows of a generation are taken from, and the parameters that say which.
  private let ranges: [(source: Int, from: Int32, to: Int32)]

  init(_ expansion: SQLProgram.Expansion, statements: StatementRunner) throws {
    let statement = try statements.repeated(expansion.sql)
    ranges = expansion.sources.map { source in
      (source, statement.parameter("from\(source)"), statement.parameter("to\(source)"))
    }
    self.statement = statement
    self.statements = statements
  }

  /// Runs for the rows that each table plan gained.
  ///
  /// - Returns: how many rows were entered.
  func run(after seen: [Int], to last: [Int]) throws -> Int {
    guard ranges.contains(where: { last[$0.source] > seen[$0.source] }) else { return 0 }
    for (source, from, to) in ranges {
      statement.bind(seen[source] + 1, at: from)
      statement.bind(last[source], at: to)
    }
    try Cancellation.check()
    statements.begin()
    return try statement.execute()
  }
}
