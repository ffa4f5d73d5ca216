import MOCloneModel

// Where the nodes of a file are in its bytes and lines.
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

  func isInFlow(at offset: Int) -> Bool {
    let next = bytes[offset...].first { $0 != 0x20 }
    return next == UInt8(ascii: ",") || next == UInt8(ascii: "}")
  }

  func offset(_ position: SourceRange.Position) -> Int {
    guard position.line <= lines.count else { return bytes.count }
    var offset = lines[position.line - 1].lowerBound
    for _ in 1..<max(1, position.column) where offset < bytes.count {
      offset += 1
      while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    }
    return offset
  }

  func startOfLine(_ line: Int) -> Int {
    line <= lines.count ? lines[line - 1].lowerBound : bytes.count
  }

  var lineEnd: String {
    guard lines.count > 1 else { return "\n" }
    return String(decoding: bytes[lines[0].upperBound..<lines[1].lowerBound], as: UTF8.self)
  }

  /// The last line of an entry. That of the last entry of a map counts the comments below it as its own, of others only
  /// those that are indented deeper.
  func lastLine(of entry: SyntaxNode.Entry, isLast: Bool) -> Int {
    let indent = entry.keyRange.start.column - 1
    var line = lastLine(of: entry)
    while line < lines.count, let comment = commentIndent(line + 1),
      comment > indent || isLast && comment == indent
    {
      line += 1
    }
    return line
  }

  func lastLine(of entry: SyntaxNode.Entry) -> Int {
    max(entry.keyRange.end.line, lastLine(of: entry.value))
  }

  func lastLine(of node: SyntaxNode) -> Int {
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
  func firstLine(of entry: SyntaxNode.Entry) -> Int {
    var line = entry.keyRange.start.line
    while line > 1, commentIndent(line - 1) == entry.keyRange.start.column - 1 { line -= 1 }
    return line
  }

  func indent(_ line: Int) -> Int { bytes[lines[line - 1]].prefix { $0 == 0x20 }.count }

  /// Nil where the line is no comment.
  func commentIndent(_ line: Int) -> Int? {
    let indent = indent(line)
    return bytes[lines[line - 1]].dropFirst(indent).first == UInt8(ascii: "#") ? indent : nil
  }

  /// The comma behind an element in flow style, which comments can stand before.
  func comma(behind end: Int) -> Int? {
    var place = end
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: ","): return place
      case UInt8(ascii: "#"): while place < bytes.count, ![0x0A, 0x0D].contains(bytes[place]) { place += 1 }
      case 0x09, 0x0A, 0x0D, 0x20: place += 1
      default: return nil
      }
    }
    return nil
  }

  /// Whether nothing, or a comment, is between a place and the end of its line.
  func isRestEmpty(from place: Int, line: Int) -> Bool {
    let next = bytes[place..<max(place, lines[line - 1].upperBound)].first { $0 != 0x20 }
    return next == nil || next == UInt8(ascii: "#")
  }

  /// How far an entry in flow style is indented: where it is the first of its line, which a comma can begin, else where
  /// the first one would.
  func flowIndent(of entry: SyntaxNode.Entry, in map: SyntaxNode) -> Int {
    let start = lines[entry.keyRange.start.line - 1].lowerBound
    let isFirst = bytes[start..<offset(entry.keyRange.start)].allSatisfy {
      $0 == 0x20 || $0 == UInt8(ascii: ",")
    }
    return isFirst ? entry.keyRange.start.column - 1 : map.range.start.column
  }

  func beginsLine(_ entry: SyntaxNode.Entry) -> Bool {
    lines[entry.keyRange.start.line - 1].lowerBound + indent(entry.keyRange.start.line)
      == offset(entry.keyRange.start)
  }

  func hasBlankLines(between entries: [SyntaxNode.Entry]) -> Bool {
    entries.count == 1
      || entries.dropFirst().contains { entry in
        let line = firstLine(of: entry)
        return line > 1 && bytes[lines[line - 2]].allSatisfy { $0 == 0x20 }
      }
  }
}
