import MOCloneModel

/// A map of the model file's format as it is put together from elements, each key with the place of what it came from.
struct SyntaxMap {
  private(set) var entries: [SyntaxNode.Entry] = []
  private var places: [String: SourceRange] = [:]
  let range: SourceRange

  init(at range: SourceRange) {
    self.range = range
  }

  var node: SyntaxNode { SyntaxNode(content: .mapping(entries), range: range) }
  var isEmpty: Bool { entries.isEmpty }

  mutating func add(_ key: String, _ text: String?, at range: SourceRange) {
    guard let text else { return }
    add(key, SyntaxNode(content: .scalar(text, isPlain: false), range: range), at: range)
  }

  mutating func add(_ key: String, _ attribute: XcodeElement.Attribute?) {
    guard let attribute else { return }
    add(key, attribute.value, at: attribute.range)
  }

  mutating func add(_ key: String, _ node: SyntaxNode, at range: SourceRange) {
    places[key] = range
    entries.append(SyntaxNode.Entry(key: key, keyRange: range, value: node))
  }

  /// Adds a list of names; nothing is added for an empty one.
  mutating func add(_ key: String, names: [XcodeElement.Attribute]) {
    guard let first = names.first else { return }
    let items = names.map { SyntaxNode(content: .scalar($0.value, isPlain: false), range: $0.range) }
    add(key, SyntaxNode(content: .sequence(items), range: first.range), at: first.range)
  }

  /// Adds a map, where it is not empty.
  mutating func add(_ key: String, _ map: SyntaxMap) {
    if !map.isEmpty { add(key, map.node, at: map.range) }
  }

  func contains(_ key: String) -> Bool { places[key] != nil }

  /// Adds what a name says; the name of another entry is an error, as it is in a model file.
  mutating func add(
    once key: String, _ node: SyntaxNode, at range: SourceRange, _ findings: FindingList
  ) {
    if let first = places[key] {
      findings.add(.duplicateKey(key, range: range, first: first))
    } else {
      add(key, node, at: range)
    }
  }
}
