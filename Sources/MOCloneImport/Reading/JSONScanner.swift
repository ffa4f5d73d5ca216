import MOCloneEngine

/// What is wrong in a JSON text: its signs, or what they mean for a row.
struct JSONFault: Error {
  var message: String
  var place: Place
  var isSyntax = true
}

/// Goes through JSON value by value.
final class JSONScanner {
  private static let greatestDepth = 64
  private static let longestNumber = 400

  private let window: ByteWindow
  private let arena = TextArena()
  private var i: Int
  private var line = 1
  private var lineStart: Int
  private var depth = 0
  /// Whether values are passed over, so that none is kept.
  private var isSkipping = false
  /// Where the row under way begins; nothing before it is kept.
  private var marked: (start: Int, line: Int, lineStart: Int, depth: Int)?

  init(_ window: ByteWindow) throws {
    self.window = window
    i = try window.begin()
    lineStart = i
  }

  // MARK: Places

  var place: Place { Place(line: line, column: i - lineStart + 1) }

  func fault(_ message: String) -> JSONFault { JSONFault(message: message, place: place) }

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
  var markedText: String { String(decoding: markedBytes, as: UTF8.self) }

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

  @inline(__always)
  private func byte() throws -> UInt8? {
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
      case 0x0A: newLine()
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
    case UInt8(ascii: "\""): "a text"
    case UInt8(ascii: "n"): "null"
    case UInt8(ascii: "t"), UInt8(ascii: "f"): "a flag"
    default: "a number"
    }
  }

  /// Goes to the end of the line, behind which a row may only have blanks.
  func endLine() throws {
    while let byte = try byte(), byte != 0x0A {
      guard byte == 0x20 || byte == 0x09 || byte == 0x0D else {
        throw fault("something stands behind the row; each line holds one")
      }
      i += 1
    }
  }

  func skipLine() throws {
    while let byte = try byte(), byte != 0x0A { i += 1 }
    depth = 0
  }

  // MARK: Values

  private func enter() throws {
    depth += 1
    if depth > Self.greatestDepth {
      throw fault("lists and objects lie more than \(Self.greatestDepth) levels deep")
    }
    i += 1
  }

  /// Calls with each key, which lies in the arena; the body reads the value.
  func object(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    try enter()
    if try peek() == UInt8(ascii: "}") { return leave() }
    while true {
      guard try peek() == UInt8(ascii: "\"") else { throw fault("expected a name in quotes") }
      let key = try string()
      guard try peek() == UInt8(ascii: ":") else { throw fault("expected a colon behind the name") }
      i += 1
      _ = try peek()
      try body(key)
      if try isEnd(UInt8(ascii: "}")) { return leave() }
    }
  }

  func array(_ body: () throws -> Void) throws {
    try enter()
    if try peek() == UInt8(ascii: "]") { return leave() }
    while true {
      _ = try peek()
      try body()
      if try isEnd(UInt8(ascii: "]")) { return leave() }
    }
  }

  private func leave() {
    depth -= 1
    i += 1
  }

  private func isEnd(_ close: UInt8) throws -> Bool {
    let next = try peek()
    if next == close { return true }
    guard next == UInt8(ascii: ",") else {
      throw fault("expected ',' or '\(Character(UnicodeScalar(close)))'")
    }
    i += 1
    return false
  }

  /// Passes over a value, and checks it all the same.
  func skipValue() throws {
    let wasSkipping = isSkipping
    isSkipping = true
    defer { isSkipping = wasSkipping }
    switch try peek() {
    case UInt8(ascii: "{"): try object { _ in try skipValue() }
    case UInt8(ascii: "["): try array { try skipValue() }
    default: _ = try scalar()
    }
  }

  func scalar() throws -> Field {
    let first = try peek()
    let start = place
    if first == UInt8(ascii: "\"") {
      let bytes = try string()
      return Field(kind: .text, start: bytes.baseAddress, count: bytes.count, place: start)
    }
    if first == UInt8(ascii: "n") {
      try word("null")
      return Field(kind: .null, start: nil, count: 0, place: start)
    }
    let bytes =
      switch first {
      case UInt8(ascii: "t"): try word("true")
      case UInt8(ascii: "f"): try word("false")
      default: try number()
      }
    return Field(kind: .literal, start: bytes.baseAddress, count: bytes.count, place: start)
  }

  @discardableResult
  private func word(_ word: StaticString) throws -> UnsafeBufferPointer<UInt8> {
    let start = place
    for k in 0..<word.utf8CodeUnitCount {
      guard try byte() == word.utf8Start[k] else {
        throw JSONFault(
          message: "expected a value: a text in quotes, a number, true, false, null, a list or an object",
          place: start)
      }
      i += 1
    }
    return UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
  }

  private func number() throws -> UnsafeBufferPointer<UInt8> {
    let start = place
    let room = arena.room(Self.longestNumber)
    var count = 0
    while let byte = try byte(), Self.isOfNumber(byte) {
      guard count < Self.longestNumber else {
        throw JSONFault(message: "the number is too long", place: start)
      }
      room[count] = byte
      count += 1
      i += 1
    }
    let text = UnsafeBufferPointer(start: UnsafePointer(room), count: count)
    guard Self.isNumber(text) else {
      throw JSONFault(
        message: "expected a value: a text in quotes, a number, true, false, null, a list or an object",
        place: start)
    }
    if !isSkipping { arena.keep(count) }
    return text
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
  private static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var i = 0
    func digits() -> Int {
      let start = i
      while i < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[i]) { i += 1 }
      return i - start
    }
    if i < text.count, text[i] == UInt8(ascii: "-") { i += 1 }
    let whole = i
    let length = digits()
    guard length > 0, length == 1 || text[whole] != UInt8(ascii: "0") else { return false }
    if i < text.count, text[i] == UInt8(ascii: ".") {
      i += 1
      if digits() == 0 { return false }
    }
    if i < text.count, text[i] | 0x20 == UInt8(ascii: "e") {
      i += 1
      if i < text.count, text[i] == UInt8(ascii: "+") || text[i] == UInt8(ascii: "-") { i += 1 }
      if digits() == 0 { return false }
    }
    return i == text.count
  }
}

