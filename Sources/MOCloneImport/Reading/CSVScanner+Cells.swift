// How cells are found, and what is wrong with them.
extension CSVScanner {
  func plain(_ start: Int, _ place: Place) -> (cell: Cell, next: Int)? {
    let base = window.base
    let end = window.end
    var i = start
    var bits: UInt8 = 0
    while i < end {
      let byte = base[i]
      if byte == delimiter || byte == 0x0A || byte == 0x0D { break }
      if byte == UInt8(ascii: "\"") { noteQuote(at: i) }
      bits |= byte
      i += 1
    }
    if i == end, !window.isAtEnd { return nil }
    if bits >= 0x80 { check(start..<i) }
    return (Cell(start: start, end: i, isQuoted: false, hasEscapes: false, place: place), i)
  }

  private func noteQuote(at i: Int) {
    fault =
      fault
      ?? RowFault(
        "a value that does not begin with a quote contains one",
        help: "put the whole value in quotes and double the inner quote",
        at: Place(line: line, column: i - lineStart + 1))
  }

  func quoted(_ start: Int, _ place: Place) throws -> (cell: Cell, next: Int)? {
    let base = window.base
    let end = window.end
    var i = start + 1
    var bits: UInt8 = 0
    var hasEscapes = false
    var lines: [Int] = []
    while true {
      while i < end, base[i] != UInt8(ascii: "\"") {
        bits |= base[i]
        if base[i] == 0x0A { lines.append(i + 1) }
        i += 1
      }
      if i + 1 >= end, !window.isAtEnd { return nil }
      if i == end {
        throw ImportFault.broken(
          window.source.name, place: place, message: "the quoted value that begins here is never closed")
      }
      if i + 1 < end, base[i + 1] == UInt8(ascii: "\"") {
        hasEscapes = true
        i += 2
        continue
      }
      break
    }
    let close = i
    if bits >= 0x80 { check(start + 1..<close) }
    if let last = lines.last {
      line += lines.count
      lineStart = last
      if bits >= 0x80 { lineStart += UTF8Check.scan(window.text(last..<close)).continuations }
    }
    i += 1
    while i < end, base[i] != delimiter, base[i] != 0x0A, base[i] != 0x0D {
      fault =
        fault
        ?? RowFault(
          "there are characters after the closing quote", help: "double a quote inside a value",
          at: Place(line: line, column: i - lineStart + 1))
      i += 1
    }
    if i == end, !window.isAtEnd { return nil }
    return (Cell(start: start + 1, end: close, isQuoted: true, hasEscapes: hasEscapes, place: place), i)
  }

  /// Finds what is no UTF-8, and counts characters instead of bytes.
  private func check(_ range: Range<Int>) {
    let (invalid, continuations) = UTF8Check.scan(window.text(range))
    if let invalid, fault == nil {
      let at = range.lowerBound + invalid
      fault = RowFault(
        "the byte 0x\(String(window.base[at], radix: 16, uppercase: true)) is not valid UTF-8",
        at: Place(line: line, column: at - lineStart - continuations + 1))
    }
    lineStart += continuations
  }
}
