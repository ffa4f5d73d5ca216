import MOCloneEngine
import MOCloneModel

/// The statements that fill nulls of what stays with the values of what goes, the best one's first.
package struct FillRenderer {
  private let merge: MergeRenderer
  private let columns: [Fill]
  package let fills: RowSet
  package var table: TablePlan { merge.table }
  private var dialect: Dialect { merge.dialect }

  /// Columns that are filled together, and where their values come from.
  struct Fill {
    var columns: [String]
    /// Values in a row `l` of what goes, with what has to be joined to it.
    var values: [String]
    var joins: [From.Join] = []
    var condition: Condition
    /// Whether at most one row may hold the value.
    var isAlone = false
    var orderColumn: String?
  }

  package init(_ merge: MergeRenderer) {
    self.merge = merge
    columns = Self.columns(merge)
    let (table, names) = (merge.table, columns.flatMap(\.columns))
    fills = RowSet(
      "fills", of: table,
      noting: names.enumerated().map {
        merge.dialect.definition("f\($0)", as: table.schema.column($1) ?? .rowid(named: $1))
      })
  }

  /// Gathers what can be filled, before anything is deleted.
  package var collect: [String] {
    guard !columns.isEmpty else { return fills.setUp }
    let values = columns.flatMap { fill in
      fill.values.map { isOpen(fill).choose("(\(value($0, fill).text(dialect)))", else: "NULL") }
    }
    let names = values.indices.map { "f\($0)" }
    let survivors = Select(["DISTINCT \(table.keys("n").list)"], from: From(merge.map.sql))
    let found = Select(
      table.key("s") + values,
      from: From(survivors, as: "q", dialect) + [table.row("s", of: table.keys("q.n"))]
    ).where(.any(columns.map(isOpen)))
    let isEmpty = Condition.all(names.map { .isNull($0) })
    return fills.setUp + [fills.add(found, noting: names), Delete(fills.sql).where(isEmpty).text]
  }

  /// Whether a row `s` has room.
  private func isOpen(_ fill: Fill) -> Condition { .isNull(dialect.column("s", fill.columns[0])) }

  /// The value of the best row that has one.
  private func value(_ value: String, _ fill: Fill) -> Select {
    let loser = table.row("l", of: merge.map.key("m"))
    return Select([value], from: merge.map.rows("m") + [loser] + fill.joins)
      .where(.equal(table.keys("m.n"), table.key("s")) && fill.condition)
      .ordered(by: ["m.rank"]).limited(to: 1)
  }

  /// Writes what was gathered, after the deletion.
  package var apply: [String] {
    guard !columns.isEmpty else { return [] }
    let assigned = assignments
    return merge.dates.change(table, as: "s", where: fills.holds("s")) {
      $0.taking(assigned.map { dialect.name($0.column) }, from: fills.noted(assigned.map(\.value), for: "s"))
    }
  }

  private var assignments: [(column: String, value: String)] {
    var next = 0
    return columns.flatMap { fill in
      let taken = fill.columns.indices.map { "v.f\(next + $0)" }
      next += fill.columns.count
      let values = zip(fill.columns, taken).map { (column: $0, value: written($1, to: $0, taken, fill)) }
      guard let order = fill.orderColumn else { return values }
      let end = dialect.end(
        of: dialect.column("e", order), in: table.schema.name, where: isHolder("e", taken, fill))
      let isFilled = isOpen(fill) && .isNotNull(taken[0])
      return values + [(order, isFilled.choose("\(end) + 1", else: dialect.column("s", order)))]
    }
  }

  private func written(_ value: String, to column: String, _ taken: [String], _ fill: Fill) -> String {
    let isTaken: Condition =
      fill.isAlone
      ? .exists(Select(["1"], from: table.rows("y")).where(isHolder("y", taken, fill)), dialect) : .never
    return "coalesce(\(dialect.column("s", column)), \(isTaken.choose("NULL", else: value)))"
  }

  private func isHolder(_ alias: String, _ taken: [String], _ fill: Fill) -> Condition {
    .equal(dialect.columns(alias, fill.columns), taken)
  }
}
