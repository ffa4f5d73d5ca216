/// The statements of a trigger's body that change rows.
///
/// A word begins a statement by what stands before it: the end of another one, the word of a block, a parenthesis.
struct TriggerStatements {
  struct Update {
    var table: String
    /// What stands behind SET.
    var rest: ArraySlice<SQLToken>
    /// Whether it is run in some cases only.
    var isConditional = false
  }

  private(set) var updates: [Update] = []
  private(set) var deletes = false
  private(set) var assigned: [String] = []
  private(set) var assignedUnderConditions: [String] = []
  /// What is always set, to something that is not made of what it held.
  private(set) var made: [TriggerFormula] = []

  private let tokens: ArraySlice<SQLToken>

  init(_ tokens: ArraySlice<SQLToken>) {
    self.tokens = tokens
    var conditions = 0
    var canEnd = false
    for place in tokens.indices {
      if isFilled(at: place) { assign(tokens[place + 2].name, isConditional: conditions > 0) }
      guard isFirst(place) else { continue }
      let token = tokens[place]
      if token.isWord("IF") { conditions += 1 }
      if token.isWord("END"), word(place + 1) == "IF" { conditions -= 1 }
      if token.isWord("RETURN") { canEnd = true }
      if token.isWord("UPDATE"), var update = update(at: place) {
        update.isConditional = conditions > 0 || canEnd
        updates.append(update)
      }
      deletes = deletes || isDeletion(at: place)
      guard let column = assignment(at: place) else { continue }
      assign(column, isConditional: conditions > 0)
      let value = tokens[(place + 3)...].drop { [":", "="].contains($0.text) }.prefix { $0.text != ";" }
      if conditions == 0, !canEnd, !value.contains(where: { $0.name == column }) {
        made.append(TriggerFormula(column, .set, value: Array(value)))
      }
    }
  }

  private mutating func assign(_ column: String, isConditional: Bool) {
    if isConditional { assignedUnderConditions.append(column) } else { assigned.append(column) }
  }

  /// Whether a column is read anywhere but where some updates set it.
  func reads(_ column: String, besides updates: [Update]) -> Bool {
    let sets = updates.map { update in
      update.rest.prefix { token in
        token.depth > update.rest.first!.depth
          || !["WHERE", "FROM", "RETURNING"].contains(where: token.isWord)
      }.indices
    }
    return tokens.indices.contains { place in
      tokens[place].name == column && !sets.contains { $0.contains(place) }
    }
  }

  private static let starts: Set<String> = [
    ";", "(", ")", ">", "BEGIN", "THEN", "ELSE", "LOOP", "DO", "ALSO", "INSTEAD",
  ]

  /// Whether a statement may begin there.
  static func isFirst(_ place: Int, in tokens: ArraySlice<SQLToken>) -> Bool {
    place == tokens.startIndex || starts.contains(tokens[place - 1].text.uppercased())
  }

  private func isFirst(_ place: Int) -> Bool { Self.isFirst(place, in: tokens) }

  private func word(_ place: Int) -> String {
    tokens.indices.contains(place) ? tokens[place].text.uppercased() : ""
  }

  // MARK: Updates

  /// `UPDATE [OR ...] [ONLY] table [AS name] SET ...`, or what an INSERT or MERGE does to rows that exist.
  private func update(at place: Int) -> Update? {
    let statement = tokens[place...].prefix { $0.text != ";" && $0.depth >= tokens[place].depth }
    guard let set = statement.firstIndex(where: { $0.isWord("SET") }) else { return nil }
    let rest = statement[(set + 1)...]
    guard set > place + 1 else { return tableOfUpsert(before: place).map { Update(table: $0, rest: rest) } }
    var start = place + 1
    if word(start) == "OR" { start += 2 }
    if word(start) == "ONLY" { start += 1 }
    return start < set ? Update(table: table(at: start), rest: rest) : nil
  }

  /// `INSERT INTO table ... ON CONFLICT ... DO UPDATE SET ...`
  private func tableOfUpsert(before place: Int) -> String? {
    tokens[..<place].lastIndex { $0.isWord("INTO") }.map { table(at: $0 + 1) }
  }

