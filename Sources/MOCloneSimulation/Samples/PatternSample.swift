/// A string that a regular expression matches, where it is made of characters, classes, groups and counts.
///
/// Anchors are passed over and look-arounds are not understood, so who uses the text still checks it.
struct PatternSample {
  private(set) var text: String?
  private var rest: Substring

  init(_ pattern: String, random: inout SplitMix64) {
    rest = pattern[...]
    text = alternatives(&random)
    if !rest.isEmpty { text = nil }
  }

  private mutating func alternatives(_ random: inout SplitMix64) -> String? {
    var all: [String] = []
    repeat {
      guard let branch = sequence(&random) else { return nil }
      all.append(branch)
    } while take("|")
    return random.pick(all)
  }

  private mutating func sequence(_ random: inout SplitMix64) -> String? {
    var text = ""
    while let next = rest.first, next != "|", next != ")" {
      let start = rest
      guard let first = atom(&random), let count = count(&random) else { return nil }
      let end = rest
      guard count != 1 else {
        text += first
        continue
      }
      // Each repetition is another sample of the same part.
      for _ in 0..<count {
        rest = start
        text += atom(&random) ?? ""
      }
      rest = end
    }
    return text
  }

  private mutating func atom(_ random: inout SplitMix64) -> String? {
    switch rest.removeFirst() {
    case "^", "$": return ""
    case ".": return String(random.pick(Self.letters))
    case "(": return group(&random)
    case "[": return members().map { String(random.pick($0)) }
    case "\\": return escaped().map { $0.isEmpty ? "" : String(random.pick($0)) }
    case "*", "+", "?", "{": return nil
    case let character: return String(character)
    }
  }

  private mutating func group(_ random: inout SplitMix64) -> String? {
    if take("?") {
      guard take(":") || takeName() else { return nil }
    }
    let inner = alternatives(&random)
    return take(")") ? inner : nil
  }

  private mutating func takeName() -> Bool {
    guard take("<"), let end = rest.firstIndex(of: ">"), rest.first?.isLetter == true else { return false }
    rest = rest[rest.index(after: end)...]
    return true
  }

  /// The characters of a class, of which the bracket is read already.
  private mutating func members() -> [Character]? {
    let isNegated = take("^")
    var members: [Character] = []
    while !take("]") {
      guard let next = rest.popFirst(), let first = next == "\\" ? escaped() : [next] else { return nil }
      guard first.count == 1, rest.first == "-", rest.dropFirst().first != "]" else {
        members += first
        continue
      }
      rest.removeFirst()
      guard let last = rest.popFirst(), let range = Self.range(first[0], last: last) else { return nil }
      members += range
    }
    let all = isNegated ? Self.letters.filter { !members.contains($0) } : members
    return all.isEmpty ? nil : all
  }

  private static func range(_ first: Character, last: Character) -> [Character]? {
    guard let a = first.unicodeScalars.first?.value, let b = last.unicodeScalars.first?.value, a <= b else {
      return nil
    }
    return (a...min(b, a + 255)).compactMap { Unicode.Scalar($0).map(Character.init) }
  }

  /// The characters that an escape stands for; none for a boundary of words.
  private mutating func escaped() -> [Character]? {
    guard let letter = rest.popFirst() else { return nil }
    switch letter {
    case "d": return Array("0123456789")
    case "w": return Self.letters
    case "s": return [" "]
    case "t": return ["\t"]
    case "n": return ["\n"]
    case "D", "S": return Array("abcdefgh")
    case "W": return ["-"]
    case "b", "A", "z", "Z": return []
    case _ where letter.isLetter || letter.isNumber: return nil
    default: return [letter]
    }
  }

  /// How often what was read comes; more than eight times only where it must.
  private mutating func count(_ random: inout SplitMix64) -> Int? {
    defer { if rest.first == "?" || rest.first == "+" { rest.removeFirst() } }
    if take("?") { return random.number(0...1) }
    if take("*") { return random.number(0...3) }
    if take("+") { return random.number(1...3) }
    guard take("{") else { return 1 }
    guard let end = rest.firstIndex(of: "}") else { return nil }
    let parts = rest[..<end].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    rest = rest[rest.index(after: end)...]
    guard let least = Int(parts[0]), least >= 0, least <= 1000 else { return nil }
    guard parts.count > 1 else { return least }
    let most = Int(parts[1]) ?? least + 3
    return most < least ? nil : random.number(least...min(most, least + 8))
  }

  private mutating func take(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
}
