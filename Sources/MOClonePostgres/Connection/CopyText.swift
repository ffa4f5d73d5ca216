import Foundation
import MOCloneSQL

/// The text format of COPY: fields between tabs, `\N` for null, a backslash before what would end a field.
enum CopyText {
  /// - Throws: `PostgresError` where a string has a character that PostgreSQL cannot store.
  static func append(_ value: StoredValue, to buffer: inout [UInt8]) throws {
    switch value {
    case .null: buffer += Array("\\N".utf8)
    case .integer(let number): buffer += Array(String(number).utf8)
    case .real(let number): buffer += Array(number.postgresText.utf8)
    case .text(let text): append(try text.withoutZero(), to: &buffer)
    case .blob(let data):
      buffer += Array("\\\\x".utf8)
      for byte in data { buffer += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func append(_ text: String, to buffer: inout [UInt8]) {
    for byte in text.utf8 {
      if let letter = letters[byte] {
        buffer += [backslash, letter]
      } else {
        buffer.append(byte)
      }
    }
  }

  private static let backslash = UInt8(ascii: "\\")

  private static let letters: [UInt8: UInt8] = [
    8: UInt8(ascii: "b"), 9: UInt8(ascii: "t"), 10: UInt8(ascii: "n"), 11: UInt8(ascii: "v"),
    12: UInt8(ascii: "f"), 13: UInt8(ascii: "r"), backslash: backslash,
  ]

  private static let bytes = Dictionary(uniqueKeysWithValues: letters.map { ($1, $0) })

  /// The fields of a row; nil represents null.
  static func fields(_ row: UnsafeRawBufferPointer) throws -> [String?] {
    let line = row.last == UInt8(ascii: "\n") ? row.dropLast() : row[...]
    return try line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map(field)
  }

  private static func field(_ field: Slice<UnsafeRawBufferPointer>) throws -> String? {
    if field.elementsEqual("\\N".utf8) { return nil }
    guard let text = String(bytes: unescaped(field), encoding: .utf8) else {
      throw PostgresResult.notUTF8
    }
    return text
  }

  /// The server writes only the escapes with letters.
  private static func unescaped(_ field: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(field.count)
    var isEscaped = false
    for byte in field {
      if isEscaped {
        text.append(bytes[byte] ?? byte)
        isEscaped = false
      } else if byte == backslash {
        isEscaped = true
      } else {
        text.append(byte)
      }
    }
    return text
  }
}
