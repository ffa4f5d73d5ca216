import GRDB
import MOCloneSQL

/// What some rows of a table hold in one column.
struct ColumnValues {
  /// The storage classes of SQLite that were met, `null` left out.
  var classes: Set<String> = []
  var hasNull = false
  /// The values of some rows without nulls; long strings are cut, and bytes that cannot be a UUID are one byte.
  var sample: [DatabaseValue] = []
}

/// Looks at a bounded number of rows of a table, so that importing takes no longer in a large database.
struct TableSurvey {
  let db: Database
  let table: TableSchema
  /// The storage classes of these many rows are looked at, and the values at both ends of the table.
  static let mostRows = 50_000
  static let mostValues = 1000

  /// The values by the columns' names as SQL compares them; a column that cannot be read has none.
  ///
  /// A generated column may call a function that only the app has.
  func values() -> [String: ColumnValues] {
    if let all = try? values(of: table.columns) { return all }
    return table.columns.reduce(into: [:]) { found, column in
      if let values = try? values(of: [column]) { found.merge(values) { $1 } }
    }
  }

  private func values(of columns: [ColumnSchema]) throws -> [String: ColumnValues] {
    guard !columns.isEmpty else { return [:] }
    let names = columns.map { Dialect.sqlite.name($0.name) }
    let classes = names.map { "group_concat(DISTINCT typeof(\($0)))" }
    let rows = "SELECT \(names.list) FROM \(tableName) LIMIT \(Self.mostRows)"
    let met = try Row.fetchOne(db, sql: "SELECT \(classes.list) FROM (\(rows))")
    let sample = try sample(names)
    return Dictionary(
      columns.enumerated().map { place, column in
        var classes = Set(((met?[place] as String?) ?? "").split(separator: ",").map(String.init))
        let hasNull = classes.remove("null") != nil
        let values = sample.map { $0[place] as DatabaseValue }.filter { !$0.isNull }
        return (column.name.sqlName, ColumnValues(classes: classes, hasNull: hasNull, sample: values))
      }, uniquingKeysWith: { first, _ in first })
  }

  private func sample(_ names: [String]) throws -> [Row] {
    let short = names.map {
      "CASE typeof(\($0)) WHEN 'blob' THEN CASE length(\($0)) WHEN 16 THEN \($0) ELSE x'00' END "
        + "WHEN 'text' THEN substr(\($0), 1, 100) ELSE \($0) END"
    }
    let select = "SELECT \(short.list) FROM \(tableName)"
    let first = try Row.fetchAll(db, sql: "\(select) LIMIT \(Self.mostValues)")
    guard first.count == Self.mostValues, let rowid = table.rowidName else { return first }
    return first
      + (try Row.fetchAll(
        db, sql: "\(select) ORDER BY \(Dialect.sqlite.name(rowid)) DESC LIMIT \(Self.mostValues)"))
  }

  private var tableName: String { Dialect.sqlite.table(table.name) }
}

extension TableSchema {
  /// A name by which the row's number can be read; nil where there is none.
  var rowidName: String? {
    if let rowidColumn { return rowidColumn }
    if isWithoutRowid { return nil }
    return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
  }
}
