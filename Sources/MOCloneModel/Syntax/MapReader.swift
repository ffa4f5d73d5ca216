/// What reading a file gathers: findings, and where things stand.
package final class ReadingContext {
  package let findings = FindingList()
  /// Nil where places are not noted.
  package private(set) var map: SourceMap?
  /// Parts of the model that were not understood, about which nothing more is said.
  package private(set) var damaged: Set<ModelPath> = []

  /// The relationships whose delete rule is written.
  package private(set) var deleteRules: Set<ModelPath> = []

  package init(notesPlaces: Bool = true) {
    map = notesPlaces ? SourceMap() : nil
  }

  package func note(_ path: @autoclosure () -> ModelPath, _ entry: SyntaxNode.Entry) {
    map?.add(path(), entry)
  }

  package func note(_ path: @autoclosure () -> ModelPath, _ range: SourceRange) {
    map?.add(path(), range)
  }

  package func noteDeleteRule(_ path: ModelPath) {
    deleteRules.insert(path)
  }

  /// The findings with their places, in the order of the file.
  package func located() -> [Diagnostic] {
    let found = findings.diagnostics
    return (map.map { found.map($0.locate) } ?? found).sortedByPlace()
  }

  package func damage(_ path: ModelPath, diagnostic: @autoclosure () -> Diagnostic) {
    if !findings.isFull { damaged.insert(path) }
    findings.add(diagnostic())
  }

  /// Notes a part that is not of the kind that is expected, unless that has been said already.
  package func refuse(_ entry: SyntaxNode.Entry, expected: String, at path: ModelPath) {
    guard !entry.value.isRefused else { return }
    damage(path, diagnostic: .wrongKind(entry.key, expected: expected, found: entry.value, at: path))
  }

  /// Notes a part that was not understood, where that has been said already.
  func damage(_ path: @autoclosure () -> ModelPath) {
    if !findings.isFull { damaged.insert(path()) }
  }

  /// Whether a path is in a part that was not understood.
  package func isDamaged(_ path: ModelPath) -> Bool {
    var path = path
    while !path.components.isEmpty {
      if damaged.contains(path) { return true }
      path = path.parent
    }
    return false
  }
}

