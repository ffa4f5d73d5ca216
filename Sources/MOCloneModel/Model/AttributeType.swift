/// The type of an attribute, named as in Xcode's model editor.
public enum AttributeType: String, Sendable, Hashable, Codable, CaseIterable {
  case string = "String"
  case boolean = "Boolean"
  case date = "Date"
  case binary = "Binary"
  case integer16 = "Integer 16"
  case integer32 = "Integer 32"
  case integer64 = "Integer 64"
  case double = "Double"
  case float = "Float"
  case decimal = "Decimal"
  case uuid = "UUID"
  case uri = "URI"
  /// Copied as bytes, never decoded.
  case transformable = "Transformable"

  public var isInteger: Bool {
    self == .integer16 || self == .integer32 || self == .integer64
  }
}

extension AttributeType {
  /// What a value of this type is written like, for messages about one that is not: `; expected 2025-01-31`.
  package var expectation: String {
    switch self {
    case .date: "; expected a date such as 2025-01-31T12:34:56.789Z"
    case .binary, .transformable: "; expected bytes in base64"
    case .boolean: "; expected true or false"
    default: ""
    }
  }
}
