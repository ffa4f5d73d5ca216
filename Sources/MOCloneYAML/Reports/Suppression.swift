import MOCloneModel

/// A comment `# moclone:allow CODE, CODE reason`, which allows findings on the line below it.
package struct Suppression: Sendable, Hashable {
  package struct Allowed: Sendable, Hashable {
    package var code: DiagnosticCode
    /// Where the code stands.
    package var range: SourceRange
  }

  package var allowed: [Allowed]
  /// Why the findings are no faults.
  package var reason: String
  /// The line whose findings are allowed.
  package var line: Int
}

/// The comments of a file that allow findings, and what is wrong with them.
package struct SuppressionList: Sendable {
  package private(set) var suppressions: [Suppression] = []
  package private(set) var findings: [Diagnostic] = []

  init() {}

  init(_ comments: [DirectiveComment]) {
    // More than anybody writes; the findings below others are reported as they are.
    for comment in comments.prefix(FindingList.most) { read(comment) }
  }

  private mutating func read(_ comment: DirectiveComment) {
    var words = CommentWords(comment)
    let verb = words.next { !$0.properties.isWhitespace }
    guard verb.text == "moclone:allow" else {
      return findings.append(.unknownDirective(String(verb.text), range: verb.range))
    }
    guard let line = comment.target else { return findings.append(.suppressionBehindValue(verb.range)) }
    let codes = words.codes()
    let reason = words.reason()
    if codes.isEmpty { return findings.append(.suppressionWithoutCode(verb.range)) }
    var allowed: [Suppression.Allowed] = []
    for code in codes {
      if let known = DiagnosticCode(rawValue: String(code.text)) {
        allowed.append(Suppression.Allowed(code: known, range: code.range))
      } else {
        findings.append(.suppressionOfUnknownCode(String(code.text), range: code.range))
      }
    }
    if reason.isEmpty {
      return findings.append(.suppressionWithoutReason(codes.map(\.text), range: codes[0].range))
    }
    suppressions.append(Suppression(allowed: allowed, reason: reason, line: line))
  }
}

/// Reads the words of a comment with their places.
private struct CommentWords {
  private var rest: Substring.UnicodeScalarView
  private var place: SourceRange.Position

  init(_ comment: DirectiveComment) {
    rest = comment.text.unicodeScalars
    place = comment.start
  }

  /// The scalars up to one that does not belong, after spaces.
  mutating func next(while belongs: (Unicode.Scalar) -> Bool) -> (text: Substring, range: SourceRange) {
    _ = take { $0 == " " || $0 == "\t" }
    let start = place
    let text = Substring(take(while: belongs))
    return (text, SourceRange(start: start, end: place))
  }

  /// Codes with commas between them; blanks may stand on both sides of a comma.
  mutating func codes() -> [(text: Substring, range: SourceRange)] {
    var codes: [(text: Substring, range: SourceRange)] = []
    while true {
      let code = next { !$0.properties.isWhitespace && $0 != "," && $0 != ":" }
      if code.text.isEmpty { return codes }
      codes.append(code)
      if next(while: { $0 == "," }).text.isEmpty { return codes }
    }
  }

  /// What is left, without the dash or colon that may lead to it; nothing where it has no letter.
  mutating func reason() -> String {
    let text = rest.drop { $0.properties.isWhitespace || "-–—:".unicodeScalars.contains($0) }
    return text.contains { $0.properties.isAlphabetic } ? String(text) : ""
  }

  private mutating func take(while belongs: (Unicode.Scalar) -> Bool) -> Substring.UnicodeScalarView {
    let taken = rest.prefix(while: belongs)
    rest = rest[taken.endIndex...]
    place = SourceRange.Position(line: place.line, column: place.column + taken.count)
    return taken
  }
}
