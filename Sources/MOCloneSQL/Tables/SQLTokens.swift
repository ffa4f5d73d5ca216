import MOCloneModel

/// A word, a quoted name, a string or a character of a statement, without blanks and comments.
package struct SQLToken: Equatable, Sendable {
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

  /// Without quotes, as a database keeps it that tells letter cases apart.
  package var identifier: String {
    guard let quote = text.first, "\"`[".contains(quote), text.count > 1 else { return text.lowercased() }
    return String(text.dropFirst().dropLast()).replacing("\(quote)\(quote)", with: "\(quote)")
  }

  package static func all(in sql: String) -> [SQLToken] {
    var tokens: [SQLToken] = []
    var depth = 0
    var rest = Substring(sql)
    while let first = rest.first {
      let length = Self.length(first, rest: rest)
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

  private static func length(_ first: Character, rest: Substring) -> Int {
    switch first {
    case "'", "\"", "`": return quoted(rest, by: first)
    case _ where rest.hasPrefix("E'") || rest.hasPrefix("e'"): return escaped(rest)
    case "$": return dollarQuoted(rest) ?? rest.prefix(while: isName).count
    case "[": return through("]", rest: rest)
    case "-" where rest.hasPrefix("--"): return rest.prefix { !$0.isNewline }.count
    case "/" where rest.hasPrefix("/*"): return through("*/", rest: rest)
    case _ where isName(first): return rest.prefix(while: isName).count
    default: return 1
    }
  }

  private static func isName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "$"
  }

  private static func through(_ end: String, rest: Substring) -> Int {
    rest.firstRange(of: end).map { rest.distance(from: rest.startIndex, to: $0.upperBound) } ?? rest.count
  }

  /// `E'it\'s'`, where a backslash takes the next character along.
  private static func escaped(_ rest: Substring) -> Int {
    var length = 2
    var next = rest.dropFirst(2)
    while let character = next.popFirst() {
      length += 1
      if character == "'" { break }
      if character == "\\", next.popFirst() != nil { length += 1 }
    }
    return length
  }

  /// `$$...$$` or `$tag$...$tag$`; nil where it is none.
  private static func dollarQuoted(_ rest: Substring) -> Int? {
    let tag = rest.dropFirst().prefix { isName($0) && $0 != "$" }
    guard tag.first?.isNumber != true, rest[tag.endIndex...].first == "$" else { return nil }
    let sign = "$\(tag)$"
    return sign.count + through(sign, rest: rest.dropFirst(sign.count))
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

extension SQLToken {
  /// The columns of which a condition says that they are not null, as SQL compares names; nil where it says more.
  package static func filledColumns(in condition: String) -> Set<String>? {
    let words = all(in: condition).map(\.name).filter { $0 != "(" && $0 != ")" }
    let parts = words.split { $0 == "and" }
    let says = ["is not null", "not null", "notnull"]
    guard parts.allSatisfy({ says.contains($0.dropFirst().joined(separator: " ")) }) else { return nil }
    return Set(parts.compactMap(\.first))
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