/// Reads one map of the format key by key.
package struct MapReader {
  package let context: ReadingContext
  package let path: ModelPath
  /// What the map describes, for messages.
  private let place: () -> String
  /// By their right names; few, so that looking at each is the fastest.
  private var entries: [SyntaxNode.Entry] = []
  /// The keys of one's own.
  package private(set) var extensions: [String: ExtensionValue] = [:]

  /// - Parameter format: the keys the map can have.
  package init(
    _ entries: [SyntaxNode.Entry], place: @escaping @autoclosure () -> String, at path: ModelPath,
    format: FormatMap,
    context: ReadingContext
  ) {
    self.init(entries, place: place(), at: path, keys: format.names, context: context)
  }

  /// - Parameter keys: the keys the map can have, where no schema describes it.
  package init(
    _ entries: [SyntaxNode.Entry], place: @escaping @autoclosure () -> String, at path: ModelPath,
    keys: [String],
    context: ReadingContext
  ) {
    self.context = context
    self.path = path
    self.place = place
    lazy var given = Set(entries.map(\.key))
    if entries.contains(where: \.isFree) {
      extensions = ExtensionValue.values(of: entries.lazy.filter(\.isFree))
    }
    for var entry in entries where !entry.isFree {
      if !keys.contains(entry.key) {
        guard let key = meant(by: entry, keys: keys, given: given) else { continue }
        entry.key = key
      }
      self.entries.append(entry)
      context.note(path / entry.key, entry)
      if entry.value.isRefused { context.damage(path / entry.key) }
    }
  }

  /// The key that a misspelt one was meant to be.
  private func meant(by entry: SyntaxNode.Entry, keys: [String], given: Set<String>) -> String? {
    let nearest = context.findings.nearest(to: entry.key, in: keys)
    let meant = nearest.flatMap { given.contains($0) || node(named: $0) != nil ? nil : $0 }
    var finding = Diagnostic.unknownKey(
      entry.key, in: place(), nearest: nearest, known: keys, at: path, range: entry.keyRange)
    if let nearest, meant == nil { finding.help = "'\(nearest)' is already present; remove one of the two" }
    finding.renaming = meant.map { Diagnostic.Renaming(written: entry.key, meant: $0) }
    context.findings.add(finding)
    return meant
  }

  package func node(_ key: String) -> SyntaxNode? {
    node(named: key).flatMap { $0.isRefused ? nil : $0 }
  }

  private func node(named key: String) -> SyntaxNode? {
    entries.last { $0.key == key }?.value
  }

  // MARK: Scalars

  package func string(_ key: String) -> String? {
    guard let node = node(key) else { return nil }
    guard let text = node.scalar, !node.isNull else { return refuse(key, expected: "a string", node: node) }
    return text
  }

  /// A text that the map cannot do without.
  package func required(_ key: String) -> String? {
    if node(named: key) == nil {
      context.damage(path, diagnostic: .missingKey(key, in: place(), at: path))
      return nil
    }
    return string(key)
  }

  package func boolean(_ key: String) -> Bool? {
    guard let node = node(key) else { return nil }
    return node.scalar.flatMap { Self.booleans[$0] } ?? refuse(key, expected: "true or false", node: node)
  }

  package static let booleans = [
    "true": true, "True": true, "TRUE": true, "false": false, "False": false, "FALSE": false,
  ]

  package func integer(_ key: String) -> Int? {
    guard let node = node(key) else { return nil }
    if let number = node.scalar.flatMap({ Int($0) }) { return number }
    let number = node.scalar.flatMap { Double($0) } ?? 0
    let expected =
      !number.isFinite || abs(number) < Double(Int.max)
      ? "a whole number" : number > 0 ? "at most \(Int.max)" : "at least \(Int.min)"
    return refuse(key, expected: expected, node: node)
  }

  package func number(_ key: String) -> ValueLimit? {
    guard let node = node(key) else { return nil }
    return node.scalar.flatMap { ValueLimit($0) } ?? refuse(key, expected: "a number", node: node)
  }

  /// One of the values of a setting.
  package func choice<T: RawRepresentable<String> & CaseIterable>(_ key: String, _ type: T.Type = T.self)
    -> T?
  {
    choice(key, among: T.words) { T(rawValue: $0) }
  }

  /// - Parameter known: what can stand there, for messages.
  package func choice<T>(_ key: String, among known: [String], _ value: (String) -> T?) -> T? {
    guard let text = string(key), let node = node(key) else { return nil }
    if let value = value(text) { return value }
    let nearest = context.findings.nearest(to: text, in: known)
    context.damage(
      path / key,
      diagnostic: .unknownValue(
        text, of: key, known: known, nearest: nearest, at: path / key, range: node.range))
    return nil
  }

  // MARK: Lists and maps

  /// A list of strings, or a single string.
  package func strings(_ key: String) -> [String]? {
    guard let node = node(key) else { return nil }
    if let text = node.scalar, !node.isNull { return [text] }
    guard let items = node.items else {
      return refuse(key, expected: "a name or a list of names", node: node)
    }
    return items.compactMap { item in
      guard let text = item.scalar, !item.isNull else {
        return refuse(key, expected: "a list of names", node: item)
      }
      return text
    }
  }

  /// The entries of a map; nothing represents an empty one.
  package func entries(_ key: String) -> [SyntaxNode.Entry]? {
    guard let node = node(key) else { return nil }
    if node.isNull { return [] }
    return node.entries ?? refuse(key, expected: "a map", node: node)
  }

  /// What reads the map of a key; nil where there is none.
  package func map(_ key: String, format: FormatMap) -> MapReader? {
    entries(key).map { MapReader($0, place: "'\(key)'", at: path / key, format: format, context: context) }
  }

  /// Notes that a value has another kind than it should.
  package func refuse<T>(_ key: String, expected: String, node: SyntaxNode) -> T? {
    guard !node.isRefused else { return nil }
    context.damage(path / key, diagnostic: .wrongKind(key, expected: expected, found: node, at: path / key))
    return nil
  }
}
