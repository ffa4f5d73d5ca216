import MOCloneModel

extension FileEditor {
  /// Makes entries of a map comments, each with the reason above it; the last argument is the line for those in one line.
  mutating func commentOut(_ gone: [(number: Int, reason: String)], of map: SyntaxNode) {
    guard let entries = map.entries, !gone.isEmpty else { return }
    guard isFlow(map) else {
      for (number, reason) in gone { commentOut(entries[number], reason: reason) }
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

  mutating func commentOut(_ entry: SyntaxNode.Entry, reason: String) {
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

  mutating func removeFromFlow(_ numbers: [Int], of map: SyntaxNode) {
    removeElements(
      numbers, at: map.entries!.map { SourceRange(start: $0.keyRange.start, end: $0.value.range.end) })
  }

  /// Those at the beginning with the comma behind them, the others with the one before them.
  mutating func removeElements(_ numbers: [Int], at places: [SourceRange]) {
    let gone = Set(numbers)
    let first = places.indices.first { !gone.contains($0) } ?? places.count
    if first > 0 {
      let end = first < places.count ? places[first].start : places[first - 1].end
      edits.append((offset(places[0].start)..<offset(end), ""))
      if first == places.count { emptied.insert(offset(end)) }
    }
    for number in gone.sorted() where number > first {
      edits.append((offset(places[number - 1].end)..<offset(places[number].end), ""))
    }
  }
}
