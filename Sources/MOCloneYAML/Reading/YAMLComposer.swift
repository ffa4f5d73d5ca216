import MOCloneModel

/// Composes the events of one document into located nodes.
///
/// Aliases are refused rather than followed, so a node can neither expand nor contain itself.
struct YAMLComposer {
  static let maximumDepth = 64
  /// More than any model has, and few enough to hold in memory.
  static let maximumNodes = 300_000

  private let source: YAMLEventSource
  private let findings: FindingList
  private var nodes = 0

  private init(source: YAMLEventSource, findings: FindingList) {
    self.source = source
    self.findings = findings
  }

  /// The root of a text, or nil where it is empty.
  ///
  /// - Throws: `ModelError` where the reading cannot go on.
  static func compose(_ text: String, findings: FindingList) throws(ModelError) -> SyntaxNode? {
    try text.readingUTF8 { (bytes) throws(ModelError) -> SyntaxNode? in
      if let line = tagDirective(in: bytes) {
        throw ModelError(.tagDirectives(.point(line: line, column: 1)))
      }
      var composer = YAMLComposer(source: YAMLEventSource(bytes), findings: findings)
      return try composer.document()
    }
  }

  /// The line of a first `%TAG`: libyaml compares each with all before it, and tags mean nothing here.
  private static func tagDirective(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let directive = Array("%TAG".utf8)
    var line = 1
    var isLineStart = true
    for i in bytes.indices {
      if isLineStart, bytes[i] == directive[0], bytes[i...].starts(with: directive) { return line }
      isLineStart = bytes[i] == 0x0A || bytes[i] == 0x0D
      if bytes[i] == 0x0A { line += 1 }
    }
    return nil
  }

  private mutating func document() throws(ModelError) -> SyntaxNode? {
    _ = try source.next()
    guard case .documentStart = try source.next().kind else { return nil }
    let root = try node(try source.next(), depth: 1)
    _ = try source.next()
    let behind = try source.next()
    if case .documentStart = behind.kind { throw ModelError(.severalDocuments(behind.range)) }
    return root
  }

  private mutating func node(_ event: YAMLEvent, depth: Int) throws(ModelError) -> SyntaxNode {
    nodes += 1
    if findings.isCut { throw ModelError(diagnostics: []) }
    if nodes > Self.maximumNodes { throw ModelError(.tooManyValues(event.range)) }
    if depth > Self.maximumDepth { throw ModelError(.nestedTooDeep(event.range)) }
    if let tag = event.tag { findings.add(.tag(tag, range: event.range)) }
    switch event.kind {
    case .scalar(let text, let isPlain):
      return SyntaxNode(content: .scalar(text, isPlain: isPlain), range: event.range)
    case .sequenceStart: return try sequence(from: event, depth: depth)
    case .mappingStart(let isFlow): return try mapping(from: event, isFlow: isFlow, depth: depth)
    default:
      findings.add(.alias(event.range))
      return SyntaxNode(content: .refused, range: event.range)
    }
  }

  private mutating func sequence(from start: YAMLEvent, depth: Int) throws(ModelError) -> SyntaxNode {
    var items: [SyntaxNode] = []
    while true {
      let event = try source.next()
      if case .sequenceEnd = event.kind {
        let range = SourceRange(start: start.range.start, end: event.range.end)
        return SyntaxNode(content: .sequence(items), range: range)
      }
      items.append(try node(event, depth: depth + 1))
    }
  }

  private mutating func mapping(
    from start: YAMLEvent, isFlow: Bool, depth: Int
  ) throws(ModelError) -> SyntaxNode {
    var map = MapEntries(isFlow: isFlow)
    while true {
      let event = try source.next()
      if case .mappingEnd = event.kind {
        let range = SourceRange(start: start.range.start, end: event.range.end)
        return SyntaxNode(content: .mapping(map.entries), range: range)
      }
      let key = try node(event, depth: depth + 1)
      let value = try node(try source.next(), depth: depth + 1)
      if let finding = map.add(key, value) { findings.add(finding) }
    }
  }
}

/// The entries of a mapping so far; knows which keys cannot be added.
private struct MapEntries {
  let isFlow: Bool
  private(set) var entries: [SyntaxNode.Entry] = []
  /// Of maps that are too long to look at each key.
  private var places: [String: SourceRange] = [:]
  private static let longest = 16

  init(isFlow: Bool) {
    self.isFlow = isFlow
  }

  mutating func add(_ key: SyntaxNode, _ value: SyntaxNode) -> Diagnostic? {
    guard case .scalar(let name, let isPlain) = key.content else {
      return key.isRefused ? nil : .keyNotText(key)
    }
    if name.utf8.count > ModelLimits.key { return .keyTooLong(key) }
    if name == "<<", isPlain { return .mergeKey(key.range) }
    if isPlain, isFlow, value.isNull, let colon = name.firstIndex(of: ":") {
      let meant = SyntaxNode(
        content: .scalar(String(name[name.index(after: colon)...]), isPlain: true), range: key.range)
      append(String(name[..<colon]), range: key.range, value: meant)
      return .missingSpace(name, colon: colon, range: key.range)
    }
    if let first = place(of: name) { return .duplicateKey(name, range: key.range, first: first) }
    append(name, range: key.range, value: value)
    return nil
  }

  private mutating func append(_ name: String, range: SourceRange, value: SyntaxNode) {
    entries.append(SyntaxNode.Entry(key: name, keyRange: range, value: value))
    guard entries.count > Self.longest else { return }
    if places.isEmpty { for entry in entries { places[entry.key] = entry.keyRange } }
    places[name] = range
  }

  private func place(of name: String) -> SourceRange? {
    places.isEmpty ? entries.last { $0.key == name }?.keyRange : places[name]
  }
}
