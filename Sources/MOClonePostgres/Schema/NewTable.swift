import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// A table that is to be made.
struct NewTable {
  private struct Column {
    var name: String
    var definition: String
  }

  let name: String
  let key: [String]
  var uniques: [[String]] = []
  private var columns: [Column] = []

  init(name: String, key: [String]) {
    self.name = name
    self.key = key
  }

  /// Adds a column; what is said first of a column counts.
  mutating func add(_ name: String, _ type: String, isRequired: Bool = false, suffix: String = "") {
    guard !columns.contains(where: { $0.name.sqlName == name.sqlName }) else { return }
    columns.append(Column(name: name, definition: type + suffix + (isRequired ? " NOT NULL" : "")))
  }

  func text(_ dialect: Dialect) -> String {
    var seen: Set<String> = []
    let key = key.filter { seen.insert($0.sqlName).inserted }
    let lines =
      columns.map { "\(dialect.name($0.name)) \($0.definition)" }
      + ["PRIMARY KEY (\(key.map(dialect.name).list))"]
      + uniques.map { "UNIQUE (\($0.map(dialect.name).list))" }
    return "CREATE TABLE \(dialect.table(name)) (\n  \(lines.joined(separator: ",\n  "))\n)"
  }

  /// PostgreSQL would cut a long name off, and nobody find the table or column again.
  func checkNames() throws {
    let long = ([name] + columns.map(\.name)).first { $0.utf8.count > Self.longestName }
    guard let long else { return }
    throw CloneError(
      .storeMismatch,
      "the name '\(long)' has \(long.utf8.count) bytes, and PostgreSQL cuts names off behind \(Self.longestName); shorten it"
    )
  }

  private static let longestName = 63
}

extension AttributeColumn {
  /// The type of a column that holds every value as it is written.
  var postgresType: String {
    switch type {
    case .string, .uri: "text"
    case .decimal: "numeric"
    case .boolean: "boolean"
    case .integer16: "smallint"
    case .integer32: "integer"
    case .integer64: "bigint"
    case .double, .float: "double precision"
    case .binary, .transformable: "bytea"
    case .uuid: "uuid"
    case .date:
      switch dates {
      case .iso8601, .sqlite: "timestamptz"
      case .unix, .referenceDate: "double precision"
      case .unixMilliseconds: "bigint"
      }
    }
  }

  var isInteger: Bool { [.integer16, .integer32, .integer64].contains(type) }
}
