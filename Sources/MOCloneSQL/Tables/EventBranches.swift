/// The branches of a function in PL/pgSQL that one event takes, where it asks by `TG_OP` which event it is.
struct EventBranches {
  /// `INSERT`, `UPDATE` or `DELETE`.
  let event: String

  /// The tokens without the branches of other events; what cannot be told beforehand stays as it is.
  func taken(_ tokens: ArraySlice<SQLToken>) -> [SQLToken] {
    var kept: [SQLToken] = []
    var place = tokens.startIndex
    while place < tokens.endIndex {
      if TriggerStatements.isFirst(place, in: tokens), tokens[place].isWord("IF"),
        let choice = EventChoice(tokens[place...]), let branch = choice.branch(on: event)
      {
        kept += taken(branch)
        place = choice.end
      } else {
        kept.append(tokens[place])
        place += 1
      }
    }
    return kept
  }
}

/// `IF condition THEN ... ELSIF condition THEN ... ELSE ... END IF`
private struct EventChoice {
  /// What stands behind it.
  private(set) var end = 0
  /// Those behind ELSE have no condition.
  private var branches: [(condition: ArraySlice<SQLToken>?, body: ArraySlice<SQLToken>)] = []

  /// - Parameter tokens: from its IF on.
  init?(_ tokens: ArraySlice<SQLToken>) {
    guard let then = tokens.firstIndex(where: { $0.isWord("THEN") }) else { return nil }
    var condition: ArraySlice<SQLToken>? = tokens[(tokens.startIndex + 1)..<then]
    var (start, place) = (then + 1, then + 1)
    var (choices, cases) = (0, 0)
    while place < tokens.endIndex {
      let token = tokens[place]
      let isFirst = TriggerStatements.isFirst(place, in: tokens)
      let next = place + 1 < tokens.endIndex ? tokens[place + 1].text.uppercased() : ""
      if token.isWord("END"), next == "IF" {
        if choices == 0 {
          branches.append((condition, tokens[start..<place]))
          end = place + 2
          return
        }
        choices -= 1
      } else if token.isWord("END"), cases > 0 {
        cases -= 1
      } else if token.isWord("CASE") {
        // The statement has blocks, the expression has none.
        if isFirst, tokens[place - 1].text != "(" { return nil }
        cases += 1
      } else if token.isWord("IF"), isFirst {
        choices += 1
      } else if choices == 0, cases == 0, ["ELSE", "ELSIF", "ELSEIF"].contains(where: token.isWord) {
        branches.append((condition, tokens[start..<place]))
        condition = nil
        if !token.isWord("ELSE") {
          guard let then = tokens[place...].firstIndex(where: { $0.isWord("THEN") }) else { return nil }
          condition = tokens[(place + 1)..<then]
          place = then
        }
        start = place + 1
      }
      place += 1
    }
    return nil
  }

  /// What is run on an event; nil where a condition asks for something else.
  func branch(on event: String) -> ArraySlice<SQLToken>? {
    for (condition, body) in branches {
      guard let asked = condition else { return body }
      guard let isTaken = Self.isMet(asked, on: event) else { return nil }
      if isTaken { return body }
    }
    return []
  }

  private static func isMet(_ condition: ArraySlice<SQLToken>, on event: String) -> Bool? {
    var words = ArraySlice(
      condition.map { $0.text.hasPrefix("'") ? String($0.text) : $0.text.uppercased() })
    while words.first == "(", words.last == ")" { words = words.dropFirst().dropLast() }
    let isNamed = words.contains("'\(event)'")
    let question = words.filter { !$0.hasPrefix("'") && $0 != "," }.joined(separator: " ")
    switch question {
    case "TG_OP =", "TG_OP = OR TG_OP =", "TG_OP IN ( )": return isNamed
    case "TG_OP < >", "TG_OP ! =": return !isNamed
    default: return nil
    }
  }
}
