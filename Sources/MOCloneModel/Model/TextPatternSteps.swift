/// Turns the parts of a pattern into steps.
struct TextPatternSteps {
  /// More than any pattern that people write needs.
  private static let most = 5000

  private(set) var steps: [TextPattern.Step] = []

  init(_ pattern: PatternNode) throws(TextPattern.Fault) {
    try add(pattern)
    steps.append(.end)
  }

  private mutating func add(_ node: PatternNode) throws(TextPattern.Fault) {
    if steps.count > Self.most { throw TextPattern.Fault(reason: "its repetitions are too large") }
    switch node {
    case .characters(let set): steps.append(.character(set))
    case .start: steps.append(.atStart)
    case .end: steps.append(.atEnd)
    case .sequence(let parts): for part in parts { try add(part) }
    case .choice(let parts): try addChoice(parts[...])
    case .repeated(let part, let least, let most): try addRepeated(part, least: least, most: most)
    }
  }

  private mutating func addChoice(_ parts: ArraySlice<PatternNode>) throws(TextPattern.Fault) {
    var ends: [Int] = []
    for (i, part) in parts.enumerated() {
      guard i < parts.count - 1 else {
        try add(part)
        break
      }
      let fork = steps.count
      steps.append(.go(0))
      try add(part)
      ends.append(steps.count)
      steps.append(.go(0))
      steps[fork] = .either(fork + 1, steps.count)
    }
    for end in ends { steps[end] = .go(steps.count) }
  }

  private mutating func addRepeated(
    _ part: PatternNode, least: Int, most: Int?
  ) throws(TextPattern.Fault) {
    if max(least, most ?? 0) > Self.most { throw TextPattern.Fault(reason: "its repetitions are too large") }
    for _ in 0..<least { try add(part) }
    guard let most else {
      let fork = steps.count
      steps.append(.go(0))
      try add(part)
      steps.append(.go(fork))
      steps[fork] = .either(fork + 1, steps.count)
      return
    }
    var forks: [Int] = []
    for _ in least..<max(least, most) {
      forks.append(steps.count)
      steps.append(.go(0))
      try add(part)
    }
    for fork in forks { steps[fork] = .either(fork + 1, steps.count) }
  }
}
