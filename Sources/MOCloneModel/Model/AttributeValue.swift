import Foundation

/// The value of one attribute of one object, or of one part of a key.
///
/// Float attributes hold `.double`, URI attributes `.string`, Transformable attributes `.binary`.
///
/// ```swift
/// let values: [String: AttributeValue] = ["name": "Groceries", "index": 3, "done": false, "note": .null]
/// ```
public enum AttributeValue: Sendable, Hashable {
  /// No value.
  case null
  /// The value of a Boolean attribute.
  case bool(Bool)
  /// The value of an attribute of any integer type.
  case integer(Int64)
  /// The value of a Double or Float attribute.
  case double(Double)
  /// The value of a Decimal attribute.
  case decimal(Decimal)
  /// The value of a String or URI attribute.
  case string(String)
  /// The value of a Date attribute.
  case date(Date)
  /// The value of a UUID attribute.
  case uuid(UUID)
  /// The bytes of a Binary or Transformable attribute.
  case binary(Data)

  /// Whether there is no value.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// Texts are equal byte by byte, as in a database: é and e with an accent behind it are two.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.string(let a), .string(let b)): a == b && a.utf8.elementsEqual(b.utf8)
    case (.date(let a), .date(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.binary(let a), .binary(let b)): a == b
    default: false
    }
  }
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Creates a string from a literal.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an integer from a literal.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a double from a literal.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates a Boolean from a literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates null from the literal `nil`.
  public init(nilLiteral: ()) { self = .null }
}

extension AttributeValue: CustomStringConvertible {
  /// The value as people write it in a model file or after `--set`: ISO 8601 dates, base64 bytes.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .double(let value): String(value)
    case .decimal(let value): value.description
    case .string(let value): value
    case .date(let value): ISODate.exactText(value)
    case .uuid(let value): value.uuidString
    case .binary(let value): value.base64EncodedString()
    }
  }
}

extension Double {
  /// The number as a Float attribute has it: of single width, where it has room there.
  package var single: Double {
    let single = Float(self)
    return single.isNormal ? Double(single) : self
  }
}
