/// Finds bytes that are no UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
enum UTF8Check {
  /// - Returns: the place of the first byte that is wrong, and how many bytes before it only continue a character.
  static func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> (invalid: Int?, continuations: Int) {
    var i = 0
    var continuations = 0
    while i < bytes.count {
      let lead = bytes[i]
      guard lead >= 0x80 else {
        i += 1
        continue
      }
      let length = length(of: lead)
      guard length > 0, i + length <= bytes.count, isSecond(bytes[i + 1], after: lead) else {
        return (i, continuations)
      }
      for k in 2..<max(2, length) where bytes[i + k] & 0xC0 != 0x80 { return (i, continuations) }
      continuations += length - 1
      i += length
    }
    return (nil, continuations)
  }

  private static func length(of lead: UInt8) -> Int {
    switch lead {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }

  private static func isSecond(_ byte: UInt8, after lead: UInt8) -> Bool {
    switch lead {
    case 0xE0: (0xA0...0xBF).contains(byte)
    case 0xED: (0x80...0x9F).contains(byte)
    case 0xF0: (0x90...0xBF).contains(byte)
    case 0xF4: (0x80...0x8F).contains(byte)
    default: byte & 0xC0 == 0x80
    }
  }
}
