import MOCloneEngine
import MOCloneSQL

/// The dates of change that rows had before a merge wrote its own: only those tell which object is newest.
struct DatesBefore {
  private let tables: [TemporaryTable]
  private let columns: [[String]]

  /// - Parameter isNeeded: whether rows are looked at again after some have been written.
  init(_ layout: MoveLayout, _ modified: ModifiedRule, isNeeded: Bool) {
    let columns = layout.tables.map { isNeeded ? layout.dateColumns($0, modified) : [] }
    self.columns = columns
    tables = zip(layout.tables, columns).map { table, columns in
      TemporaryTable(
        "dates_\(table.index)",
        table.uniqueKeyDefinitions("k") + columns.indices.map { "d\($0)" } + table.uniqueKeyConstraint("k"))
    }
  }

  var setUp: [String] { zip(tables, columns).flatMap { $1.isEmpty ? [] : $0.setUp } }

  /// Notes the dates of rows that are about to be written, those that are not noted yet.
  func keep(_ table: ObjectTable, _ alias: String, where condition: String) -> [String] {
    let columns = columns[table.index]
    guard !columns.isEmpty else { return [] }
    let values = table.key(alias) + columns.map { SQL.column(alias, $0) }
    return [
      "INSERT OR IGNORE INTO \(tables[table.index].sql) SELECT \(SQL.list(values)) "
        + "FROM \(table.sql) AS \(alias) WHERE \(condition)"
    ]
  }

  /// Joins the dates to the rows `s`.
  func join(_ table: ObjectTable) -> String {
    guard !columns[table.index].isEmpty else { return "" }
    return " LEFT JOIN \(tables[table.index].sql) d ON \(SQL.equal(table.keys("d.k"), table.key("s")))"
  }

  /// The value of a column of the rows `s` before the merge.
  func value(_ column: String, _ table: ObjectTable) -> String {
    let own = SQL.column("s", column)
    guard let place = columns[table.index].firstIndex(of: column) else { return own }
    return "CASE WHEN d.k0 IS NULL THEN \(own) ELSE d.d\(place) END"
  }
}
