/// Elements written as the parser goes through them: the same names, values and strings, in UTF-8.
struct XMLText {
  private(set) var bytes: [UInt8] = []
  /// Where further attributes of the first element go.
  private(set) var firstNameEnd = 0
  /// Whether the start tag that was written last can still become one without content.
  private var isOpen = false

  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    (firstNameEnd, isOpen) = (0, false)
  }

  mutating func begin(_ name: [UInt8]) {
    closeTag()
    bytes.append(UInt8(ascii: "<"))
    bytes += name
    if firstNameEnd == 0 { firstNameEnd = bytes.count }
    isOpen = true
  }

  mutating func attribute(_ name: [UInt8], _ value: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: " "))
    bytes += name
    bytes += "=\"".utf8
    for byte in value { append(byte, inAttribute: true) }
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func text(_ text: UnsafeBufferPointer<UInt8>) {
    closeTag()
    for byte in text { append(byte, inAttribute: false) }
  }

  mutating func end(_ name: [UInt8]) {
    guard !isOpen else {
      isOpen = false
      bytes += "/>".utf8
      return
    }
    bytes += "</".utf8
    bytes += name
    bytes.append(UInt8(ascii: ">"))
  }

  private mutating func closeTag() {
    if isOpen { bytes.append(UInt8(ascii: ">")) }
    isOpen = false
  }

  private mutating func append(_ byte: UInt8, inAttribute: Bool) {
    if let escape = Self.escape(byte, inAttribute: inAttribute) {
      bytes += escape.utf8
    } else {
      bytes.append(byte)
    }
  }

  /// What represents a byte that would mean something else, or be read as another one.
  private static func escape(_ byte: UInt8, inAttribute: Bool) -> String? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case 0x0D: "&#13;"
    case UInt8(ascii: "\"") where inAttribute: "&quot;"
    case 0x09 where inAttribute: "&#9;"
    case 0x0A where inAttribute: "&#10;"
    default: nil
    }
  }

  /// The value of an attribute; characters that XML cannot hold become spaces.
  static func escaped(_ text: String) -> String {
    let bytes = text.utf8.flatMap { byte -> [UInt8] in
      if let escape = escape(byte, inAttribute: true) { return Array(escape.utf8) }
      return [byte < 0x20 ? 0x20 : byte]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
