import Foundation

/// A Swift type whose values attributes and keys can hold.
///
/// ```swift
/// let id = UUID()
/// let values: [String: AttributeValue] = ["id": AttributeValue(id), "name": "Copy of \(name)"]
/// ```
public protocol AttributeValueConvertible {
  /// The value as an attribute holds it.
  var attributeValue: AttributeValue { get }
}

extension AttributeValue: AttributeValueConvertible, ExpressibleByStringInterpolation {
  public var attributeValue: AttributeValue { self }

  /// A value of any type that attributes can hold.
  public init(_ value: some AttributeValueConvertible) { self = value.attributeValue }

  /// The same, or null.
  public init(_ value: (some AttributeValueConvertible)?) { self = value?.attributeValue ?? .null }
}

extension Bool: AttributeValueConvertible { public var attributeValue: AttributeValue { .bool(self) } }
extension Int: AttributeValueConvertible {
  public var attributeValue: AttributeValue { .integer(Int64(self)) }
}
extension Int16: AttributeValueConvertible {
  public var attributeValue: AttributeValue { .integer(Int64(self)) }
}
extension Int32: AttributeValueConvertible {
  public var attributeValue: AttributeValue { .integer(Int64(self)) }
}
extension Int64: AttributeValueConvertible { public var attributeValue: AttributeValue { .integer(self) } }
extension Double: AttributeValueConvertible { public var attributeValue: AttributeValue { .double(self) } }
extension Float: AttributeValueConvertible {
  public var attributeValue: AttributeValue { .double(Double(self)) }
}
extension Decimal: AttributeValueConvertible { public var attributeValue: AttributeValue { .decimal(self) } }
extension String: AttributeValueConvertible { public var attributeValue: AttributeValue { .string(self) } }
extension Date: AttributeValueConvertible { public var attributeValue: AttributeValue { .date(self) } }
extension UUID: AttributeValueConvertible { public var attributeValue: AttributeValue { .uuid(self) } }
extension Data: AttributeValueConvertible { public var attributeValue: AttributeValue { .binary(self) } }
extension URL: AttributeValueConvertible {
  public var attributeValue: AttributeValue { .string(absoluteString) }
}
