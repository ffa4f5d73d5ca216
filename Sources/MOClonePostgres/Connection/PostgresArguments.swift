import CPostgreSQL
import Foundation
import MOCloneSQL

/// The values of a statement's parameters as libpq takes them.
struct PostgresArguments {
  /// The types, by their numbers in `pg_type`; 0 leaves a type to the server.
  private(set) var types: [Oid] = []
  private var formats: [Int32] = []
  private var lengths: [Int32] = []
  /// Where each value begins; nil for a null.
  private var starts: [Int?] = []
  /// All values, each with a zero at its end.
  private var bytes: [UInt8] = []

  /// - Throws: `PostgresError` where a string has a character that PostgreSQL cannot store.
  init(_ values: [StoredValue]) throws {
    for value in values {
      switch value {
      case .null: append(nil, type: PostgresType.unknown)
      case .integer(let number): append(Array(String(number).utf8), type: PostgresType.int8)
      case .real(let number): append(Array(number.postgresText.utf8), type: PostgresType.float8)
      case .text(let text): append(Array(try text.withoutZero().utf8), type: PostgresType.unknown)
      case .blob(let data): append(Array(data), type: PostgresType.bytea, isBinary: true)
      }
    }
  }

  private mutating func append(_ value: [UInt8]?, type: Oid, isBinary: Bool = false) {
    types.append(type)
    formats.append(isBinary ? 1 : 0)
    lengths.append(Int32(value?.count ?? 0))
    starts.append(value.map { _ in bytes.count })
    if let value { bytes += value + [0] }
  }

  typealias Lists = (
    count: Int32, types: UnsafePointer<Oid>?, values: UnsafePointer<UnsafePointer<CChar>?>?,
    lengths: UnsafePointer<Int32>?, formats: UnsafePointer<Int32>?
  )

  func withLists<Result>(_ body: (Lists) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      let values = starts.map { start in
        start.map { UnsafePointer(bytes.baseAddress!.advanced(by: $0).assumingMemoryBound(to: CChar.self)) }
      }
      return values.withUnsafeBufferPointer { values in
        types.withUnsafeBufferPointer { types in
          lengths.withUnsafeBufferPointer { lengths in
            formats.withUnsafeBufferPointer { formats in
              body(
                (
                  Int32(starts.count), types.baseAddress, values.baseAddress, lengths.baseAddress,
                  formats.baseAddress
                ))
            }
          }
        }
      }
    }
  }
}

/// The types of PostgreSQL that have a number of their own everywhere.
enum PostgresType {
  static let unknown: Oid = 0
  static let bool: Oid = 16
  static let bytea: Oid = 17
  static let int8: Oid = 20
  static let float8: Oid = 701
  /// `char(n)`, whose texts are filled up with spaces that mean nothing.
  static let bpchar: Oid = 1042
  /// int8, int2, int4, oid.
  static let integers: Set<Oid> = [20, 21, 23, 26]
  /// float4, float8.
  static let reals: Set<Oid> = [700, 701]
}

extension Double {
  var postgresText: String {
    if isNaN { return "NaN" }
    if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
    // A column of integers takes no fraction, were it zero.
    if let whole = Int64(exactly: self), whole != 0 { return String(whole) }
    return description
  }
}

extension String {
  /// Strings end at a zero in libpq, so one within would cut the value off.
  func withoutZero() throws -> String {
    guard utf8.contains(0) else { return self }
    throw PostgresError.zeroInText
  }
}

extension PostgresError {
  static let zeroInText = PostgresError(
    sqlState: "22021",
    message: "a string contains the character U+0000, which PostgreSQL cannot store in text")
}
