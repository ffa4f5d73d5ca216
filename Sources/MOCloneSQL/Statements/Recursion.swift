/// A query that begins with some rows and follows steps from them, and on from what these find, to the end.
///
/// ```sql
/// WITH RECURSIVE reach(t, k0) AS (SELECT 0, k0 FROM gone UNION
///   SELECT 0, d.id FROM reach g JOIN item d ON d.parent = g.k0) SELECT t, k0 FROM reach
/// ```
package struct Recursion: Sendable {
  /// One step, from the row `g` that was found before.
  package struct Step: Sendable {
    /// What the column `t` holds of the rows that it starts from.
    var source: Int
    var columns: [String]
    /// The first joins to `g`.
    var joins: [From.Join]

    /// The step from the rows of a table, with their alias.
    func rows(from table: String) -> Select { Select(columns, from: From(table) + joins) }

    /// The step from rows of its own, which a condition of the first ones tells apart.
    var rows: Select {
      Select(columns, from: From(joins[0].rows, joins: Array(joins.dropFirst()))).where(joins[0].condition)
    }

    /// The step to what meets a condition.
    func `where`(_ condition: Condition) -> Step {
      Step(
        source: source, columns: columns, joins: joins.dropLast() + [joins[joins.count - 1].on(condition)])
    }
  }

  var columns: [String]
  var start: [Select]
  var steps: [Step]
  /// The name of the query, and of the row that was found before.
  var name = "reach"
  var row = "g"
  /// What is selected of what was found; nil for all columns.
  var selected: [String]?

  /// Whether one query has room for all.
  var isOneQuery: Bool { start.count + steps.count <= Union.mostParts }

  /// - Parameter condition: of the rows `x` that it selects.
  package func text(_ dialect: Dialect, where condition: Condition = .always) -> String {
    let found = "\(name) \(row)"
    var parts = start
    if !dialect.joinsLaterally {
      parts += steps.map { $0.rows(from: found) }
    } else if !steps.isEmpty {
      // The start is one part, where it is several.
      let first =
        start.count == 1
        ? start[0] : Select(["*"], from: From(Union(parts: start), as: "f", dialect: dialect))
      parts = [first, Select(["d.*"], from: From(found) + [laterally(dialect)])]
    }
    let union = Union(parts: parts, dropsDuplicates: true).text(dialect)
    return "WITH RECURSIVE \(name)(\(columns.list)) AS (\(union)) "
      + Select(selected ?? columns, from: From("\(name) x")).where(condition).text(dialect)
  }

  /// All steps of one row: some databases let a recursion name itself once.
  private func laterally(_ dialect: Dialect) -> From.Join {
    .ordered("LATERAL (\(Union(parts: steps.map(\.rows)).text(dialect))) d", on: .always)
  }
}
