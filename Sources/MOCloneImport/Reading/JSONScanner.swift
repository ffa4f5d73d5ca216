import MOCloneEngine

/// What is wrong in a JSON text: its characters, or what they mean for a row.
struct JSONFault: Error {
  var message: String
  var help: String?
  var place: Place
  var isSyntax = true

  func inRow(_ text: RowText? = nil) -> RowFault { RowFault(message, help: help, at: place, text: text) }
}

/// Goes through JSON value by value.
final class JSONScanner {
  let window: ByteWindow
  /// Holds strings and numbers until the next row.
  let arena = TextArena()
  /// Where the scanner is in the window.
  var i: Int
  /// How many lists and objects are open.
  var depth = 0
  /// Whether values are passed over, so that none is kept.
  var isSkipping = false
  /// Where the line begins, moved by the bytes that are no characters of their own.
  var lineStart: Int
  private var line = 1
  /// Whether a line is a row, so that what is open at its end takes nothing of the next one.
  private let isByLines: Bool
  /// Where the row under way begins; nothing before it is kept.
  private(set) var marked: (start: Int, line: Int, lineStart: Int, depth: Int)?

  init(_ window: ByteWindow, isByLines: Bool) throws {
    self.window = window
    self.isByLines = isByLines
    i = try window.begin()
    lineStart = i
  }

  // MARK: Places

  var place: Place { Place(line: line, column: i - lineStart + 1) }

  func fault(_ message: String, help: String? = nil) -> JSONFault {
    JSONFault(message: message, help: help, place: place)
  }

  /// A value that is sound JSON, and not what the row needs.
  func meaning(_ message: String) -> JSONFault { JSONFault(message: message, place: place, isSyntax: false) }

  /// Begins a row.
  func mark() {
    arena.clear()
    marked = (i, line, lineStart, depth)
  }

  /// Ends a row, whose bytes need not be kept any longer.
  func unmark() {
    marked = nil
  }

  /// The row from its beginning to here.
  var markedBytes: UnsafeBufferPointer<UInt8> { window.text((marked?.start ?? i)..<i) }
  /// How far it is from there.
  var offset: Int { i - (marked?.start ?? i) }

  /// Goes back to the row's beginning.
  func rewind() {
    guard let marked else { return }
    (i, line, lineStart, depth) = marked
  }

  // MARK: Bytes

  private func fill() throws -> Bool {
    guard !window.isAtEnd else { return false }
    let start = marked?.start ?? i
    try window.fill(keeping: start)
    i -= start
    lineStart -= start
    if marked != nil {
      marked!.start = 0
      marked!.lineStart -= start
    }
    return i < window.end
  }

  /// The next byte; nil at the end.
  @inline(__always)
  func byte() throws -> UInt8? {
    if i < window.end { return window.base[i] }
    return try fill() ? window.base[i] : nil
  }

  /// Goes to the next byte that is no blank.
  ///
  /// - Returns: false at the end.
  func skipBlank() throws -> Bool {
    while let byte = try byte() {
      switch byte {
      case 0x20, 0x09, 0x0D: i += 1
      case 0x0A: newLine()
      default: return true
      }
    }
    return false
  }

  private func newLine() {
    i += 1
    line += 1
    lineStart = i
  }

  /// The byte that a value begins with.
  func peek() throws -> UInt8 {
    while let byte = try byte() {
      switch byte {
      case 0x20, 0x09, 0x0D: i += 1
      case 0x0A:
        if isByLines { throw fault("the line ends inside the row", help: "each line must contain one row") }
        newLine()
      default: return byte
      }
    }
    throw fault("the file ends inside a value")
  }

  func placeOfNext() throws -> Place {
    _ = try peek()
    return place
  }

  /// What the next value is, for messages.
  func kind() throws -> String {
    switch try peek() {
    case UInt8(ascii: "{"): "an object"
    case UInt8(ascii: "["): "a list"
    case UInt8(ascii: "\""): "a string"
    case UInt8(ascii: "n"): "null"
    case UInt8(ascii: "t"), UInt8(ascii: "f"): "a Boolean"
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): "a number"
    default: throw fault(Self.expectedValue)
    }
  }

  /// Goes to the end of the line, behind which a row may only have blanks.
  func endLine() throws {
    while let byte = try byte(), byte != 0x0A {
      guard byte == 0x20 || byte == 0x09 || byte == 0x0D else {
        throw fault("there are characters after the row", help: "each line must contain one row")
      }
      i += 1
    }
  }

  func skipLine() throws {
    while let byte = try byte(), byte != 0x0A { i += 1 }
    depth = 0
  }
}
