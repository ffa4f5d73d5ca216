import MOCloneModel

extension FileEditor {
  /// Makes entries of a map comments, each with the reason above it; those of a map on one line stand above that line.
  mutating func commentOut(_ gone: [(number: Int, reason: String)], of map: SyntaxNode) {
    guard let entries = map.entries, !gone.isEmpty else { return }
    guard isFlow(map) else {
      for (number, reason) in gone { commentOut(entries[number], reason: reason) }
      return
    }
    let line = map.range.start.line
    guard line == map.range.end.line else {
      let numbers = Set(gone.map(\.number))
      for (number, reason) in gone { commentOutInFlow(number, reason: reason, of: map, with: numbers) }
      return
    }
    let indent = indent(line)
    let comments = gone.flatMap { number, reason in
      let entry = entries[number]
      let text = bytes[offset(entry.keyRange.start)..<offset(entry.value.range.end)]
      let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
      return [Self.mark + reason] + words.map { "# " + $0.drop { $0 == " " } }
    }
    insert(comments, indent: indent, beforeLine: line)
    removeFromFlow(gone.map(\.number), of: map)
  }

  mutating func commentOut(_ entry: SyntaxNode.Entry, reason: String) {
    let indent = entry.keyRange.start.column - 1
    let first = entry.keyRange.start.line
    insert([Self.mark + reason], indent: indent, beforeLine: first)
    for line in first...lastLine(of: entry) { commentOut(line: line, indent: indent) }
  }

  private mutating func commentOut(line: Int, indent: Int) {
    let range = lines[line - 1]
    let place = range.lowerBound + min(indent, self.indent(line))
    edits.append((place..<place, place == range.upperBound ? "#" : "# "))
  }

  /// On lines of its own with the comma behind it, so that the comments of the other entries stay with them.
  ///
  /// - Parameter gone: all that become comments.
  private mutating func commentOutInFlow(
    _ number: Int, reason: String, of map: SyntaxNode, with gone: Set<Int>
  ) {
    guard let entries = map.entries else { return }
    let entry = entries[number]
    let indent = flowIndent(of: entry, in: map)
    let (first, last) = (entry.keyRange.start.line, lastLine(of: entry))
    let start = offset(entry.keyRange.start)
    commentedOut.insert(start)
    if beginsLine(entry) {
      commentOut(entry, reason: reason)
    } else {
      let spaces = bytes[..<start].reversed().prefix { $0 == 0x20 }.count
      let text = indented(["", Self.mark + reason, "# "], indent: indent).joined(separator: lineEnd)
      edits.append((start - spaces..<start, text))
      for line in first..<last { commentOut(line: line + 1, indent: indent) }
    }
    var end = offset(entry.value.range.end)
    if let comma = comma(behind: end) {
      if comma < lines[last - 1].upperBound {
        end = comma + 1
      } else {
        edits.append((end..<end, ","))
        edits.append((comma..<comma + 1, ""))
      }
    }
    let isNextRemoved =
      gone.contains(number + 1) && entries[number + 1].keyRange.start.line == last
    guard !isRestEmpty(from: end, line: last), !isNextRemoved else { return }
    let spaces = bytes[end...].prefix { $0 == 0x20 }.count
    edits.append((end..<end + spaces, lineEnd + String(repeating: " ", count: indent)))
  }

  /// Makes a comment what it was.
  mutating func uncomment(line: Int) {
    let range = lines[line - 1]
    let start = range.lowerBound + indent(line)
    let hasSpace = start + 1 < range.upperBound && bytes[start + 1] == 0x20
    edits.append((start..<start + (hasSpace ? 2 : 1), ""))
  }

  mutating func delete(lines numbers: ClosedRange<Int>) {
    edits.append((lines[numbers.lowerBound - 1].lowerBound..<startOfLine(numbers.upperBound + 1), ""))
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

  mutating func removeFromFlow(_ numbers: [Int], of map: SyntaxNode) {
    removeElements(
      numbers, at: map.entries!.map { SourceRange(start: $0.keyRange.start, end: $0.value.range.end) })
  }

  /// Those at the beginning with the comma behind them, the others with the one before them.
  mutating func removeElements(_ numbers: [Int], at places: [SourceRange]) {
    let gone = Set(numbers)
    let hasComments = zip(places, places.dropFirst()).contains { place, next in
      bytes[offset(place.end)..<offset(next.start)].contains(UInt8(ascii: "#"))
    }
    if hasComments { return removeBetweenComments(gone, at: places) }
    let first = places.indices.first { !gone.contains($0) } ?? places.count
    if first > 0 {
      let end = first < places.count ? places[first].start : places[first - 1].end
      edits.append((offset(places[0].start)..<offset(end), ""))
      if first == places.count {
        emptied.insert(offset(end))
        if let comma = comma(behind: offset(end)) { edits.append((comma..<comma + 1, "")) }
      }
    }
    for number in gone.sorted() where number > first {
      edits.append((offset(places[number - 1].end)..<offset(places[number].end), ""))
    }
  }

  /// Leaves a comma behind each element that others follow, and all comments.
  private mutating func removeBetweenComments(_ gone: Set<Int>, at places: [SourceRange]) {
    let lastKept = places.indices.last { !gone.contains($0) }
    for (number, place) in places.enumerated() {
      let end = offset(place.end)
      if gone.contains(number) { edits.append((offset(place.start)..<end, "")) }
      let isFollowed = !gone.contains(number) && number != lastKept
      if number < places.count - 1 || lastKept == nil, !isFollowed, let comma = comma(behind: end) {
        edits.append((comma..<comma + 1, ""))
      }
      if lastKept == nil, number == places.count - 1 { emptied.insert(end) }
    }
  }
}
