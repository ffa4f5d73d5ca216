import MOCloneModel

/// Lines and columns of a text's bytes, asked for from the start to the end: one pass over the text.
struct TextPlaces {
  private let text: [UInt8]
  private var offset = 0
  private var line = 1
  private var column = 1

  init(_ text: [UInt8]) {
    self.text = text
  }

  mutating func range(_ bytes: Range<Int>) -> SourceRange {
    let start = position(bytes.lowerBound)
    return SourceRange(start: start, end: position(bytes.upperBound))
  }

  mutating func point(_ byte: Int) -> SourceRange {
    let start = position(byte)
    return .point(line: start.line, column: start.column)
  }

  private mutating func position(_ target: Int) -> SourceRange.Position {
    if target < offset { (offset, line, column) = (0, 1, 1) }
    text.withUnsafeBufferPointer { bytes in
      while offset < min(target, bytes.count) {
        let end = SourceFile.lineEndLength(at: offset, in: bytes)
        if end > 0 { (line, column) = (line + 1, 1) } else if bytes[offset] & 0xC0 != 0x80 { column += 1 }
        offset += max(end, 1)
      }
    }
    return SourceRange.Position(line: line, column: column)
  }
}

/// Goes through a start tag that the parser has found to be well-formed: where its name and its values are.
struct TagScanner {
  private let text: [UInt8]
  /// The bytes of the element's name.
  let name: Range<Int>
  private var next: Int

  /// - Parameter end: where the tag ends; no value in a tag holds its first character.
  init(_ text: [UInt8], behind end: Int) {
    self.text = text
    var start = min(end, text.count - 1)
    while start > 0, text[start] != UInt8(ascii: "<") { start -= 1 }
    let first = min(start + 1, text.count)
    var last = first
    while last < text.count, !Self.endsName(text[last]) { last += 1 }
    name = first..<last
    next = last
  }

  /// The next attribute's name, and the bytes of its value.
  mutating func attribute() -> (name: String, value: Range<Int>)? {
    while next < text.count, Self.isBlank(text[next]) { next += 1 }
    let start = next
    while next < text.count, !Self.endsName(text[next]) { next += 1 }
    guard next > start else { return nil }
    let name = String(decoding: text[start..<next], as: UTF8.self)
    guard let quote = skip(to: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }) else { return nil }
    next += 1
    let value = next
    guard skip(to: { $0 == quote }) != nil else { return nil }
    next += 1
    return (name, value..<next - 1)
  }

  /// Where a start tag begins that holds more signs of equality than a limit, as a tag of so many attributes does.
  static func place(in text: [UInt8], withMoreThan limit: Int) -> Int? {
    var (start, count) = (0, 0)
    for (i, byte) in text.enumerated() {
      if byte == UInt8(ascii: "<") { (start, count) = (i, 0) }
      if byte == UInt8(ascii: "=") { count += 1 }
      if count > limit { return start }
    }
    return nil
  }

  private mutating func skip(to isEnd: (UInt8) -> Bool) -> UInt8? {
    while next < text.count, !isEnd(text[next]) { next += 1 }
    return next < text.count ? text[next] : nil
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    isBlank(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
