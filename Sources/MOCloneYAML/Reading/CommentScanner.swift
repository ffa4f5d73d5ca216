import MOCloneModel

/// A comment of a model file that speaks to moclone: `# moclone:allow unknown-key the key is another tool's`.
struct DirectiveComment: Sendable {
  /// What stands behind the `#` and its spaces.
  var text: Substring
  /// The place of the text.
  var start: SourceRange.Position
  /// The first line below that is no comment; nil for a comment behind a value.
  var target: Int?
}

/// Finds comments, of which libyaml says nothing: what begins with `#` outside of quoted and block scalars.
struct CommentScanner {
  private static let mark = "moclone:"

  /// In the order of the file.
  private let scalars: [SourceRange]
  private var nextScalar = 0
  private var waiting: [DirectiveComment] = []
  private var found: [DirectiveComment] = []

  /// The comments of a text that begin with `moclone:`.
  ///
  /// - Returns: none where the text cannot be read to its end.
  static func directives(in source: SourceFile) -> [DirectiveComment] {
    guard speaksToUs(source.text),
      let scalars = try? YAMLEventSource.scalarsThatHoldAnything(in: source.text)
    else { return [] }
    var scanner = CommentScanner(scalars: scalars)
    var last = 0
    source.forEachLine {
      scanner.read($1, number: $0)
      last = $0
    }
    scanner.aim(at: last + 1)
    return scanner.found
  }

  /// Most files do not, and are read once.
  private static func speaksToUs(_ text: String) -> Bool {
    let mark = Array(mark.utf8)
    return text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.indices.contains { i in
        bytes[i] | 0x20 == mark[0]
          && zip(bytes[i...].prefix(mark.count), mark).allSatisfy { $0 | 0x20 == $1 | 0x20 }
      }
    } ?? true
  }

  private init(scalars: [SourceRange]) {
    self.scalars = scalars
  }

  private mutating func read(_ line: Substring, number: Int) {
    let comment = comment(in: line, number: number)
    let isAlone = comment.map { line[..<$0.index].allSatisfy { $0 == " " || $0 == "\t" } } ?? false
    if !isAlone { aim(at: number) }
    guard let comment else { return }
    let text = line[comment.index...].dropFirst().drop { $0 == " " || $0 == "\t" }
    guard Self.isDirective(text) else { return }
    let before = line[comment.index..<text.startIndex].unicodeScalars.count
    let start = SourceRange.Position(line: number, column: comment.column + before)
    let directive = DirectiveComment(text: text, start: start)
    if isAlone { waiting.append(directive) } else { found.append(directive) }
  }

  /// The comments before a line speak of it.
  private mutating func aim(at line: Int) {
    found += waiting.map { DirectiveComment(text: $0.text, start: $0.start, target: line) }
    waiting = []
  }

  /// Whether a comment means to be one of ours; how it is spelt is judged where it is read.
  private static func isDirective(_ text: Substring) -> Bool {
    guard text.prefix(mark.count).lowercased() == mark else { return false }
    let rest = text.dropFirst(mark.count)
    return rest.first?.isLetter == true || rest.drop { $0 == " " }.lowercased().hasPrefix("allow")
  }

  /// Where the first `#` stands that begins a comment.
  private mutating func comment(in line: Substring, number: Int) -> (index: String.Index, column: Int)? {
    var column = 0
    var last: Unicode.Scalar = " "
    for (index, scalar) in zip(line.unicodeScalars.indices, line.unicodeScalars) {
      column += 1
      defer { last = scalar }
      guard scalar == "#", last == " " || last == "\t" else { continue }
      if !isInScalar(SourceRange.Position(line: number, column: column)) { return (index, column) }
    }
    return nil
  }

  /// Asked for ascending places only.
  private mutating func isInScalar(_ place: SourceRange.Position) -> Bool {
    while nextScalar < scalars.count, scalars[nextScalar].end <= place { nextScalar += 1 }
    return nextScalar < scalars.count && scalars[nextScalar].start <= place
  }
}

extension YAMLEventSource {
  /// The places of quoted and block scalars; in a plain one no `#` stands behind a space.
  fileprivate static func scalarsThatHoldAnything(in text: String) throws(ModelError) -> [SourceRange] {
    try text.readingUTF8 { (bytes) throws(ModelError) -> [SourceRange] in
      let source = YAMLEventSource(bytes)
      var ranges: [SourceRange] = []
      while true {
        let event = try source.next()
        switch event.kind {
        case .streamEnd: return ranges
        case .scalar(_, isPlain: false): ranges.append(event.range)
        default: continue
        }
      }
    }
  }
}
