import MOCloneModel

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

  mutating func add(_ new: [NewEntry], to map: SyntaxNode, _ place: Place, separated: Bool = false) {
    guard let entries = map.entries else { return }
    if isFlow(map) {
      return addToFlow(new.map(\.flow).joined(separator: ", "), map, entries)
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
      addToFlow(item, behind: items.last, in: list)
    } else if let last = items.last {
      let line = lines[last.range.start.line - 1]
      let indent = bytes[line].prefix { $0 == 0x20 }.count
      insert(["- " + item], indent: indent, behindLine: lastLine(of: last))
    }
  }

  private mutating func addToFlow(_ text: String, _ map: SyntaxNode, _ entries: [SyntaxNode.Entry]) {
    guard let last = entries.last(where: { !commentedOut.contains(offset($0.keyRange.start)) }) else {
      guard !entries.isEmpty else { return addToFlow(text, behind: nil, in: map) }
      // Before the comments, with a comma for when they come back.
      let start = offset(map.range.start) + 1
      return edits.insert((start..<start, text + ","), at: 0)
    }
    let line = lastLine(of: last)
    let end = offset(last.value.range.end)
    let comma = comma(behind: end).flatMap { $0 < lines[line - 1].upperBound ? $0 : nil }
    guard line < map.range.end.line, !emptied.contains(end),
      isRestEmpty(from: comma.map { $0 + 1 } ?? end, line: line)
    else { return addToFlow(text, behind: last.value, in: map) }
    // On a line of its own, so that a comment behind the last entry stays there.
    let isSecond = edits.contains { $0.bytes == end..<end && $0.text == "," }
    if comma == nil, !isSecond { edits.append((end..<end, ",")) }
    let words = comma != nil ? text + "," : isSecond ? ", " + text : text
    insert([words], indent: flowIndent(of: last, in: map), behindLine: line)
  }

  private mutating func addToFlow(_ text: String, behind last: SyntaxNode?, in node: SyntaxNode) {
    let end = last.map { offset($0.range.end) } ?? offset(node.range.start) + 1
    let isFirst =
      last == nil && !edits.contains { $0.bytes == end..<end } || emptied.remove(end) != nil
    edits.append((end..<end, isFirst ? text : ", " + text))
  }

  mutating func insert(_ new: [String], indent: Int, behindLine line: Int) {
    let end = lines[line - 1].upperBound
    edits.append((end..<end, indented(new, indent: indent).map { lineEnd + $0 }.joined()))
  }

  mutating func insert(_ new: [String], indent: Int, beforeLine line: Int) {
    let start = lines[line - 1].lowerBound
    edits.append((start..<start, indented(new, indent: indent).map { $0 + lineEnd }.joined()))
  }

  func indented(_ lines: [String], indent: Int) -> [String] {
    lines.map { $0.isEmpty ? $0 : String(repeating: " ", count: indent) + $0 }
  }

  /// With its value below those of its neighbours, where they are below each other.
  func aligned(_ entry: NewEntry, with entries: [SyntaxNode.Entry]) -> [String] {
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

extension String {
  fileprivate var sortKey: String { lowercased() }
}

extension [String] {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}
