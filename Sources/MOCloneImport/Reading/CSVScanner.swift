/// Divides the bytes into records and cells.
final class CSVScanner {
  /// A cell by its place in the window.
  struct Cell {
    var start: Int
    var end: Int
    var isQuoted: Bool
    var hasEscapes: Bool
    var place: Place
  }

  private(set) var cells: [Cell] = []
  private(set) var place = Place(line: 1, column: 1)
  /// What is wrong with the record.
  var fault: RowFault?
  let window: ByteWindow
  let delimiter: UInt8
  /// Holds values that are not in the file as they are.
  let arena = TextArena()
  var line = 1
  /// Where the line begins, moved by the bytes that are no characters of their own.
  var lineStart: Int
  /// Where the record begins, and the next one.
  private var first: Int
  private var next: Int

  init(_ window: ByteWindow, delimiter: UInt8) throws {
    self.window = window
    self.delimiter = delimiter
    first = try window.begin()
    next = first
    lineStart = first
  }

  var bytes: UnsafeBufferPointer<UInt8> { window.text(first..<trimmedEnd) }
  /// Where the last cell begins in them, with its quote.
  var lastCell: Int { cells[cells.count - 1].start - (cells[cells.count - 1].isQuoted ? 1 : 0) - first }

  private var trimmedEnd: Int {
    var end = next
    while end > first, window.base[end - 1] == 0x0A || window.base[end - 1] == 0x0D { end -= 1 }
    return end
  }

  /// Goes to the next record that is not a blank line.
  func advance() throws -> Bool {
    repeat {
      arena.clear()
      first = next
      var start = (line: line, lineStart: lineStart)
      while try !scan() {
        start.lineStart -= first
        try window.fill(keeping: first)
        first = 0
        (line, lineStart) = start
        if window.isAtEnd, first == window.end { return false }
      }
    } while cells.count == 1 && !cells[0].isQuoted && cells[0].start == cells[0].end
    return true
  }

  // MARK: One record

  /// - Returns: false where the window ends before the record does.
  private func scan() throws -> Bool {
    cells.removeAll(keepingCapacity: true)
    fault = nil
    var i = first
    guard i < window.end else { return false }
    place = Place(line: line, column: 1)
    while true {
      let start = i
      let cellPlace = Place(line: line, column: start - lineStart + 1)
      let isQuoted = i < window.end && window.base[i] == UInt8(ascii: "\"")
      guard let cell = isQuoted ? try quoted(start, cellPlace) : plain(start, cellPlace) else { return false }
      cells.append(cell.cell)
      i = cell.next
      if i == window.end {
        guard window.isAtEnd else { return false }
        next = i
        return true
      }
      if window.base[i] == delimiter {
        i += 1
        continue
      }
      if window.base[i] == 0x0D {
        if i + 1 == window.end, !window.isAtEnd { return false }
        if i + 1 < window.end, window.base[i + 1] == 0x0A { i += 1 }
      }
      next = i + 1
      line += 1
      lineStart = next
      return true
    }
  }
}
