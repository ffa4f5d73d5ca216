import Foundation
import MOCloneSQL

/// What some rows of a table hold in one column.
struct ColumnValues {
  /// The storage classes of SQLite that were met, `null` left out; in a database with types that of the column's type.
  var classes: Set<String> = []
  var hasNull = false
  /// The values of some rows without nulls; long strings are cut, and bytes that cannot be a UUID are one byte.
  var sample: [StoredValue] = []
}

/// Looks at a bounded number of rows of a table, so that importing takes no longer in a large database.
struct TableSurvey {
  let db: any SQLConnection
  let table: TableSchema
  /// The storage classes of these many rows are looked at, and the values at both ends of the table.
  static let mostRows = 50_000
  static let mostValues = 1000

  /// The values by the columns' names as SQL compares them; a column that cannot be read has none.
  ///
  /// A generated column may call a function that only the app has, and a role may lack the right to read.
  func values() -> [String: ColumnValues] {
    if let all = try? db.attempting({ try values(of: table.columns) }) { return all }
    return table.columns.reduce(into: [:]) { found, column in
      if let values = try? db.attempting({ try values(of: [column]) }) { found.merge(values) { $1 } }
    }
  }

  private func values(of columns: [ColumnSchema]) throws -> [String: ColumnValues] {
    guard !columns.isEmpty else { return [:] }
    let kinds = try kinds(of: columns)
    let sample = try sample(columns)
    return Dictionary(
      columns.enumerated().map { place, column in
        let values = sample.map { $0[place] }.filter { $0 != .null }
        let (classes, hasNull) = kinds[place]
        return (column.name.sqlName, ColumnValues(classes: classes, hasNull: hasNull, sample: values))
      }, uniquingKeysWith: { first, _ in first })
  }

  private typealias Kinds = (classes: Set<String>, hasNull: Bool)

  private func kinds(of columns: [ColumnSchema]) throws -> [Kinds] {
    let names = columns.map { db.dialect.name($0.name) }
    let kinds = names.map { db.dialect.hasTypes ? "count(\($0))" : "group_concat(DISTINCT typeof(\($0)))" }
    let met = try db.rows("SELECT count(*), \(kinds.list) FROM \(rows(names))", [:])[0]
    return zip(columns, met.dropFirst()).map { column, kind in
      guard !db.dialect.hasTypes else {
        return (kind.number == 0 ? [] : [column.storageClass], kind.number < met[0].number)
      }
      var classes = Set((kind.string ?? "").split(separator: ",").map(String.init))
      let hasNull = classes.remove("null") != nil
      return (classes, hasNull)
    }
  }

  private func sample(_ columns: [ColumnSchema]) throws -> [[StoredValue]] {
    let select = "SELECT \(columns.map(short).list) FROM \(tableName)"
    let first = try db.rows("\(select) LIMIT \(Self.mostValues)", [:])
    guard first.count == Self.mostValues, let rowid = table.rowidName else { return first }
    return first
      + (try db.rows("\(select) ORDER BY \(db.dialect.name(rowid)) DESC LIMIT \(Self.mostValues)", [:]))
  }

  private func short(_ column: ColumnSchema) -> String {
    let name = db.dialect.name(column.name)
    if db.dialect.hasTypes {
      switch column.storageClass {
      case "integer", "real": return name
      case "text": return "substr(CAST(\(name) AS text), 1, 100)"
      default: return "NULL"
      }
    }
    return "CASE typeof(\(name)) WHEN 'blob' THEN CASE length(\(name)) WHEN 16 THEN \(name) ELSE x'00' END "
      + "WHEN 'text' THEN substr(\(name), 1, 100) ELSE \(name) END"
  }

  // MARK: Questions

  /// Whether a column numbers the rows that have the same values in others, without gaps.
  ///
  /// - Parameter first: what they may begin with.
  func numbers(_ column: String, within group: [String], from first: ClosedRange<Int>) throws -> Bool {
    let name = db.dialect.name(column)
    let groups =
      "SELECT count(*) AS n, count(DISTINCT \(name)) AS d, min(\(name)) AS low, max(\(name)) AS high FROM "
      + "\(rows(["*"])) GROUP BY \(group.map(db.dialect.name).list)"
    let row = try db.rows(
      "SELECT max(n), min(CASE WHEN d = n AND low BETWEEN \(first.lowerBound) AND \(first.upperBound) AND high - low = n - 1 THEN 1 ELSE 0 END) FROM (\(groups)) g",
      [:])[0]
    return row[0].number > 1 && row[1].number == 1
  }

  /// Whether two rows have the same values in some columns.
  func repeats(_ columns: [String]) throws -> Bool {
    let names = columns.map(db.dialect.name)
    return try !db.rows(
      "SELECT 1 FROM \(rows(names)) GROUP BY \(names.list) HAVING count(*) > 1 LIMIT 1", [:]
    ).isEmpty
  }

  /// The different strings in a column, sorted by their bytes.
  func strings(_ column: String, most count: Int) throws -> [String] {
    let name = db.dialect.name(column)
    let text = db.dialect.cast(name, "text") + db.dialect.byBytes
    return try db.rows("SELECT DISTINCT \(text) FROM \(rows([name])) ORDER BY 1 LIMIT \(count)", [:])
      .compactMap { $0[0].string }
  }

  private func rows(_ columns: [String]) -> String {
    "(SELECT \(columns.list) FROM \(tableName) LIMIT \(Self.mostRows)) r"
  }

  private var tableName: String { db.dialect.table(table.name) }
}

extension ColumnSchema {
  /// SQLite's name of what values of a type are.
  fileprivate var storageClass: String {
    switch affinity {
    case "INTEGER": "integer"
    case "REAL", "NUMERIC": "real"
    case "TEXT": "text"
    default: base == "uuid" ? "text" : "blob"
    }
  }
}

extension SQLConnection {
  /// The first row of a question about values, which may be of types that cannot be compared, or that a role may not
  /// read; nil where there is no answer.
  func answer(_ sql: String) -> [StoredValue]? {
    (try? attempting { try rows(sql, [:]) })?.first
  }
}

extension TableSchema {
  /// A name by which the row's number can be read; nil where there is none.
  var rowidName: String? {
    if let rowidColumn { return rowidColumn }
    if isWithoutRowid { return nil }
    return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
  }
}
