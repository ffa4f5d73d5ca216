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

  /// Reads a key as the command line writes it: parts divided by commas, a comma in a part as `\,`.
  ///
  /// The parts are text; a store reads them as what its key columns hold.
  public init(text: String) {
    var parts = [""]
    var isEscaped = false
    for letter in text {
      switch letter {
      case _ where isEscaped:
        parts[parts.count - 1] += letter == "," ? "," : "\\" + String(letter)
        isEscaped = false
      case "\\": isEscaped = true
      case ",": parts.append("")
      default: parts[parts.count - 1].append(letter)
      }
    }
    if isEscaped { parts[parts.count - 1] += "\\" }
    self.parts = parts.map(AttributeValue.string)
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
    parts.map { $0.description.replacing(",", with: "\\,") }.joined(separator: ",")
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
