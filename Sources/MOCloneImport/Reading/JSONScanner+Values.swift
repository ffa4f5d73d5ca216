import MOCloneEngine

// Objects, lists, and the values in them.
extension JSONScanner {
  private static let greatestDepth = 64

  static let expectedValue =
    "expected a value: a string in quotes, a number, true, false, null, a list or an object"

  private func enter() throws {
    depth += 1
    if depth > Self.greatestDepth {
      throw fault("lists and objects are nested more than \(Self.greatestDepth) levels deep")
    }
    i += 1
  }

  /// Calls with each key, which is in the arena; the body reads the value.
  func object(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    try enter()
    if try peek() == UInt8(ascii: "}") { return leave() }
    while true {
      // Names outside of rows, as many as there may be, need not be kept.
      if marked == nil { arena.clear() }
      guard try peek() == UInt8(ascii: "\"") else { throw fault("expected a name in quotes") }
      let key = try string()
      guard try peek() == UInt8(ascii: ":") else { throw fault("expected a colon after the name") }
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
        throw JSONFault(message: Self.expectedValue, place: start)
      }
      i += 1
    }
    return UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
  }
}
