import Foundation
import MOCloneModel

/// The key of an object in its store: one part, or several in the order of the primary key's columns.
///
/// ```swift
/// let note: ObjectKey = 42
/// let customer: ObjectKey = "ALFKI"
/// let line: ObjectKey = [10248, 11]
/// ```
public struct ObjectKey: Sendable, Hashable {
  /// The values of the key's columns, in the order of the primary key.
  public var parts: [AttributeValue]

  /// Creates a key from its parts, in the order of the primary key's columns.
  public init(_ parts: [AttributeValue]) {
    self.parts = parts
  }

  /// Reads a key as the command line writes it: parts divided by commas; in a part a comma is `\,`, an equals sign can be
  /// `\=`, and a line break `\u{A}`. Backslashes before anything else stand for themselves; before one of these two are one.
  ///
  /// The parts are text; a store reads them as what its key columns hold, `\x00ff` as bytes.
  public init(text: String) {
    var parts = [String.UnicodeScalarView()]
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      let run = rest.prefix { $0 == "\\" }.count
      rest.removeFirst(run)
      let mark = Self.mark(at: rest)
      parts[parts.count - 1].append(
        contentsOf: repeatElement("\\" as Unicode.Scalar, count: mark == nil ? run : run / 2))
      if let mark, run % 2 == 1 {
        parts[parts.count - 1].append(mark.letter)
        rest.removeFirst(mark.length)
      } else if let letter = rest.popFirst() {
        if letter == "," {
          parts.append(String.UnicodeScalarView())
        } else {
          parts[parts.count - 1].append(letter)
        }
      }
    }
    self.parts = parts.map { .string(String($0)) }
  }

  /// What a backslash before it would make another letter of, and how long it is.
  private static func mark(
    at text: Substring.UnicodeScalarView
  ) -> (letter: Unicode.Scalar, length: Int)? {
    if let first = text.first, first == "," || first == "=" { return (first, 1) }
    guard text.starts(with: "u{".unicodeScalars), let end = text.firstIndex(of: "}"),
      let code = UInt32(String(text[..<end].dropFirst(2)), radix: 16), let letter = Unicode.Scalar(code),
      letter.isUnprintable
    else { return nil }
    return (letter, text[...end].count)
  }

  /// A part in the syntax that `init(text:)` reads, on one line.
  private static func escaped(_ part: String, isFirst: Bool, isLast: Bool) -> String {
    let text = part.unicodeScalars
    let assignment = isFirst ? Self.assignment(in: text) : nil
    var (escaped, run) = ("", 0)
    for place in text.indices {
      let letter = text[place]
      guard letter != "\\" else {
        run += 1
        continue
      }
      let isMark =
        letter == "," || letter.isUnprintable || place == assignment || (letter == "=" && run > 0)
      let isDoubled = isMark || run > 0 && mark(at: text[place...]) != nil
      escaped += String(repeating: "\\", count: (isDoubled ? 2 * run : run) + (isMark ? 1 : 0))
      escaped +=
        letter.isUnprintable ? "u{\(String(letter.value, radix: 16, uppercase: true))}" : String(letter)
      run = 0
    }
    return escaped + String(repeating: "\\", count: isLast ? run : 2 * run)
  }

  /// Where an equals sign would be read as that of `attribute=value`; what fills up Base64 is none.
  private static func assignment(in text: String.UnicodeScalarView) -> String.Index? {
    guard let place = text.firstIndex(of: "="), place != text.startIndex,
      text[..<place].allSatisfy({
        $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_"
      }),
      text[place...].contains(where: { $0 != "=" })
    else { return nil }
    return place
  }
}

extension ObjectKey {
  /// A key of one part.
  public init(_ part: some AttributeValueConvertible) { parts = [part.attributeValue] }

  /// A key of several parts, in the order of the primary key's columns.
  public init(_ parts: [any AttributeValueConvertible]) { self.parts = parts.map(\.attributeValue) }

  /// The row's number, where the key is one.
  public var rowID: Int64? {
    if parts.count == 1, case .integer(let number) = parts[0] { number } else { nil }
  }

  /// The UUID, where the key is one, in whatever form the store writes it.
  public var uuid: UUID? { parts.count == 1 ? parts[0].keyUUID : nil }

  /// A key of so many parts, where a string represents them, as a to-one relationship's value does.
  package func split(into count: Int) -> ObjectKey {
    guard parts.count == 1, count > 1, case .string(let text) = parts[0] else { return self }
    return ObjectKey(text: text)
  }

  /// Whether a store finds an object of this key by another one, which need not be in the form of the store.
  func isFound(by given: ObjectKey) -> Bool {
    let given = given.split(into: parts.count)
    return parts.count == given.parts.count && zip(parts, given.parts).allSatisfy { $0.isFound(by: $1) }
  }
}

extension ObjectKey: ExpressibleByIntegerLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral
{
  /// Creates a key of one integer from a literal.
  public init(integerLiteral value: Int64) { parts = [.integer(value)] }
  /// Creates a key of one string from a literal.
  public init(stringLiteral value: String) { parts = [.string(value)] }
  /// Creates a key of several parts from a literal.
  public init(arrayLiteral elements: AttributeValue...) { parts = elements }
}

extension ObjectKey: CustomStringConvertible {
  /// The key in the syntax that `init(text:)` and the command line read.
  public var description: String {
    parts.indices.map { place in
      Self.escaped(parts[place].keyText, isFirst: place == 0, isLast: place == parts.count - 1)
    }.joined(separator: ",")
  }
}

extension AttributeValue {
  /// The value as a part of a key is written: bytes by `\x` and two digits each, as no attribute's value is.
  package var keyText: String {
    if case .binary(let bytes) = self { bytes.hexadecimalText } else { description }
  }

  /// The UUID that a part of a key is, in whatever form the store writes it.
  fileprivate var keyUUID: UUID? {
    switch self {
    case .uuid(let uuid): uuid
    case .string(let text): UUID(uuidString: text)
    case .binary(let bytes) where bytes.count == 16:
      UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    default: nil
    }
  }

  /// Whether a part of a key is found by another value: as text, an integer also in another notation, and a UUID in any
  /// form. Texts in different letters are different keys.
  fileprivate func isFound(by given: AttributeValue) -> Bool {
    if keyText == given.keyText { return true }
    switch (self, given) {
    case (.integer(let number), _): return given.wholeNumber == number
    case (.uuid(let uuid), _): return given.keyUUID == uuid
    case (_, .uuid(let uuid)): return keyUUID == uuid
    default: return false
    }
  }
}

/// Which object of a store: its concrete entity and its key. A value that crosses threads.
public struct ObjectID: Sendable, Hashable, CustomStringConvertible {
  /// The concrete entity of the object.
  public var entity: String
  /// The key of the object in its store.
  public var key: ObjectKey

  /// Creates an identifier; whether there is such an object is not checked.
  public init(_ entity: String, key: ObjectKey) {
    self.entity = entity
    self.key = key
  }

  public var description: String { "\(entity) \(key)" }
}

extension ObjectKey {
  /// Whether a key comes before another one: numbers as numbers, everything else by its text.
  func precedes(_ other: ObjectKey) -> Bool {
    for (own, others) in zip(parts, other.parts) where own != others {
      if case .integer(let own) = own, case .integer(let others) = others { return own < others }
      return own.description < others.description
    }
    return parts.count < other.parts.count
  }
}
