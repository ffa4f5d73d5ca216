import MOCloneModel
import MOCloneYAML

/// Edits of a YAML file by the places of its nodes; what no edit touches stays byte for byte.
struct FileEditor {
  let source: SourceFile
  private let bytes: [UInt8]
  /// Where each line is, without its end.
  private let lines: [Range<Int>]
  private var edits: [(bytes: Range<Int>, text: String)] = []

  /// A key with its value, in both styles.
  struct NewEntry {
    var name: String
    /// With the comments above it, not indented.
    var lines: [String]
    var flow: String

    /// A map of entries.
    init(_ name: String, of entries: [NewEntry]) {
      self.name = name
      lines = ["\(name):"] + entries.flatMap(\.lines).map { $0.isEmpty ? $0 : "  " + $0 }
      flow = "\(name): {\(entries.map(\.flow).joined(separator: ", "))}"
    }

    init(name: String, lines: [String], flow: String) {
      (self.name, self.lines, self.flow) = (name, lines, flow)
    }
  }

  init(_ source: SourceFile) {
    self.source = source
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

// MARK: - Values

extension FileEditor {
  mutating func replace(_ node: SyntaxNode, with text: String) {
    edits.append((offset(node.range.start)..<offset(node.range.end), text))
  }

  /// Writes a key's value, or adds the key at the end of its map.
  mutating func set(_ key: String, to text: String, in map: SyntaxNode) {
    if let value = map.entries?.first(where: { $0.key == key })?.value {
      replace(value, with: (value.range.start == value.range.end ? " " : "") + text)
    } else {
      add([NewEntry(name: key, lines: ["\(key): \(text)"], flow: "\(key): \(text)")], to: map, .last)
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

// MARK: - Adding

extension FileEditor {
  /// Where new entries go.
  enum Place {
    case last
    /// By name, if the entries are in this order.
    case sorted
  }

  /// Adds entries to a map that is a key's value, and that can be missing.
  mutating func add(
    _ new: [NewEntry], toValueOf entry: SyntaxNode.Entry, _ place: Place, separated: Bool = false
  ) {
    guard !new.isEmpty else { return }
    guard entry.value.isNull else { return add(new, to: entry.value, place, separated: separated) }
    let range = offset(entry.value.range.start)..<offset(entry.value.range.end)
    if isInFlow(at: range.upperBound) {
      edits.append((range, " {\(new.map(\.flow).joined(separator: ", "))}"))
    } else {
      if !range.isEmpty { edits.append((range, "")) }
      insert(
        new.flatMap(\.lines), indent: entry.keyRange.start.column + 1, behindLine: entry.keyRange.start.line)
    }
  }

  /// Adds entries to a map.
  mutating func add(_ new: [NewEntry], to map: SyntaxNode, _ place: Place, separated: Bool = false) {
    guard let entries = map.entries else { return }
    if isFlow(map) {
      let text = new.map(\.flow).joined(separator: ", ")
      let end = entries.last.map { offset($0.value.range.end) } ?? offset(map.range.start) + 1
      edits.append((end..<end, entries.isEmpty ? text : ", " + text))
      return
    }
    let isSorted = place == .sorted && entries.count > 2 && entries.map(\.key.sortKey).isSorted
    let blank = separated && hasBlankLines(between: entries) ? [""] : []
    for entry in new {
      let lines = aligned(entry, with: entries)
      let before = isSorted ? entries.lastIndex { $0.key.sortKey < entry.name.sortKey } : entries.count - 1
      let indent = entries[0].keyRange.start.column - 1
      if let before {
        insert(
          blank + lines, indent: indent,
          behindLine: lastLine(of: entries[before], isLast: before == entries.count - 1))
      } else {
        insert(lines + blank, indent: indent, beforeLine: firstLine(of: entries[0]))
      }
    }
  }

  /// Adds a list to a list: `[a, b]` to `[[c]]`.
  mutating func add(item: String, to list: SyntaxNode) {
    guard let items = list.items else { return }
    if isFlow(list) {
      let end = items.last.map { offset($0.range.end) } ?? offset(list.range.start) + 1
      edits.append((end..<end, items.isEmpty ? item : ", " + item))
    } else if let last = items.last {
      let line = lines[last.range.start.line - 1]
      let indent = bytes[line].prefix { $0 == 0x20 }.count
      insert(["- " + item], indent: indent, behindLine: lastLine(of: last))
    }
  }

  private mutating func insert(_ new: [String], indent: Int, behindLine line: Int) {
    let end = lines[line - 1].upperBound
    edits.append((end..<end, indented(new, indent).map { lineEnd + $0 }.joined()))
  }

  private mutating func insert(_ new: [String], indent: Int, beforeLine line: Int) {
    let start = lines[line - 1].lowerBound
    edits.append((start..<start, indented(new, indent).map { $0 + lineEnd }.joined()))
  }

  private func indented(_ lines: [String], _ indent: Int) -> [String] {
    lines.map { $0.isEmpty ? $0 : String(repeating: " ", count: indent) + $0 }
  }

  /// With its value below those of its neighbours, where they are below each other.
  private func aligned(_ entry: NewEntry, with entries: [SyntaxNode.Entry]) -> [String] {
    let columns = Set(entries.map { $0.value.range.start.column - $0.keyRange.start.column })
    let onOneLine = entries.allSatisfy { $0.value.range.start.line == $0.keyRange.start.line }
    guard entries.count > 1, onOneLine, columns.count == 1, let column = columns.first,
      let line = entry.lines.last, entry.lines.dropLast().allSatisfy({ $0.hasPrefix("#") }),
      let colon = line.firstRange(of: ": "), line[..<colon.lowerBound].count + 2 <= column
    else { return entry.lines }
    let key = line[..<colon.lowerBound] + ":"
    return entry.lines.dropLast()
      + [key + String(repeating: " ", count: column - key.count) + line[colon.upperBound...]]
  }
}

// MARK: - Taking out

extension FileEditor {
  /// Makes entries of a map comments, each with the reason above it; the last argument is the line for those in one line.
  mutating func commentOut(_ gone: [(number: Int, reason: String)], of map: SyntaxNode) {
    guard let entries = map.entries, !gone.isEmpty else { return }
    guard isFlow(map) else {
      for (number, reason) in gone { commentOut(entries[number], reason) }
      return
    }
    let line = map.range.start.line
    let indent = bytes[lines[line - 1]].prefix { $0 == 0x20 }.count
    let comments = gone.flatMap { number, reason in
      let entry = entries[number]
      let text = bytes[offset(entry.keyRange.start)..<offset(entry.value.range.end)]
      let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
      return [Self.mark + reason] + words.map { "# " + $0.drop { $0 == " " } }
    }
    insert(comments, indent: indent, beforeLine: line)
    removeFromFlow(gone.map(\.number), of: map)
  }

  private mutating func commentOut(_ entry: SyntaxNode.Entry, _ reason: String) {
    let indent = entry.keyRange.start.column - 1
    let first = entry.keyRange.start.line
    insert([Self.mark + reason], indent: indent, beforeLine: first)
    for line in first...lastLine(of: entry) {
      let range = lines[line - 1]
      let spaces = min(indent, bytes[range].prefix { $0 == 0x20 }.count)
      let place = range.lowerBound + spaces
      edits.append((place..<place, place == range.upperBound ? "#" : "# "))
    }
  }

  /// Takes elements out of a list.
  mutating func remove(items numbers: [Int], from list: SyntaxNode) {
    guard let items = list.items, !numbers.isEmpty else { return }
    guard !isFlow(list) else { return removeElements(numbers, at: items.map(\.range)) }
    for number in numbers {
      let first = items[number].range.start.line
      edits.append((lines[first - 1].lowerBound..<startOfLine(lastLine(of: items[number]) + 1), ""))
    }
  }

  /// What stands above each part that the source has no more.
  static let mark = "# gone from the source: "

  private mutating func removeFromFlow(_ numbers: [Int], of map: SyntaxNode) {
    removeElements(
      numbers, at: map.entries!.map { SourceRange(start: $0.keyRange.start, end: $0.value.range.end) })
  }

  /// Those at the beginning with the comma behind them, the others with the one before them.
  private mutating func removeElements(_ numbers: [Int], at places: [SourceRange]) {
    let gone = Set(numbers)
    let first = places.indices.first { !gone.contains($0) } ?? places.count
    if first > 0 {
      let end = first < places.count ? places[first].start : places[first - 1].end
      edits.append((offset(places[0].start)..<offset(end), ""))
    }
    for number in gone.sorted() where number > first {
      edits.append((offset(places[number - 1].end)..<offset(places[number].end), ""))
    }
  }
}

// MARK: - Places

extension FileEditor {
  func isFlow(_ node: SyntaxNode) -> Bool {
    let start = offset(node.range.start)
    return start < bytes.count && (bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "["))
  }

  /// Whether something else of a map in flow style can follow a value.
  func isInFlow(behind node: SyntaxNode) -> Bool { isInFlow(at: offset(node.range.end)) }

  /// Whether a scalar is written without quotes.
  func isBare(_ node: SyntaxNode) -> Bool {
    let start = offset(node.range.start)
    return start < bytes.count && bytes[start] != UInt8(ascii: "\"") && bytes[start] != UInt8(ascii: "'")
  }

  private func isInFlow(at offset: Int) -> Bool {
    let next = bytes[offset...].first { $0 != 0x20 }
    return next == UInt8(ascii: ",") || next == UInt8(ascii: "}")
  }

  private func offset(_ position: SourceRange.Position) -> Int {
    guard position.line <= lines.count else { return bytes.count }
    var offset = lines[position.line - 1].lowerBound
    for _ in 1..<max(1, position.column) where offset < bytes.count {
      offset += 1
      while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    }
    return offset
  }

  private func startOfLine(_ line: Int) -> Int {
    line <= lines.count ? lines[line - 1].lowerBound : bytes.count
  }

  private var lineEnd: String {
    guard lines.count > 1 else { return "\n" }
    return String(decoding: bytes[lines[0].upperBound..<lines[1].lowerBound], as: UTF8.self)
  }

  /// The last line of an entry. That of the last entry of a map counts the comments below it as its own, of others only
  /// those that are indented deeper.
  private func lastLine(of entry: SyntaxNode.Entry, isLast: Bool) -> Int {
    let indent = entry.keyRange.start.column - 1
    var line = lastLine(of: entry)
    while line < lines.count, let comment = commentIndent(line + 1),
      comment > indent || isLast && comment == indent
    {
      line += 1
    }
    return line
  }

  private func lastLine(of entry: SyntaxNode.Entry) -> Int {
    max(entry.keyRange.end.line, lastLine(of: entry.value))
  }

  private func lastLine(of node: SyntaxNode) -> Int {
    if !isFlow(node) {
      if let last = node.entries?.last { return lastLine(of: last) }
      if let last = node.items?.last { return max(lastLine(of: last), node.range.start.line) }
    }
    // A block of text ends where the next line begins.
    let end = node.range.end
    var line = end.column == 1 && end.line > node.range.start.line ? end.line - 1 : end.line
    while line > node.range.start.line, lines[line - 1].isEmpty { line -= 1 }
    return line
  }

  /// The first of the comments above an entry that are indented as it is, else its own line.
  private func firstLine(of entry: SyntaxNode.Entry) -> Int {
    var line = entry.keyRange.start.line
    while line > 1, commentIndent(line - 1) == entry.keyRange.start.column - 1 { line -= 1 }
    return line
  }

  /// Nil where the line is no comment.
  private func commentIndent(_ line: Int) -> Int? {
    let text = bytes[lines[line - 1]]
    let indent = text.prefix { $0 == 0x20 }.count
    return text.dropFirst(indent).first == UInt8(ascii: "#") ? indent : nil
  }

  private func hasBlankLines(between entries: [SyntaxNode.Entry]) -> Bool {
    entries.count == 1
      || entries.dropFirst().contains { entry in
        let line = firstLine(of: entry)
        return line > 1 && bytes[lines[line - 2]].allSatisfy { $0 == 0x20 }
      }
  }
}

extension String {
  fileprivate var sortKey: String { lowercased() }
}

extension [String] {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}
