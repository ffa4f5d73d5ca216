import Foundation

/// Small pieces of SQL text, in SQLite's dialect.
enum SQL {
  /// A name between double quotes.
  static func name(_ name: String) -> String {
    name.utf8.contains(UInt8(ascii: "\"")) ? "\"\(name.replacing("\"", with: "\"\""))\"" : "\"\(name)\""
  }

  static func column(_ alias: String, _ column: String) -> String {
    alias + "." + name(column)
  }

  static func main(_ table: String) -> String { "main." + name(table) }

  static func temp(_ table: String) -> String { "temp." + name(table) }

  static func text(_ text: String) -> String {
    // SQLite takes the text of a statement for ended there.
    if text.utf8.contains(0) {
      return "(CAST(X'" + text.utf8.map { String(format: "%02X", $0) }.joined() + "' AS TEXT))"
    }
    return "'" + text.replacing("'", with: "''") + "'"
  }

  static func list(_ items: [String]) -> String { items.joined(separator: ", ") }

  /// The statement that makes an index.
  ///
  /// - Parameter isTaken: whether the database has something of that name already.
  static func createIndex(
    on table: String, _ columns: [String], isTaken: (String) -> Bool = { _ in false }
  ) -> String {
    let plain = "\(table)_on_" + columns.joined(separator: "_")
    var name = plain
    var next = 2
    while isTaken(name) {
      name = "\(plain)_\(next)"
      next += 1
    }
    return "CREATE INDEX \(self.name(name)) ON \(self.name(table)) (\(list(columns.map(self.name))))"
  }

  /// `a.x = b.y AND ...` for columns in step.
  static func equal(_ a: [String], _ b: [String]) -> String {
    zip(a, b).map { "\($0) = \($1)" }.joined(separator: " AND ")
  }
}

/// A condition that may be settled when the SQL is rendered.
enum Condition: Equatable {
  case always, never
  case sql(String)

  static func || (a: Condition, b: Condition) -> Condition {
    switch (a, b) {
    case (.always, _), (_, .always): .always
    case (.never, let other), (let other, .never): other
    case (.sql(let a), .sql(let b)): .sql("(\(a) OR \(b))")
    }
  }

  static func && (a: Condition, b: Condition) -> Condition {
    switch (a, b) {
    case (.never, _), (_, .never): .never
    case (.always, let other), (let other, .always): other
    case (.sql(let a), .sql(let b)): .sql("\(a) AND \(b)")
    }
  }

  static prefix func ! (condition: Condition) -> Condition {
    switch condition {
    case .always: .never
    case .never: .always
    case .sql(let sql): .sql("NOT (\(sql))")
    }
  }

  /// The condition as SQL that is never null.
  var text: String {
    switch self {
    case .always: "1"
    case .never: "0"
    case .sql(let sql): sql
    }
  }

  /// `yes` where the condition holds, else `no`.
  func choose(_ yes: String, else no: String) -> String {
    switch self {
    case .always: yes
    case .never: no
    case .sql(let sql): yes == no ? yes : "CASE WHEN \(sql) THEN \(yes) ELSE \(no) END"
    }
  }
}