  private func table(at place: Int) -> String {
    let hasSchema = word(place + 1) == "." && tokens.indices.contains(place + 2)
    return tokens[hasSchema ? place...(place + 2) : place...place].map(\.identifier).joined()
  }

  // MARK: Other statements

  private func isDeletion(at place: Int) -> Bool {
    switch word(place) {
    case "DELETE", "TRUNCATE": true
    case "REPLACE": word(place + 1) == "INTO"
    case "INSERT", "UPDATE": word(place + 1) == "OR" && word(place + 2) == "REPLACE"
    default: false
    }
  }

  /// `NEW.column := ...`
  private func assignment(at place: Int) -> String? {
    guard !["(", ")"].contains(word(place - 1)), word(place) == "NEW", word(place + 1) == ".",
      [":", "="].contains(word(place + 3))
    else { return nil }
    return tokens[place + 2].name
  }

  /// `... INTO [STRICT] NEW.column, NEW.column`
  private func isFilled(at place: Int) -> Bool {
    guard word(place) == "NEW", word(place + 1) == ".", tokens.indices.contains(place + 2) else {
      return false
    }
    if word(place - 1) == ",", place - 4 >= tokens.startIndex { return isFilled(at: place - 4) }
    let into = word(place - 1) == "STRICT" ? place - 2 : place - 1
    return word(into) == "INTO" && word(into - 1) != "INSERT"
  }
}

/// What a trigger's body calls the new row, or all new rows, and values of it.
struct NewRowNames {
  private var rows: Set<String> = ["new"]
  private let newRows: String?
  /// Variables that hold a column of the new row.
  private var variables: [String: String] = [:]

  init(_ tokens: ArraySlice<SQLToken>, newRows: String?) {
    self.newRows = newRows?.sqlName
    for statement in tokens.split(whereSeparator: {
      [";", "DECLARE", "BEGIN"].contains($0.text.uppercased())
    }) {
      add(Array(statement))
    }
    guard let newRows = self.newRows else { return }
    rows.insert(newRows)
    for (table, next) in zip(tokens.indices, tokens.indices.dropFirst()) where tokens[table].name == newRows {
      let alias = tokens[next].isWord("AS") && next + 1 < tokens.endIndex ? tokens[next + 1] : tokens[next]
      if alias.text.first?.isLetter == true, !Self.words.contains(alias.text.uppercased()) {
        rows.insert(alias.name)
      }
    }
  }

  private static let words: Set<String> = [
    "WHERE", "GROUP", "ORDER", "JOIN", "LEFT", "INNER", "CROSS", "ON", "UNION", "LIMIT", "LOOP", "RETURNING",
  ]

  /// `name [type] := NEW.column`
  private mutating func add(_ statement: [SQLToken]) {
    guard let new = statement.lastIndex(where: { $0.name == "new" }), new + 3 == statement.count,
      let name = statement.first?.name, name != "new", new > 0, statement[new - 1].text == "="
    else { return }
    variables[name] = statement[new + 2].name
  }

  /// The columns of the new row, or of all new rows, that some tokens read.
  func columns(in tokens: ArraySlice<SQLToken>) -> [String] {
    let condition = Array(tokens)
    return condition.indices.flatMap { place -> [String] in
      let name = condition[place].name
      if place > 1, condition[place - 1].text == ".", rows.contains(condition[place - 2].name) {
        return [name]
      }
      if name == newRows, place > 0, condition[place - 1].isWord("FROM") {
        return selected(condition[..<(place - 1)])
      }
      return place > 0 && condition[place - 1].text == "." ? [] : [variables[name]].compactMap { $0 }
    }
  }

  /// The names between SELECT and the end of some tokens.
  private func selected(_ tokens: ArraySlice<SQLToken>) -> [String] {
    let select = tokens.lastIndex { $0.isWord("SELECT") }
    return select.map { tokens[($0 + 1)...].map(\.name).filter { $0.first?.isLetter == true } } ?? []
  }
}