// MARK: - Texts

extension JSONScanner {
  /// A text without its quotes and with its escapes resolved, in the arena.
  fileprivate func string() throws -> UnsafeBufferPointer<UInt8> {
    let start = place
    i += 1
    var text = ArenaText(arena)
    var bits: UInt8 = 0
    while true {
      var end = i
      while end < window.end {
        let byte = window.base[end]
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
        bits |= byte
        end += 1
      }
      text.append(window.text(i..<end))
      if bits >= 0x80 { for k in i..<end where window.base[k] & 0xC0 == 0x80 { lineStart += 1 } }
      i = end
      guard let byte = try byte() else {
        throw JSONFault(message: "the text that begins here has no closing quote", place: start)
      }
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        try escape(&text)
      } else if byte < 0x20 {
        throw fault(
          "a text may not hold the control character 0x\(String(byte, radix: 16)); write it as an escape")
      }
    }
    i += 1
    if bits >= 0x80, let invalid = UTF8Check.scan(text.bytes).invalid {
      let byte = String(text.bytes[invalid], radix: 16, uppercase: true)
      throw JSONFault(
        message: "the text that begins here holds the byte 0x\(byte), which is no UTF-8", place: start)
    }
    if !isSkipping { arena.keep(text.count) }
    return text.bytes
  }

  private func escape(_ text: inout ArenaText) throws {
    i += 1
    guard let byte = try byte() else { throw fault("the file ends inside a text") }
    i += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      for byte in UTF8.encode(try scalarOfEscape())! { text.append(byte) }
    default:
      i -= 1
      throw fault("'\\' and this sign are no escape of JSON")
    }
  }

  private func scalarOfEscape() throws -> Unicode.Scalar {
    let high = try hexadecimal()
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard high < 0xDC00, try byte() == UInt8(ascii: "\\") else {
      throw fault("half a surrogate pair stands here")
    }
    i += 1
    guard try byte() == UInt8(ascii: "u") else { throw fault("half a surrogate pair stands here") }
    i += 1
    let low = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(low) else { throw fault("half a surrogate pair stands here") }
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))!
  }

  private func hexadecimal() throws -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = try byte(), let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80
      else {
        throw fault("expected four hexadecimal digits behind '\\u'")
      }
      number = number << 4 + UInt32(digit)
      i += 1
    }
    return number
  }
}
