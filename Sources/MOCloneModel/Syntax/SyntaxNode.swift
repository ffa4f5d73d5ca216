/// A node of a YAML text with its place.
package struct SyntaxNode: Sendable {
  package enum Content: Sendable {
    case scalar(String, isPlain: Bool)
    case sequence([SyntaxNode])
    case mapping([Entry])
    /// Something that has been reported already, so nobody reports it again.
    case refused
  }

  /// A key of a mapping with its value; keys are scalars.
  package struct Entry: Sendable {
    package var key: String
    package var keyRange: SourceRange
    package var value: SyntaxNode

    package init(key: String, keyRange: SourceRange, value: SyntaxNode) {
      self.key = key
      self.keyRange = keyRange
      self.value = value
    }

    /// Whether the key begins with `x-`; as bytes, for an accent behind it would make one letter with the dash.
    package var isFree: Bool { key.utf8.starts(with: "x-".utf8) }
  }

  package var content: Content
  package var range: SourceRange

  package init(content: Content, range: SourceRange) {
    self.content = content
    self.range = range
  }

  /// Whether the node is the value of `key:`, `key: ~` or `key: null`.
  package var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content, text.utf8.count <= 4 else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  package var isRefused: Bool {
    if case .refused = content { true } else { false }
  }

  package var scalar: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  package var entries: [Entry]? {
    if case .mapping(let entries) = content { entries } else { nil }
  }

  package var items: [SyntaxNode]? {
    if case .sequence(let items) = content { items } else { nil }
  }

  /// What the node is, for messages.
  package var kind: String {
    switch content {
    case .scalar(let text, isPlain: true) where isNull || text.isEmpty: "nothing"
    case .scalar(let text, isPlain: true) where Double(text)?.isFinite == true: "the number \(text.shortened)"
    case .scalar(let text, _): "the string '\(text.shortened)'"
    case .sequence: "a list"
    case .mapping: "a map"
    case .refused: "something refused"
    }
  }
}

extension String {
  /// The text on one line and of a length that fits a message.
  package var shortened: String {
    // Not by characters: one letter with a million accents is a single one.
    var line = String.UnicodeScalarView()
    for scalar in unicodeScalars.prefix(41) { line.append(Character(scalar).isNewline ? " " : scalar) }
    guard line.count > 40 else { return String(line) }
    return String(line.dropLast()) + "…"
  }
}
