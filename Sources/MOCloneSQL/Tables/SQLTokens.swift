import MOCloneModel

/// A word, a quoted name, a string or a character of a statement, without blanks and comments.
package struct SQLToken: Equatable {
  package var text: Substring
  /// How many parentheses are open before it; both ends of a pair are at the outer depth.
  package var depth: Int

  /// Whether it is a word of SQL, whatever its case; a quoted name never is.
  package func isWord(_ word: String) -> Bool { text.uppercased() == word }

  /// Without quotes, as names are compared.
  package var name: String {
    let isQuoted = "\"`[".contains(text.first ?? " ") && text.count > 1
    return String(isQuoted ? text.dropFirst().dropLast() : text).sqlName
  }

  package static func all(in sql: String) -> [SQLToken] {
    var tokens: [SQLToken] = []
    var depth = 0
    var rest = Substring(sql)
    while let first = rest.first {
      let length = Self.length(first, rest)
      let text = rest.prefix(length)
      rest = rest.dropFirst(length)
      if first == ")" { depth -= 1 }
      if !first.isWhitespace && !text.hasPrefix("--") && !text.hasPrefix("/*") {
        tokens.append(SQLToken(text: text, depth: depth))
      }
      if first == "(" { depth += 1 }
    }
    return tokens
  }

  private static func length(_ first: Character, _ rest: Substring) -> Int {
    switch first {
    case "'", "\"", "`": return quoted(rest, by: first)
    case "[": return through("]", rest)
    case "-" where rest.hasPrefix("--"): return rest.prefix { !$0.isNewline }.count
    case "/" where rest.hasPrefix("/*"): return through("*/", rest)
    case _ where isName(first): return rest.prefix(while: isName).count
    default: return 1
    }
  }

  private static func isName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "$"
  }

  private static func through(_ end: String, _ rest: Substring) -> Int {
    rest.firstRange(of: end).map { rest.distance(from: rest.startIndex, to: $0.upperBound) } ?? rest.count
  }

  /// A doubled quote represents itself.
  private static func quoted(_ rest: Substring, by quote: Character) -> Int {
    var length = 1
    var next = rest.dropFirst()
    while let end = next.firstIndex(of: quote) {
      length += next.distance(from: next.startIndex, to: end) + 1
      next = next[next.index(after: end)...]
      guard next.first == quote else { return length }
      length += 1
      next = next.dropFirst()
    }
    return rest.count
  }
}

/// What no PRAGMA tells of an index: its expressions, and the rows it holds.
package struct IndexText: Equatable {
  package private(set) var columns: [String] = []
  package private(set) var condition: String?

  package init(_ sql: String) {
    let tokens = SQLToken.all(in: sql)
    guard let start = tokens.firstIndex(where: { $0.text == "(" }),
      let end = tokens[start...].firstIndex(where: { $0.text == ")" && $0.depth == 0 })
    else { return }
    columns = tokens[(start + 1)..<end].split { $0.text == "," && $0.depth == 1 }
      .map { Self.text($0, of: sql) }
    guard let place = tokens[end...].firstIndex(where: { $0.isWord("WHERE") }) else { return }
    condition = Self.text(tokens[(place + 1)...], of: sql)
  }

  /// Some tokens as they are written.
  private static func text(_ tokens: ArraySlice<SQLToken>, of sql: String) -> String {
    guard let first = tokens.first, let last = tokens.last else { return "" }
    return String(sql[first.text.startIndex..<last.text.endIndex])
  }
}

/// What no PRAGMA tells of generated columns: the columns that they are computed from.
package struct GeneratedText {
  private let definitions: [[SQLToken]]
  private let columns: [String]

  package init(_ sql: String, columns: [String]) {
    definitions = SQLToken.all(in: sql).split { $0.depth == 0 || ($0.text == "," && $0.depth == 1) }
      .map(Array.init)
    self.columns = columns
  }

  /// Plain columns only: what other generated columns read counts as read.
  package func inputs(of column: String) -> [String] {
    var found: [String] = []
    var pending = [column]
    var seen: Set<String> = []
    while let next = pending.popLast() {
      guard seen.insert(next.lowercased()).inserted else { continue }
      let read = read(by: next)
      if read.isEmpty, next != column { found.append(next) }
      pending += read
    }
    return found.sorted()
  }

  /// The columns in the expression behind AS.
  private func read(by column: String) -> [String] {
    guard let definition = definitions.first(where: { $0.first?.name == column.lowercased() }),
      let start = definition.firstIndex(where: { $0.isWord("AS") && $0.depth == 1 })
    else { return [] }
    let names = Set(definition[start...].filter { $0.depth > 1 }.map(\.name))
    return columns.filter { names.contains($0.lowercased()) }
  }
}

/// An UPDATE in the body of a trigger: the table and the columns that it sets, as names are compared.
package struct TriggerUpdate: Sendable, Equatable {
  package var table: String
  package var columns: [String]
  /// The columns of the new row that its WHERE reads.
  package var chosenBy: [String]

  /// Whether it changes the new row itself, not one that the new row refers to.
  package func isOfNewRow(key: [String]) -> Bool {
    let own = Set(key.map(\.sqlName))
    return !own.isEmpty && own.isSubset(of: chosenBy)
      || chosenBy.contains { ["rowid", "oid", "_rowid_"].contains($0) }
  }
}

/// What no PRAGMA tells of a trigger: when it runs, and what it updates.
package struct TriggerText: Equatable {
  package let event: String
  package let updates: [TriggerUpdate]
  /// Whether it removes rows.
  package let deletes: Bool

  package init(_ sql: String) {
    let tokens = SQLToken.all(in: sql)
    event =
      tokens.prefix { !$0.isWord("ON") }.last { Self.events.contains($0.text.uppercased()) }
      .map { $0.text.uppercased() } ?? "UPDATE"
    let body = tokens.drop { !$0.isWord("BEGIN") }
    let statements = body.split { $0.text == ";" || $0.isWord("BEGIN") }
    updates = statements.compactMap(Self.update)
    deletes = statements.contains { statement in
      statement.first?.isWord("DELETE") == true || statement.prefix(3).contains { $0.isWord("REPLACE") }
    }
  }

  private static let events: Set<String> = ["INSERT", "UPDATE", "DELETE"]

  /// `UPDATE [OR ...] table ... SET column = ..., (column, column) = ...`
  private static func update(_ statement: ArraySlice<SQLToken>) -> TriggerUpdate? {
    guard statement.first?.isWord("UPDATE") == true,
      let set = statement.firstIndex(where: { $0.isWord("SET") })
    else { return nil }
    let head = statement[..<set].dropFirst()
    let table = head.first?.isWord("OR") == true ? head.dropFirst(2).first : head.first
    let ends = ["WHERE", "FROM"]
    let assigned = statement[(set + 1)...].prefix { token in
      token.depth > 0 || !ends.contains { token.isWord($0) }
    }
    let columns = assigned.split { $0.text == "," && $0.depth == 0 }.flatMap { part in
      part.prefix { $0.text != "=" }.filter { !["(", ")", ","].contains($0.text) }.map(\.name)
    }
    let condition = Array(statement[assigned.endIndex...])
    let chosenBy = condition.indices.dropFirst(2).filter {
      condition[$0 - 1].text == "." && condition[$0 - 2].name == "new"
    }
    return table.map {
      TriggerUpdate(table: $0.name, columns: columns, chosenBy: chosenBy.map { condition[$0].name })
    }
  }
}
