/// A value as a store holds it, with nothing converted.
package enum RawValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])
  /// A new key, whatever the store makes it.
  case made(Int)

  package var isNull: Bool { self == .null }

  package static func string(_ text: String) -> RawValue { .text(Array(text.utf8)) }

  /// Whether SQL finds two keys equal: numbers as numbers, and a text that is written as a number as that number.
  func isSameKey(as other: RawValue) -> Bool {
    if isNull || other.isNull { return false }
    return key == other.key
  }

  private var key: RawValue {
    switch self {
    case .real(let number): Int64(exactly: number).map(RawValue.integer) ?? self
    case .text(let bytes): Int64(String(decoding: bytes, as: UTF8.self)).map(RawValue.integer) ?? self
    default: self
    }
  }

  /// The order of SQL: null, numbers, texts, bytes; what is made new comes last.
  static func isBefore(_ a: RawValue, _ b: RawValue) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b
    case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
    case (.made(let a), .made(let b)): a < b
    default: a.rank == b.rank ? a.number < b.number : a.rank < b.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    case .made: 4
    }
  }

  private var number: Double {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: 0
    }
  }
}

extension RawValue: CustomStringConvertible {
  /// Type and bytes: equal texts mean equal values.
  package var description: String {
    switch self {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): "real \(number)"
    case .text(let bytes):
      String(bytes: bytes, encoding: .utf8).map { "'\($0)'" } ?? "text \(Self.hex(bytes))"
    case .blob(let bytes): "x\(Self.hex(bytes))"
    case .made: "new"
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
