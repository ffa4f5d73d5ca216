/// Counts the attributes of each tag as blocks of XML go by, for libxml2 compares each one with all before it.
///
/// It knows no more of XML than what a quote, a comment, CDATA and an instruction are.
struct XMLTagGuard {
  static let mostAttributes = 5_000

  private enum State {
    case text
    /// Behind `<`.
    case opening
    case tag
    case quoted(by: UInt8)
    /// Behind `<!`, whose next character says how it ends.
    case declaration
    /// A comment, CDATA, an instruction or a declaration, up to its last characters.
    case skipped(until: [UInt8])
  }

  private var state = State.text
  private var attributes = 0
  /// The last three bytes.
  private var recent: [UInt8] = [0, 0, 0]

  /// - Returns: whether a tag has more attributes than may be; then the rest of the block is not read.
  mutating func isExceeded(by block: UnsafeRawBufferPointer) -> Bool {
    for byte in block {
      step(byte)
      if attributes > Self.mostAttributes { return true }
    }
    return false
  }

  private mutating func step(_ byte: UInt8) {
    switch state {
    case .text:
      if byte == UInt8(ascii: "<") { state = .opening }
    case .opening: begin(byte)
    case .tag: read(byte)
    case .quoted(let quote):
      if byte == quote { state = .tag }
    case .declaration:
      let ends = [UInt8(ascii: "-"): "-->", UInt8(ascii: "["): "]]>"]
      skip(byte, until: ends[byte] ?? ">")
    case .skipped(let end):
      recent = [recent[1], recent[2], byte]
      if recent.suffix(end.count).elementsEqual(end) { state = .text }
    }
  }

  private mutating func begin(_ byte: UInt8) {
    attributes = 0
    switch byte {
    case UInt8(ascii: "!"): state = .declaration
    case UInt8(ascii: "?"): skip(byte, until: "?>")
    default:
      state = .tag
      read(byte)
    }
  }

  private mutating func read(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "="): attributes += 1
    case UInt8(ascii: "\""), UInt8(ascii: "'"): state = .quoted(by: byte)
    case UInt8(ascii: ">"): (state, attributes) = (.text, 0)
    default: break
    }
  }

  private mutating func skip(_ byte: UInt8, until end: String) {
    recent = [0, 0, 0]
    state = byte == UInt8(ascii: ">") && end == ">" ? .text : .skipped(until: Array(end.utf8))
  }
}
