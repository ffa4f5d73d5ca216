import MOCloneModel

/// Rows of a table by their keys `k0...`, each once, in a temporary table, with what a run notes of them.
package struct RowSet: Sendable {
  package let table: TablePlan
  private let noted: TemporaryTable
  private var dialect: Dialect { table.dialect }

  /// - Parameter columns: the definitions of what is noted beside the key.
  package init(_ purpose: String, of table: TablePlan, noting columns: [String] = []) {
    self.table = table
    noted = TemporaryTable(
      purpose, columns: table.keys.unique("k", beside: columns), dialect: table.dialect)
  }

  package var sql: String { noted.sql }
  package var setUp: [String] { noted.setUp }
  package var clear: String { noted.clear }

  package func index(_ columns: [String]) -> String { noted.index(columns) }

  package func rows(_ alias: String) -> From { noted.rows(alias) }

  package func key(_ alias: String) -> [String] { table.keys(alias + ".k") }

  /// Its rows, each with the row of the table.
  package func rows(_ alias: String, with row: String) -> From {
    rows(alias) + [table.row(row, of: key(alias))]
  }

  /// The keys alone.
  package var keys: Select { Select(table.keys("k"), from: From(sql)) }

  /// Adds what a query selects, keys first, except existing rows.
  package func add(_ query: Select, noting columns: [String] = []) -> String {
    noted.insert(table.keys("k") + columns, query, conflict: .skip)
  }

  /// Whether a row of the table is in the set: the condition that a change of these rows begins with.
  package func holds(_ alias: String) -> Condition { .among(table.key(alias), query: keys, dialect: dialect) }

  /// The same, looked up row by row.
  package func has(_ alias: String) -> Condition { has(table.key(alias)) }

  package func has(_ key: [String]) -> Condition {
    .exists(in: rows("y"), where: .equal(self.key("y"), key), dialect)
  }

  /// What is noted in rows `v` for a row of the table.
  package func noted(_ values: [String], for alias: String) -> Select {
    Select(values, from: rows("v")).where(.equal(key("v"), table.key(alias)))
  }

  /// How many rows of the table there are of each entity; the mark first.
  package var countByEntity: Select {
    guard table.discriminator != nil else { return Select(["NULL", "count(*)"], from: From(sql)) }
    return Select([table.mark("s"), "count(*)"], from: rows("v", with: "s")).grouped(by: [table.mark("s")])
  }

  /// How many of the rows are in the table.
  package var countExisting: Select { Select(["count(*)"], from: rows("v", with: "s")) }
}
