import MOCloneModel
import MOCloneYAML

/// Edits of a YAML file by the places of its nodes; what no edit touches stays byte for byte.
struct FileEditor {
  let bytes: [UInt8]
  /// Where each line is, without its end.
  let lines: [Range<Int>]
  var edits: [(bytes: Range<Int>, text: String)] = []
  /// The ends of what was taken out of maps and lists in flow style of which nothing is left, so that no comma follows.
  var emptied: Set<Int> = []
  /// The beginnings of entries in flow style that are comments where they were.
  var commentedOut: Set<Int> = []

  /// A key with its value, in both styles.
  struct NewEntry {
    var name: String
    /// With the comments above it, not indented.
    var lines: [String]
    var flow: String

    init(_ name: String, of entries: [NewEntry]) {
      self.name = name
      lines = ["\(name):"] + entries.flatMap(\.lines).map { $0.isEmpty ? $0 : "  " + $0 }
      flow = "\(name): {\(entries.map(\.flow).joined(separator: ", "))}"
    }

    /// A key with a text on its line.
    init(_ name: String, _ text: String) {
      self.init(name: name, lines: ["\(name): \(text)"], flow: "\(name): \(text)")
    }

    init(name: String, lines: [String], flow: String) {
      (self.name, self.lines, self.flow) = (name, lines, flow)
    }
  }

  init(_ source: SourceFile) {
    bytes = Array(source.text.utf8)
    var lines: [Range<Int>] = []
    let most = bytes.reduce(1) {
      $0 + ($1 == 0x0A || $1 == 0x0D || $1 == 0x85 || $1 == 0xA8 || $1 == 0xA9 ? 1 : 0)
    }
    source.forEachLine(numbered: Array(1...most)) { _, line, _ in lines.append(line) }
    self.lines = lines
  }

  /// The edits in the order of the file, those at one place as one.
  var fixes: [Diagnostic.Fix] {
    var fixes: [Diagnostic.Fix] = []
    for (_, edit) in edits.enumerated().sorted(by: {
      ($0.element.bytes.lowerBound, $0.element.bytes.upperBound, $0.offset)
        < ($1.element.bytes.lowerBound, $1.element.bytes.upperBound, $1.offset)
    }) {
      if let last = fixes.last, last.bytes == edit.bytes, edit.bytes.isEmpty {
        fixes[fixes.count - 1].replacement += edit.text
      } else {
        fixes.append(Diagnostic.Fix(bytes: edit.bytes, replacement: edit.text))
      }
    }
    return fixes
  }
}

extension FileEditor {
  /// The number that a line has in the edited file.
  func lineInResult(_ line: Int) -> Int {
    func count(_ bytes: some Sequence<UInt8>) -> Int { bytes.count { $0 == 0x0A } }
    return edits.filter { $0.bytes.upperBound <= startOfLine(line) }.reduce(line) { line, edit in
      line + count(edit.text.utf8) - count(bytes[edit.bytes])
    }
  }

  mutating func replace(_ node: SyntaxNode, with text: String) {
    edits.append((offset(node.range.start)..<offset(node.range.end), text))
  }

  /// Writes a key's value in the map of an entry, which can be missing.
  mutating func set(_ key: String, to text: String, inValueOf entry: SyntaxNode.Entry) {
    guard entry.value.isNull else { return set(key, to: text, in: entry.value) }
    add([NewEntry(key, text)], toValueOf: entry, .last)
  }

  /// Writes a key's value, or adds the key at the end of its map.
  mutating func set(_ key: String, to text: String, in map: SyntaxNode) {
    guard let entry = map.entries?.first(where: { $0.key == key }) else {
      return add([NewEntry(key, text)], to: map, .last)
    }
    let value = entry.value
    if value.items != nil || value.entries != nil, !isFlow(value),
      let colon = bytes[offset(entry.keyRange.end)...].firstIndex(of: 0x3A)
    {
      edits.append((colon + 1..<lines[lastLine(of: entry) - 1].upperBound, " " + text))
    } else {
      replace(value, with: (value.range.start == value.range.end ? " " : "") + text)
    }
  }

  mutating func remove(_ key: String, from map: SyntaxNode) {
    guard let number = map.entries?.firstIndex(where: { $0.key == key }) else { return }
    if isFlow(map) {
      removeFromFlow([number], of: map)
    } else {
      let entry = map.entries![number]
      edits.append(
        (lines[entry.keyRange.start.line - 1].lowerBound..<startOfLine(lastLine(of: entry) + 1), ""))
    }
  }
}
