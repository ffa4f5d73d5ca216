/// A query that begins with some rows and follows steps from them, and on from what these find, to the end.
///
/// ```sql
/// WITH RECURSIVE reach(t, k0) AS (SELECT 0, k0 FROM gone UNION
///   SELECT 0, d.id FROM reach g JOIN item d ON d.parent = g.k0) SELECT t, k0 FROM reach
/// ```
package struct Recursion: Sendable {
  /// One step, from the row `g` that was found before.
  package struct Step: Sendable {
    var columns: [String]
    /// The first joins to `g`.
    var joins: [From.Join]
  }

  var columns: [String]
  var start: [Select]
  var steps: [Step]

  private static let name = "reach"

  package func text(_ dialect: Dialect) -> String {
    let found = From("\(Self.name) g")
    let parts =
      dialect.joinsLaterally
      ? start + [Select(["d.*"], from: found + [laterally(dialect)])]
      : start + steps.map { Select($0.columns, from: found + $0.joins) }
    let union = Union(parts: parts, dropsDuplicates: true).text(dialect)
    return "WITH RECURSIVE \(Self.name)(\(columns.list)) AS (\(union)) "
      + Select(columns, from: From(Self.name)).text(dialect)
  }

  /// All steps of one row: some databases let a recursion name itself once.
  private func laterally(_ dialect: Dialect) -> From.Join {
    let parts = steps.map { step in
      Select(step.columns, from: From(step.joins[0].rows, Array(step.joins.dropFirst())))
        .where(step.joins[0].condition)
    }
    return .ordered("LATERAL (\(Union(parts: parts).text(dialect))) d", on: .always)
  }
}
