import Foundation

/// The value of one attribute of one object, or of one part of a key.
///
/// Float attributes hold `.double`, URI attributes `.string`, Transformable attributes `.binary`.
///
/// ```swift
/// let values: [String: AttributeValue] = ["name": "Groceries", "index": 3, "done": false, "note": .null]
/// ```
public enum AttributeValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case decimal(Decimal)
  case string(String)
  case date(Date)
  case uuid(UUID)
  case binary(Data)

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
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
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
    case .date(let value): ISODate.text(value)
    case .uuid(let value): value.uuidString
    case .binary(let value): value.base64EncodedString()
    }
  }
}
