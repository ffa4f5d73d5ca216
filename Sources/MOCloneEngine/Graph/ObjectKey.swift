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

  /// Reads a key as the command line writes it: parts divided by commas; in a part a comma is `\,`, a backslash `\\`, and a
  /// line break `\u{A}`. A backslash before anything else stands for itself.
  ///
  /// The parts are text; a store reads them as what its key columns hold.
  public init(text: String) {
    var parts = [String.UnicodeScalarView()]
    var rest = text.unicodeScalars[...]
    while let letter = rest.popFirst() {
      if letter == "," {
        parts.append(String.UnicodeScalarView())
      } else {
        parts[parts.count - 1].append(letter == "\\" ? Self.escaped(&rest) : letter)
      }
    }
    self.parts = parts.map { .string(String($0)) }
  }

  /// What would be read as something else inside a part; an equals sign as the value of an attribute.
  private static let marks: [Unicode.Scalar] = [",", "=", "\\"]

  /// The letter that a backslash and what follows it stand for.
  private static func escaped(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar {
    if let mark = rest.first, marks.contains(mark) {
      rest.removeFirst()
      return mark
    }
    guard rest.starts(with: "u{".unicodeScalars), let end = rest.firstIndex(of: "}"),
      let code = UInt32(String(rest[..<end].dropFirst(2)), radix: 16), let letter = Unicode.Scalar(code)
    else { return "\\" }
    rest = rest[end...].dropFirst()
    return letter
  }

  /// A part in the syntax that `init(text:)` reads, on one line.
  private static func escaped(_ part: String) -> String {
    guard part.unicodeScalars.contains(where: { marks.contains($0) || $0.isUnprintable }) else { return part }
    return part.unicodeScalars.map { letter in
      if letter.isUnprintable { return "\\u{\(String(letter.value, radix: 16, uppercase: true))}" }
      return marks.contains(letter) ? "\\\(letter)" : String(letter)
    }.joined()
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
  public var uuid: UUID? {
    guard parts.count == 1 else { return nil }
    switch parts[0] {
    case .uuid(let uuid): return uuid
    case .string(let text): return UUID(uuidString: text)
    case .binary(let bytes) where bytes.count == 16:
      return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    default: return nil
    }
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
    parts.map { Self.escaped($0.description) }.joined(separator: ",")
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
