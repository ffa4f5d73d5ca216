/// Enters what was found into maps, and numbers it where the database does not.
extension ClosureRenderer {
  /// Enters rows into a temporary table.
  ///
  /// - Parameters:
  ///   - rows: the query that selects them.
  ///   - skips: whether existing rows are left out.
  func enter(_ table: String, columns: [String], rows: String, skips: Bool = false) -> String {
    Insert(
      into: dialect.temporary(table), columns, rows: rows, conflict: skips ? .skip : .asDeclared
    ).text(dialect)
  }

  /// Enters rows behind those of a map or its pairs, in their order.
  func number(
    _ table: String, columns: [String], rows: String, values: [String] = ["f.*"], after last: String,
    skips: Bool = false
  ) -> String {
    guard dialect.numbersRows else { return enter(table, columns: columns, rows: rows, skips: skips) }
    let number = "\(last) + row_number() OVER ()"
    return enter(
      table, columns: ["seq"] + columns, rows: "SELECT \(number), \(values.list) FROM (\(rows)) f",
      skips: skips)
  }

  /// Enters objects behind those of a map.
  func enter(_ tablePlan: CloneTablePlan, rows: String, skips: Bool = false) -> String {
    number(
      tablePlan.map, columns: tablePlan.foundColumns,
      rows: skips && tablePlan.countsEntries ? once(rows, of: tablePlan) : rows, values: entered(tablePlan),
      after: tablePlan.lastRow, skips: skips)
  }

  /// What a map holds of the objects `f` that were found.
  func entered(_ tablePlan: CloneTablePlan) -> [String] {
    let key = tablePlan.keyColumns[0]
    guard tablePlan.countsEntries, let next = key.next else { return ["f.*"] }
    return tablePlan.foundColumns.map {
      $0 == "n0" ? "\(dialect.cast(dialect.newKey(next), key.type)) AS n0" : "f." + $0
    }
  }

  /// Rows in their order, each object once and none that the map has: a sequence would count the others, too.
  private func once(_ rows: String, of tablePlan: CloneTablePlan) -> String {
    let keys = tablePlan.old("f")
    let isEntered = Condition.exists(
      in: From("\(dialect.temporary(tablePlan.map)) m"),
      where: .equal(tablePlan.old("m"), keys) && tablePlan.sameCopy("m", "f"), dialect)
    let numbered = Select(["row_number() OVER () AS place", "f.*"], from: From("(\(rows)) f"))
    let first = Select(["f.*"], from: From(numbered, as: "f", dialect: dialect)).where(!isEntered)
      .firstOfEach(keys, dialect: dialect).ordered(by: keys + ["f.place"])
    return Select(["f.*"], from: From(first, as: "f", dialect: dialect)).ordered(by: ["f.place"]).text(
      dialect)
  }
}
