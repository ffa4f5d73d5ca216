/// A regular expression that a whole string matches, in a time that grows with the length of the string only.
///
/// A matcher that tries one way after the other needs longer than the universe for `(a+)+$` and forty letters; this one goes
/// all ways at once. What needs the other kind (references back, lookaround) is refused where the model is read.
package struct TextPattern: Sendable {
  /// Why a text is no pattern.
  package struct Fault: Error, Equatable {
    package var reason: String
  }

  /// One step of all ways: the numbers are places in the list of steps.
  enum Step: Sendable {
    case character(PatternCharacters)
    case either(Int, Int)
    case go(Int)
    case atStart, atEnd
    case end
  }

  private let steps: [Step]

  /// - Throws: `Fault` where the text is no regular expression, or one that could take forever.
  package init(_ text: String) throws(Fault) {
    var parser = TextPatternParser(text)
    steps = try TextPatternSteps(parser.pattern()).steps
  }

  private static let known = Locked<[String: TextPattern]>([:])

  /// The pattern of a text, which is read once: rows by the million have the same one.
  package static func read(_ text: String) throws(Fault) -> TextPattern {
    if let pattern = known.withLock({ $0[text] }) { return pattern }
    let pattern = try TextPattern(text)
    known.withLock { $0[text] = pattern }
    return pattern
  }

  /// Whether the whole of a string matches.
  package func matches(_ text: String) -> Bool {
    var now = Ways(count: steps.count)
    var next = Ways(count: steps.count)
    follow(0, isStart: true, isEnd: text.isEmpty, ways: &now)
    var place = text.startIndex
    while place < text.endIndex, !now.places.isEmpty {
      let character = text[place]
      place = text.index(after: place)
      next.clear()
      for step in now.places {
        guard case .character(let set) = steps[step], set.contains(character) else { continue }
        follow(step + 1, isStart: false, isEnd: place == text.endIndex, ways: &next)
      }
      swap(&now, &next)
    }
    return place == text.endIndex && now.isAtEnd
  }

  /// Takes the steps that need no character.
  private func follow(_ step: Int, isStart: Bool, isEnd: Bool, ways: inout Ways) {
    var pending = [step]
    while let step = pending.popLast() {
      guard ways.add(step) else { continue }
      switch steps[step] {
      case .character: ways.places.append(step)
      case .either(let one, let other): pending += [other, one]
      case .go(let target): pending.append(target)
      case .atStart: if isStart { pending.append(step + 1) }
      case .atEnd: if isEnd { pending.append(step + 1) }
      case .end: ways.isAtEnd = true
      }
    }
  }

  /// The steps that are taken at one place of the string, each once.
  private struct Ways {
    var places: [Int] = []
    var isAtEnd = false
    private var round = 1
    private var rounds: [Int]

    init(count: Int) {
      rounds = Array(repeating: 0, count: count)
    }

    mutating func add(_ step: Int) -> Bool {
      if rounds[step] == round { return false }
      rounds[step] = round
      return true
    }

    mutating func clear() {
      places.removeAll(keepingCapacity: true)
      isAtEnd = false
      round += 1
    }
  }
}
