/// What a pattern consists of.
indirect enum PatternNode {
  case characters(PatternCharacters)
  case sequence([PatternNode])
  case choice([PatternNode])
  case repeated(PatternNode, least: Int, most: Int?)
  case start, end
}

/// Reads the text of a regular expression.
struct TextPatternParser {
  private typealias Fault = TextPattern.Fault
  private static let deepest = 100

  private var rest: Substring
  private var ignoresCase = false
  private var depth = 0

  init(_ text: String) {
    rest = text[...]
  }

  mutating func pattern() throws(TextPattern.Fault) -> PatternNode {
    if rest.hasPrefix("(?i)") {
      ignoresCase = true
      rest = rest.dropFirst(4)
    }
    let pattern = try choice()
    if !rest.isEmpty { throw Fault(reason: "a ')' has no '('") }
    return pattern
  }

  private mutating func choice() throws(TextPattern.Fault) -> PatternNode {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.deepest { throw Fault(reason: "its groups are nested too deep") }
    var parts = [try sequence()]
    while rest.first == "|" {
      rest.removeFirst()
      parts.append(try sequence())
    }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence() throws(TextPattern.Fault) -> PatternNode {
    var parts: [PatternNode] = []
    while let next = rest.first, next != "|", next != ")" {
      parts.append(try quantified(try part()))
    }
    return .sequence(parts)
  }

  // MARK: Parts

  private mutating func part() throws(TextPattern.Fault) -> PatternNode {
    switch rest.removeFirst() {
    case "(": return try group()
    case "[": return .characters(try characterClass())
    case ".": return characters(.kind(.notNewline, isNegated: false))
    case "^": return .start
    case "$": return .end
    case "\\":
      if let anchor = takeAnchor() { return anchor }
      return characters(try escaped())
    case "*": throw Fault(reason: "nothing stands before '*'")
    case "+": throw Fault(reason: "nothing stands before '+'")
    case "?": throw Fault(reason: "nothing stands before '?'")
    case let character: return characters(.one(character))
    }
  }

  private func characters(_ member: PatternCharacters.Member) -> PatternNode {
    .characters(PatternCharacters(members: [member], ignoresCase: ignoresCase))
  }

  private mutating func takeAnchor() -> PatternNode? {
    guard let next = rest.first, "AzZ".contains(next) else { return nil }
    rest.removeFirst()
    return next == "A" ? .start : .end
  }

  private mutating func group() throws(TextPattern.Fault) -> PatternNode {
    if rest.first == "?" {
      let names = rest.dropFirst().drop { $0 == "P" }
      if rest.hasPrefix("?:") {
        rest = rest.dropFirst(2)
      } else if names.hasPrefix("<"), !names.hasPrefix("<="), !names.hasPrefix("<!"),
        let end = names.firstIndex(of: ">")
      {
        rest = names[names.index(after: end)...]
      } else {
        throw Fault(reason: "groups that begin with '(?' are not supported, other than '(?:' and names")
      }
    }
    let inside = try choice()
    guard rest.first == ")" else { throw Fault(reason: "a '(' is not closed") }
    rest.removeFirst()
    return inside
  }

  // MARK: Repetitions

  private mutating func quantified(_ node: PatternNode) throws(TextPattern.Fault) -> PatternNode {
    var node = node
    while let (least, most) = try quantifier() {
      if rest.first == "+" { throw Fault(reason: "possessive repetitions such as '*+' are not supported") }
      // Whether the shortest or the longest match comes first is all the same where the whole string must match.
      if rest.first == "?" { rest.removeFirst() }
      node = .repeated(node, least: least, most: most)
    }
    return node
  }

  private mutating func quantifier() throws(TextPattern.Fault) -> (least: Int, most: Int?)? {
    switch rest.first {
    case "*": return taken((0, nil))
    case "+": return taken((1, nil))
    case "?": return taken((0, 1))
    case "{": return try counts()
    default: return nil
    }
  }

  private mutating func taken(_ counts: (least: Int, most: Int?)) -> (least: Int, most: Int?) {
    rest.removeFirst()
    return counts
  }

  /// `{2}`, `{2,}`, `{,3}` or `{2,3}`.
  private mutating func counts() throws(TextPattern.Fault) -> (least: Int, most: Int?) {
    guard let text = takeBraces() else {
      throw Fault(reason: "a '{' is not closed; write '\\{' for the character")
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let numbers = parts.map { Int($0) }
    guard parts.count <= 2, zip(parts, numbers).allSatisfy({ $0.isEmpty || ($1 ?? -1) >= 0 }),
      numbers.contains(where: { $0 != nil })
    else { throw Fault(reason: "'{\(text)}' is not a number of repetitions") }
    if parts.count == 1 { return (numbers[0]!, numbers[0]!) }
    let (least, most) = (numbers[0] ?? 0, numbers[1])
    if let most, most < least { throw Fault(reason: "'{\(text)}' allows no number of repetitions") }
    return (least, most)
  }

  // MARK: Classes

  private mutating func characterClass() throws(TextPattern.Fault) -> PatternCharacters {
    var set = PatternCharacters(members: [], ignoresCase: ignoresCase)
    if rest.first == "^" {
      set.isNegated = true
      rest.removeFirst()
    }
    var isFirst = true
    while let next = rest.first, next != "]" || isFirst {
      isFirst = false
      if next == "[" || rest.hasPrefix("&&") || rest.hasPrefix("--") || rest.hasPrefix("~~") {
        throw Fault(reason: "classes within classes are not supported; write '\\[' for the character")
      }
      set.members.append(try classMember())
    }
    guard rest.first == "]" else { throw Fault(reason: "a '[' is not closed") }
    rest.removeFirst()
    return set
  }

  private mutating func classMember() throws(TextPattern.Fault) -> PatternCharacters.Member {
    let first = try classCharacter()
    guard case .one(let low) = first, rest.first == "-", rest.dropFirst().first.map({ $0 != "]" }) == true
    else { return first }
    rest.removeFirst()
    guard case .one(let high) = try classCharacter(), low.unicodeScalars.count == 1,
      high.unicodeScalars.count == 1, low.unicodeScalars.first! <= high.unicodeScalars.first!
    else { throw Fault(reason: "a range in '[...]' runs backwards") }
    return .range(low.unicodeScalars.first!...high.unicodeScalars.first!)
  }

  private mutating func classCharacter() throws(TextPattern.Fault) -> PatternCharacters.Member {
    guard let next = rest.popFirst() else { throw Fault(reason: "a '[' is not closed") }
    return next == "\\" ? try escaped() : .one(next)
  }

  // MARK: Escapes

  private mutating func escaped() throws(TextPattern.Fault) -> PatternCharacters.Member {
    guard let next = rest.popFirst() else { throw Fault(reason: "it ends with a backslash") }
    switch next {
    case "d", "D": return .kind(.digit, isNegated: next == "D")
    case "w", "W": return .kind(.word, isNegated: next == "W")
    case "s", "S": return .kind(.space, isNegated: next == "S")
    case "n": return .one("\n")
    case "r": return .one("\r")
    case "t": return .one("\t")
    case "f": return .one("\u{C}")
    case "p", "P": return .kind(.category(try category()), isNegated: next == "P")
    case "x": return .one(try scalar(digits: 2))
    case "u": return .one(try scalar(digits: 4))
    case _ where next.isLetter || next.isNumber:
      throw Fault(reason: "'\\\(next)' is not supported")
    default: return .one(next)
    }
  }

  private mutating func category() throws(TextPattern.Fault) -> String {
    guard let name = takeBraces().map(String.init) else {
      throw Fault(reason: "'\\p' is followed by the name of a category, as in '\\p{L}'")
    }
    guard Unicode.GeneralCategory.knownNames.contains(name) else {
      throw Fault(reason: "'\\p{\(name.shortened)}' is not supported")
    }
    return name
  }

  /// What stands within braces, which are taken with it; nil where there are none.
  private mutating func takeBraces() -> Substring? {
    guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return nil }
    defer { rest = rest[rest.index(after: end)...] }
    return rest[..<end].dropFirst()
  }

  private mutating func scalar(digits: Int) throws(TextPattern.Fault) -> Character {
    var text = rest.prefix(digits)
    if let braced = takeBraces() { text = braced } else { rest = rest.dropFirst(text.count) }
    guard let number = UInt32(text, radix: 16), let scalar = Unicode.Scalar(number) else {
      throw Fault(reason: "the number of a character is wrong")
    }
    return Character(scalar)
  }
}
