import CPostgreSQL
import Foundation
import MOCloneSQL

/// What a server answered to a statement.
final class PostgresResult {
  let pointer: OpaquePointer
  private(set) lazy var types = (0..<PQnfields(pointer)).map { PQftype(pointer, $0) }

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { PQclear(pointer) }

  var status: ExecStatusType { PQresultStatus(pointer) }

  /// `COMMIT`, `INSERT 0 5`.
  var tag: String { String(cString: PQcmdStatus(pointer)) }

  /// The rows that a statement wrote or selected; 0 for others.
  var count: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

  var isFailure: Bool {
    [PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR].contains(status)
  }

  func rows() throws -> [[StoredValue]] {
    try (0..<PQntuples(pointer)).map(row)
  }

  func row(_ row: Int32) throws -> [StoredValue] {
    try types.indices.map { try value(row, column: Int32($0)) }
  }

  private func value(_ row: Int32, column: Int32) throws -> StoredValue {
    guard PQgetisnull(pointer, row, column) == 0, let start = PQgetvalue(pointer, row, column) else {
      return .null
    }
    let type = types[Int(column)]
    switch type {
    case PostgresType.bool: return .integer(start.pointee == CChar(UInt8(ascii: "t")) ? 1 : 0)
    case PostgresType.bytea: return .blob(try blob(start, length: PQgetlength(pointer, row, column)))
    case _ where PostgresType.integers.contains(type): return .integer(strtoll(start, nil, 10))
    case _ where PostgresType.reals.contains(type): return .real(strtod(start, nil))
    default:
      guard let text = String(validatingCString: start) else { throw Self.notUTF8 }
      return .text(type == PostgresType.bpchar ? text.withoutFill : text)
    }
  }

  /// `\x` and two digits a byte.
  private func blob(_ start: UnsafePointer<CChar>, length: Int32) throws -> Data {
    let text = UnsafeRawBufferPointer(start: start, count: Int(length))
    guard text.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "x")]) else {
      throw Self.notHex
    }
    return Data(hexadecimal: text.dropFirst(2))
  }

  static let notHex = PostgresError(
    sqlState: "22P03", message: "the server writes bytea in the format 'escape'; set bytea_output to 'hex'")

  static let notUTF8 = PostgresError(
    sqlState: "22021",
    message: "the server sent text that is not UTF-8; its database has the encoding SQL_ASCII")
}

extension Data {
  /// Bytes written as two digits each.
  init(hexadecimal digits: some Sequence<UInt8>) {
    self.init()
    var high: UInt8?
    for digit in digits {
      let value =
        digit > UInt8(ascii: "9") ? (digit | 0x20) - UInt8(ascii: "a") + 10 : digit - UInt8(ascii: "0")
      if let first = high { append(first << 4 | value) }
      high = high == nil ? value : nil
    }
  }
}
