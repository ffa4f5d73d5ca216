/// The type of an attribute, named as in Xcode's model editor.
public enum AttributeType: String, Sendable, Hashable, Codable, CaseIterable {
  /// A string of any length.
  case string = "String"
  /// True or false.
  case boolean = "Boolean"
  /// An instant.
  case date = "Date"
  /// Bytes, written in base64 in a model file.
  case binary = "Binary"
  /// A signed integer of 16 bits.
  case integer16 = "Integer 16"
  /// A signed integer of 32 bits.
  case integer32 = "Integer 32"
  /// A signed integer of 64 bits.
  case integer64 = "Integer 64"
  /// A floating-point number of 64 bits.
  case double = "Double"
  /// A floating-point number of 32 bits, held as `AttributeValue.double`.
  case float = "Float"
  /// A decimal number, as Foundation's `Decimal` holds it.
  case decimal = "Decimal"
  /// A UUID.
  case uuid = "UUID"
  /// A URI, held as a string.
  case uri = "URI"
  /// Copied as bytes, never decoded.
  case transformable = "Transformable"

  /// Whether the type is one of the three integer types.
  public var isInteger: Bool {
    self == .integer16 || self == .integer32 || self == .integer64
  }

  package var isNumber: Bool { isInteger || [.decimal, .double, .float].contains(self) }
}

extension AttributeType {
  /// Whether `min` and `max` limit values of this type: numbers, and the lengths of strings.
  package var isMeasured: Bool {
    isNumber || self == .string || self == .uri
  }

  /// What a value of this type is written like, for errors about one that is not.
  package var expected: String? {
    switch self {
    case .date: "expected a date such as 2025-01-31T12:34:56.789Z"
    case .binary, .transformable: "expected bytes in base64"
    case .boolean: "expected true or false"
    default: nil
    }
  }

  /// What to do about a date with more digits than a `Date` holds then; nil for any other text.
  ///
  /// - Parameter way: another way to look an object up; nil where the date is to be written.
  package func excess(of text: String, lookingUp way: String? = nil) -> String? {
    guard self == .date, ISODate.longText(text) != nil else { return nil }
    return way.map { "a date so far from 2001 is looked up with milliseconds only, so \($0)" }
      ?? "a date so far from 2001 has milliseconds only here, so leave out the digits after the third"
  }

  /// What is expected, at the end of a message: `; expected true or false`.
  package var expectation: String { expected.map { "; \($0)" } ?? "" }
}
