import MOCloneModel

/// Follows the steps of a recursion from one generation of what it finds to the next, by a statement for each kind of
/// rows: so many that one query has no room for all of them.
struct Generations {
  private let recursion: Recursion
  /// The columns of the recursion, and `g`, the generation in which a row was found first.
  private let found: TemporaryTable
  private let dialect: Dialect

  init(_ recursion: Recursion, in found: TemporaryTable, dialect: Dialect) {
    self.recursion = recursion
    self.found = found
    self.dialect = dialect
  }

  /// Fills the table with all that is found.
  func find(by statements: any StatementRunning) throws {
    try statements.execute(found.setUp + [found.index(["g", "t"])])
    try statements.execute(recursion.start.map(enter))
    let steps = Dictionary(grouping: recursion.steps, by: \.source).mapValues(follow)
    let parameter = "generation"
    let isLast = Condition.equal(["g"], [dialect.parameter(parameter)])
    let sources = Select(["DISTINCT t"], from: From(found.sql)).where(isLast).text(dialect)
    var generation = 0
    while true {
      statements.bind(parameter, generation)
      let last = try statements.answers(sources).compactMap { $0[0].integer }
      if last.isEmpty { return }
      for source in last { try statements.execute(steps[Int(source)] ?? []) }
      generation += 1
    }
  }

  private func enter(_ start: Select) -> String {
    insert(Select(recursion.columns + ["0"], from: From(start, as: "f", dialect: dialect)).text(dialect))
  }

  private func insert(_ rows: String) -> String {
    found.insert(recursion.columns + ["g"], rows: rows, conflict: .skip)
  }

  /// The statements that follow steps from the rows of one kind in the generation `:generation`.
  private func follow(_ steps: [Recursion.Step]) -> [String] {
    let isLast = Condition.equal(["\(recursion.row).g"], [dialect.parameter("generation")])
    let rows = steps.map { step in
      step.rows(from: "\(found.sql) \(recursion.row)").where(isLast)
        .with(step.columns + ["\(recursion.row).g + 1"])
    }
    return rows.inGroups(of: Union.fewParts).map { insert(Union(parts: $0).text(dialect)) }
  }
}
