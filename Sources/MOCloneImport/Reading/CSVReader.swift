import Foundation
import MOCloneEngine
import MOCloneModel

/// Reads comma-separated values (RFC 4180) with a header; blank lines are passed over.
package struct CSVReader: RowReader {
  private let source: ByteSource
  private let shape: RecordShape
  private let delimiter: UInt8
  private let isOpen: Bool

  /// - Parameter isOpen: whether columns may be missing; then every column must be one that is asked for.
  package init(
    _ source: ByteSource, _ shape: RecordShape, delimiter: UInt8 = UInt8(ascii: ","), isOpen: Bool = false
  ) {
    self.source = source
    self.isOpen = isOpen
    self.shape = shape
    self.delimiter = delimiter
  }

  package func read(_ handler: some RowHandler) throws {
    let scanner = try CSVScanner(ByteWindow(source), delimiter: delimiter)
    let header = try CSVHeader(scanner, shape, file: source.name, isOpen: isOpen)
    let record = Record(shape)
    while try scanner.advance() {
      if let fault = scanner.fault ?? header.fault(scanner) {
        try handler.fault(RowFault(fault.message, at: fault.place, text: scanner.text))
      } else {
        header.fill(record, scanner)
        try handler.row(record)
      }
    }
  }
}

/// Which column holds which value.
private struct CSVHeader {
  private let columns: [(column: Int, field: Int)]
  private let count: Int

  /// - Throws: `CloneError` with every column that is missing.
  init(_ scanner: CSVScanner, _ shape: RecordShape, file: String, isOpen: Bool) throws {
    guard try scanner.advance() else {
      throw ImportFault.broken(
        file, Place(line: 1, column: 1), "the file is empty; its first line must name the columns")
    }
    if let fault = scanner.fault { throw ImportFault.broken(file, fault.place, fault.message) }
    let names = scanner.cells.indices.map { scanner.string($0) }
    count = names.count
    var columns: [(column: Int, field: Int)] = []
    var failures: [CloneError.Failure] = []
    for (field, path) in shape.paths.enumerated() {
      let name = path.joined(separator: ".")
      let places = names.indices.filter { names[$0] == name }
      if places.isEmpty, isOpen { continue }
      if places.count == 1 {
        columns.append((places[0], field))
      } else {
        let problem =
          places.isEmpty
          ? "there is no column '\(name)'" + didYouMean(name, names) : "two columns are called '\(name)'"
        failures.append(.init(.unknownName, "\(file):1: \(problem)", property: name))
      }
    }
    if isOpen { failures += Self.unknown(names, shape, file) }
    if !failures.isEmpty { throw CloneError(failures) }
    self.columns = columns
  }

  private static func unknown(
    _ names: [String], _ shape: RecordShape, _ file: String
  ) -> [CloneError.Failure] {
    let known = shape.paths.map { $0.joined(separator: ".") }
    return names.filter { !known.contains($0) }.map { name in
      .init(
        .unknownName, "\(file):1: nothing is called as the column '\(name)'" + didYouMean(name, known),
        property: name)
    }
  }

  func fault(_ scanner: CSVScanner) -> RowFault? {
    let found = scanner.cells.count
    guard found != count else { return nil }
    let values = found == 1 ? "1 value" : "\(found) values"
    return RowFault("the row has \(values), but the header names \(count) columns", at: scanner.place)
  }

  func fill(_ record: Record, _ scanner: CSVScanner) {
    record.place = scanner.place
    record.text = scanner.bytes
    for (column, field) in columns { record.fields[field] = scanner.field(column) }
  }
}

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
  private(set) var fault: RowFault?
  private let window: ByteWindow
  private let delimiter: UInt8
  private let arena = TextArena()
  private var first: Int
  private var next: Int
  private var line = 1
  /// Where the line begins, moved by the bytes that are no characters of their own.
  private var lineStart: Int

  init(_ window: ByteWindow, delimiter: UInt8) throws {
    self.window = window
    self.delimiter = delimiter
    first = try window.begin()
    next = first
    lineStart = first
  }

  var bytes: UnsafeBufferPointer<UInt8> { window.text(first..<trimmedEnd) }
  var text: String { String(decoding: bytes, as: UTF8.self) }

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

  private func plain(_ start: Int, _ place: Place) -> (cell: Cell, next: Int)? {
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
        "a quote stands inside a value that does not begin with one; put the whole value in quotes and double the quote",
        at: Place(line: line, column: i - lineStart + 1))
  }

  private func quoted(_ start: Int, _ place: Place) throws -> (cell: Cell, next: Int)? {
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
          window.source.name, place, "the quote that begins here is never closed; the file ends in it")
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
          "text stands behind the closing quote; a quote inside a value is written twice",
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
        "the byte 0x\(String(window.base[at], radix: 16, uppercase: true)) is no UTF-8",
        at: Place(line: line, column: at - lineStart - continuations + 1))
    }
    lineStart += continuations
  }

  // MARK: Cells

  func string(_ cell: Int) -> String { field(cell).string }

  func field(_ number: Int) -> Field {
    let cell = cells[number]
    let count = cell.end - cell.start
    let kind: Field.Kind = count == 0 && !cell.isQuoted ? .null : .text
    guard cell.hasEscapes else {
      return Field(
        kind: kind, start: UnsafePointer(window.base + cell.start), count: count, place: cell.place)
    }
    let room = arena.room(count)
    var (i, length) = (cell.start, 0)
    while i < cell.end {
      room[length] = window.base[i]
      length += 1
      i += window.base[i] == UInt8(ascii: "\"") ? 2 : 1
    }
    arena.keep(length)
    return Field(kind: .text, start: UnsafePointer(room), count: length, place: cell.place)
  }
}
