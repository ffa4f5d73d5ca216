import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Why SQLite cannot compile an insert: something that the insert runs is missing on the connection, such as a function of
/// the app that a trigger calls, or the table that a foreign key references.
struct InsertObstacle {
  /// What is missing, and what needs it.
  let message: String
  let help: String

  /// What a statement failed for; nil where it was something else.
  ///
  /// - Parameter table: the table that was written, where it is known.
  init?(_ error: DatabaseError, writing table: TableSchema? = nil, in db: Database) {
    guard error.resultCode == .SQLITE_ERROR, let message = error.message, let missing = Missing(message),
      let owner = try? SchemaParts(db).owner(of: missing, first: table)
    else { return nil }
    let result = table.map { ", so no row can be inserted into '\($0.name)'" } ?? ""
    self.message = missing.sentence(owner) + result
    help = missing.help
  }

  /// What refuses every row of a table; nil where rows can be inserted.
  init?(insertingInto table: TableSchema, in db: Database) throws {
    let columns = table.columns.filter { !$0.isGenerated }.map { Dialect.sqlite.name($0.name) }
    let values = columns.map { _ in "NULL" }
    guard !columns.isEmpty else { return nil }
    do {
      _ = try db.makeStatement(
        sql: "INSERT INTO \(Dialect.sqlite.table(table.name)) (\(columns.list)) VALUES (\(values.list))")
      return nil
    } catch let error as DatabaseError {
      guard let obstacle = Self(error, writing: table, in: db) else { return nil }
      self = obstacle
    }
  }

  func failure(entity: String?) -> CloneError.Failure {
    CloneError.Failure(.insertRefused, message, help: help, entity: entity)
  }
}

/// Something that SQLite does not find, as its message says.
enum Missing {
  case function(String)
  case collation(String)
  case table(String)

  init?(_ message: String) {
    func rest(_ start: String) -> String? {
      message.hasPrefix(start) ? String(message.dropFirst(start.count)) : nil
    }
    if let name = rest("no such function: ") {
      self = .function(name)
    } else if let call = rest("unknown function: ") {
      self = .function(call.hasSuffix("()") ? String(call.dropLast(2)) : call)
    } else if let name = rest("no such collation sequence: ") {
      self = .collation(name)
    } else if let name = rest("no such table: ") {
      let schema = ["main.", "temp."].first { name.hasPrefix($0) } ?? ""
      self = .table(String(name.dropFirst(schema.count)))
    } else {
      return nil
    }
  }

  /// Whether a definition names it, at some token.
  func isNamed(by tokens: [SQLToken], at place: Int) -> Bool {
    switch self {
    case .function(let name):
      return tokens[place].name == name.sqlName && tokens.dropFirst(place + 1).first?.text == "("
    case .collation(let name):
      return tokens[place].name == name.sqlName && place > 0 && tokens[place - 1].isWord("COLLATE")
    case .table(let name): return tokens[place].name == name.sqlName
    }
  }

  func sentence(_ owner: String) -> String {
    switch self {
    case .function(let name):
      "\(owner) calls the function '\(name)', which only \(isOfCoreData ? "Core Data" : "the app") has"
    case .collation(let name): "\(owner) uses the collation '\(name)', which only the app has"
    case .table(let name): "\(owner) references the table '\(name)', which does not exist"
    }
  }

  private var isOfCoreData: Bool {
    if case .function(let name) = self { name.hasPrefix("NSCoreData") } else { false }
  }

  var help: String {
    if isOfCoreData { return "leave such objects to the app, or change the store with Core Data" }
    return switch self {
    case .function(let name), .collation(let name):
      "clone from code, on a connection that has '\(name)' (a clone with 'saveBeforeReturn: false' is made on one of its own, "
        + "which has what 'Configuration.prepareDatabase' adds), or change the schema"
    case .table(let name): "create the table '\(name)', or remove the reference"
    }
  }
}

/// The definitions of a schema, as they were written.
private struct SchemaParts {
  private let parts: [Row]

  init(_ db: Database) throws {
    let selects = ["temp", "main"].map {
      "SELECT type, name, tbl_name, sql FROM \($0).sqlite_schema WHERE sql IS NOT NULL"
    }
    parts = try Row.fetchAll(db, sql: selects.joined(separator: " UNION ALL "))
  }

  /// What needs something that is missing: a trigger, a column, an index; what belongs to the table that is written, first.
  func owner(of missing: Missing, first table: TableSchema?) -> String? {
    let own = table?.name.sqlName
    let order = ["trigger": 0, "table": 1, "index": 2]
    let sorted = parts.map { part -> (rank: Int, part: Row) in
      let isOther = (part["tbl_name"] as String).sqlName != own
      return ((order[part["type"]] ?? 3) + (isOther ? 4 : 0), part)
    }.sorted { $0.rank < $1.rank }
    return sorted.lazy.compactMap { owner(of: missing, $0.part) }.first
  }

  private func owner(of missing: Missing, _ part: Row) -> String? {
    let (name, table): (String, String) = (part["name"], part["tbl_name"])
    let tokens = SQLToken.all(in: part["sql"])
    // What a part is called is no reference.
    let body = tokens.firstIndex { $0.text == "(" || $0.isWord("BEGIN") } ?? 0
    guard let place = tokens.indices.first(where: { $0 >= body && missing.isNamed(by: tokens, at: $0) })
    else { return nil }
    switch part["type"] as String {
    case "trigger": return "the trigger '\(name)' of the table '\(table)'"
    case "index": return "the index '\(name)' of the table '\(table)'"
    case "table":
      let column = Self.column(of: tokens, at: place).map { "the column '\($0)' of " } ?? ""
      return column + "the table '\(name)'"
    default: return nil
    }
  }

  /// The column in whose definition a token of a table's is; nil in a constraint of the table.
  private static func column(of tokens: [SQLToken], at place: Int) -> String? {
    let start = tokens[..<place].lastIndex { $0.depth == 0 || $0.depth == 1 && $0.text == "," }
    guard let first = start.map({ tokens[$0 + 1] }) else { return nil }
    let constraints = ["CONSTRAINT", "CHECK", "FOREIGN", "PRIMARY", "UNIQUE"]
    if constraints.contains(where: { first.isWord($0) }) { return nil }
    return String(first.text.filter { !"\"`[]".contains($0) })
  }
}
