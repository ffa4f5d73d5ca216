/// A statement whose parameters have names, `$key0`, as PostgreSQL takes it: with numbers, `$1`.
///
/// Strings, quoted names, dollar-quoted strings and comments stay as they are.
struct NamedParameters: Equatable {
  private(set) var text = ""
  /// The names, in the order of the numbers.
  private(set) var names: [String] = []

  init(_ sql: String) {
    var lexer = Lexer(sql)
    var output: [UInt8] = []
    output.reserveCapacity(sql.utf8.count)
    while let part = lexer.next() {
      if let name = lexer.parameter(part) {
        output += Array("$\(number(of: name))".utf8)
      } else {
        output += lexer.bytes[part]
      }
    }
    text = String(decoding: output, as: UTF8.self)
  }

  private mutating func number(of name: String) -> Int {
    if let place = names.firstIndex(of: name) { return place + 1 }
    names.append(name)
    return names.count
  }
}

/// Takes a statement apart as far as parameters ask for it.
private struct Lexer {
  let bytes: [UInt8]
  private var place = 0

  init(_ sql: String) { bytes = Array(sql.utf8) }

  /// The next part: a string, a quoted name, a comment, a word, a parameter, or one other character.
  mutating func next() -> Range<Int>? {
    guard place < bytes.count else { return nil }
    let start = place
    place = end(from: start)
    return start..<place
  }

  /// The name of a parameter; nil for any other part.
  func parameter(_ part: Range<Int>) -> String? {
    guard bytes[part.lowerBound] == dollar, part.count > 1, isLetter(bytes[part.lowerBound + 1]),
      !bytes[part].dropFirst().contains(dollar)
    else { return nil }
    return String(decoding: bytes[(part.lowerBound + 1)..<part.upperBound], as: UTF8.self)
  }

  private func end(from start: Int) -> Int {
    switch bytes[start] {
    case quote: return quoted(from: start, by: quote)
    case UInt8(ascii: "\""): return quoted(from: start, by: bytes[start])
    case UInt8(ascii: "e"), UInt8(ascii: "E"):
      let isEscaped = byte(start + 1) == quote
      return isEscaped ? quoted(from: start + 1, by: quote, escapes: true) : word(from: start)
    case UInt8(ascii: "-") where byte(start + 1) == bytes[start]:
      return bytes[start...].firstIndex { $0 == UInt8(ascii: "\n") } ?? bytes.count
    case slash where byte(start + 1) == star: return comment(from: start)
    case dollar: return dollars(from: start)
    case let byte where isLetter(byte): return word(from: start)
    default: return start + 1
    }
  }

  /// A doubled quote represents itself.
  private func quoted(from start: Int, by quote: UInt8, escapes: Bool = false) -> Int {
    var next = start + 1
    while next < bytes.count {
      if escapes, bytes[next] == UInt8(ascii: "\\") {
        next += 1
      } else if bytes[next] == quote {
        if byte(next + 1) != quote { return next + 1 }
        next += 1
      }
      next += 1
    }
    return bytes.count
  }

  /// Comments nest.
  private func comment(from start: Int) -> Int {
    var depth = 0
    var next = start
    while next < bytes.count {
      let pair = (bytes[next], byte(next + 1))
      if pair == (slash, star) {
        depth += 1
        next += 2
      } else if pair == (star, slash) {
        depth -= 1
        next += 2
        if depth == 0 { return next }
      } else {
        next += 1
      }
    }
    return bytes.count
  }

  /// A parameter, or a string between two equal tags, `$tag$ ... $tag$`.
  private func dollars(from start: Int) -> Int {
    let name = bytes[(start + 1)...].prefix { isLetter($0) || isDigit($0) }
    let isTag = byte(name.endIndex) == dollar && !isDigit(name.first ?? 0)
    guard isTag else { return name.endIndex }
    let tag = bytes[start...name.endIndex]
    var next = tag.endIndex
    while next + tag.count <= bytes.count {
      if bytes[next..<(next + tag.count)] == tag { return next + tag.count }
      next += 1
    }
    return bytes.count
  }

  private func word(from start: Int) -> Int {
    bytes[start...].firstIndex { !isLetter($0) && !isDigit($0) && $0 != dollar } ?? bytes.count
  }

  private func byte(_ place: Int) -> UInt8 { place < bytes.count ? bytes[place] : 0 }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Bytes of letters beyond ASCII count too.
  private func isLetter(_ byte: UInt8) -> Bool {
    let folded = byte | 0x20
    return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(folded) || byte == UInt8(ascii: "_")
      || byte >= 0x80
  }

  private let quote = UInt8(ascii: "'")
  private let dollar = UInt8(ascii: "$")
  private let slash = UInt8(ascii: "/")
  private let star = UInt8(ascii: "*")
}
