extension JSONScanner {
  private static let longestNumber = 400

  /// The characters of a number, in the arena.
  func number() throws -> UnsafeBufferPointer<UInt8> {
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
      throw JSONFault(message: Self.expectedValue, place: start)
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
