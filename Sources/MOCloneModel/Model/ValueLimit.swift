import Foundation

/// A limit of numbers or of lengths, with all its digits: 64-bit integers and decimal numbers are compared exactly, and what
/// these cannot hold as a `Double`.
public struct ValueLimit: Sendable, Hashable {
  fileprivate enum Number: Sendable {
    case integer(Int64)
    case decimal(Decimal)
    case double(Double)
  }

  private let number: Number

  fileprivate init(of number: Number) {
    self.number = number
  }

  /// Creates a limit from a whole number.
  public init(_ number: Int64) {
    self.init(of: .integer(number))
  }

  /// Creates a limit from the digits that tell a number from others.
  public init(_ number: Double) {
    self = ValueLimit("\(number)") ?? ValueLimit(of: .double(number))
  }

  /// Creates a limit from a number as text; nil for any other text.
  public init?(_ text: String) {
    if let whole = Int64(text) {
      self.init(of: .integer(whole))
    } else if case .decimal(let decimal)? = AttributeType.decimal.value(from: text),
      // A number that is too small for a decimal one is another number there.
      Double(decimal.description) == Double(text)
    {
      self.init(of: Int64(decimal.description).map(Number.integer) ?? .decimal(decimal))
    } else if let double = Double(text), double.isFinite {
      self.init(of: Int64(exactly: double).map(Number.integer) ?? .double(double))
    } else {
      return nil
    }
  }

  /// The nearest `Double`.
  public var double: Double {
    switch number {
    case .integer(let number): Double(number)
    case .decimal(let number): Double(number.description) ?? .nan
    case .double(let number): number
    }
  }

  private var decimal: Decimal {
    switch number {
    case .integer(let number): Decimal(number)
    case .decimal(let number): number
    case .double(let number): Decimal(number)
    }
  }
}

extension ValueLimit: Comparable {
  /// Compares numbers by all their digits, and what is held as a `Double` with the nearest `Double` of the other one.
  public static func < (one: ValueLimit, other: ValueLimit) -> Bool {
    switch (one.number, other.number) {
    case (.integer(let one), .integer(let other)): one < other
    case (.double, _), (_, .double): one.double < other.double
    default: one.decimal < other.decimal
    }
  }

  /// Whether neither number is less than the other one.
  public static func == (one: ValueLimit, other: ValueLimit) -> Bool {
    switch (one.number, other.number) {
    case (.integer(let one), .integer(let other)): one == other
    case (.double, _), (_, .double): one.double == other.double
    default: one.decimal == other.decimal
    }
  }

  /// Hashes the nearest `Double`, which equal numbers share.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(double)
  }
}

extension ValueLimit: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates a whole number from a literal.
  public init(integerLiteral number: Int64) {
    self.init(of: .integer(number))
  }

  /// Creates a number from a literal.
  public init(floatLiteral number: Double) {
    self.init(number)
  }
}

extension ValueLimit: CustomStringConvertible {
  /// All digits, without a fraction where there is none.
  public var description: String {
    switch number {
    case .integer(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .double(let number): "\(number)"
    }
  }
}

extension ValueLimit {
  /// Writes a number; a `Decimal` by itself would be written as its parts.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch number {
    case .integer(let number): try container.encode(number)
    case .decimal(let number): try container.encode(number)
    case .double(let number): try container.encode(number)
    }
  }
}

extension AttributeValue {
  /// What `min` and `max` limit: a number, or the length of a text.
  package var measure: ValueLimit? {
    switch self {
    case .integer(let number): ValueLimit(number)
    case .double(let number): ValueLimit(of: .double(number))
    case .decimal(let number): ValueLimit(of: .decimal(number))
    case .string(let text): ValueLimit(Int64(text.count))
    case .null, .bool, .date, .uuid, .binary: nil
    }
  }
}
