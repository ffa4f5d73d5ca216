extension JSONScanner {
  /// A text without its quotes and with its escapes resolved, in the arena.
  func string() throws -> UnsafeBufferPointer<UInt8> {
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
        throw JSONFault(message: "the string that begins here has no closing quote", place: start)
      }
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        try escape(&text)
      } else if byte < 0x20 {
        throw fault(
          "a string must not contain the control character 0x\(String(byte, radix: 16))",
          help: "write it as an escape")
      }
    }
    i += 1
    if bits >= 0x80, let invalid = UTF8Check.scan(text.bytes).invalid {
      let byte = String(text.bytes[invalid], radix: 16, uppercase: true)
      throw JSONFault(
        message: "the string that begins here contains the byte 0x\(byte), which is not valid UTF-8",
        place: start)
    }
    if !isSkipping { arena.keep(text.count) }
    return text.bytes
  }

  private func escape(_ text: inout ArenaText) throws {
    i += 1
    guard let byte = try byte() else { throw fault("the file ends inside a string") }
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
      throw fault("'\\' and this character are not a JSON escape")
    }
  }

  private func scalarOfEscape() throws -> Unicode.Scalar {
    let high = try hexadecimal()
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard high < 0xDC00, try byte() == UInt8(ascii: "\\") else {
      throw fault("a surrogate escape without its other half")
    }
    i += 1
    guard try byte() == UInt8(ascii: "u") else { throw fault("a surrogate escape without its other half") }
    i += 1
    let low = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(low) else { throw fault("a surrogate escape without its other half") }
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))!
  }

  private func hexadecimal() throws -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = try byte(), let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80
      else {
        throw fault("expected four hexadecimal digits after '\\u'")
      }
      number = number << 4 + UInt32(digit)
      i += 1
    }
    return number
  }
}
