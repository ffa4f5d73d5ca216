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
    var text = text
    text.withUTF8 { escape($0, to: &buffer) }
  }

  /// - Throws: `PostgresError` where the text has a character that PostgreSQL cannot store.
  static func append(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout [UInt8]) throws {
    guard !text.contains(0) else { throw PostgresError.zeroInText }
    escape(text, to: &buffer)
  }

  private static func escape(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout [UInt8]) {
    for byte in text {
      // Most of what a text holds stands for itself.
      if byte > 13, byte != backslash {
        buffer.append(byte)
      } else if let letter = letters[byte] {
        buffer.append(backslash)
        buffer.append(letter)
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

  /// How a column's values are read.
  enum Kind {
    case boolean, integer, real, bytes, text, filledText

    init(_ type: UInt32) {
      switch type {
      case PostgresType.bool: self = .boolean
      case PostgresType.bytea: self = .bytes
      case PostgresType.bpchar: self = .filledText
      case _ where PostgresType.integers.contains(type): self = .integer
      case _ where PostgresType.reals.contains(type): self = .real
      default: self = .text
      }
    }
  }

  /// Reads the values of a row, as a query would give them, in the place of those of the row before.
  static func read(_ row: UnsafeRawBufferPointer, _ kinds: [Kind], into values: inout [StoredValue]) throws {
    values.removeAll(keepingCapacity: true)
    var start = 0
    let end = row.last == UInt8(ascii: "\n") ? row.count - 1 : row.count
    for kind in kinds {
      var place = start
      var isEscaped = false
      while place < end, row[place] != UInt8(ascii: "\t") {
        if row[place] == backslash { isEscaped = true }
        place += 1
      }
      values.append(
        try value(UnsafeRawBufferPointer(rebasing: row[start..<place]), kind: kind, isEscaped: isEscaped))
      start = place + 1
    }
  }

  private static func value(
    _ field: UnsafeRawBufferPointer, kind: Kind, isEscaped: Bool
  ) throws -> StoredValue {
    if isEscaped, field.count == 2, field[1] == UInt8(ascii: "N") { return .null }
    switch kind {
    case .boolean: return .integer(field.first == UInt8(ascii: "t") ? 1 : 0)
    case .integer: return .integer(integer(field))
    case .real: return .real(strtod(String(decoding: field, as: UTF8.self), nil))
    // Its backslash is written twice.
    case .bytes:
      guard field.starts(with: [backslash, backslash, UInt8(ascii: "x")]) else { throw PostgresResult.notHex }
      return .blob(Data(hexadecimal: field.dropFirst(3)))
    case .text, .filledText:
      let text =
        isEscaped
        ? try unescaped(Slice(base: field, bounds: field.indices)).withUnsafeBytes(text) : try text(field)
      return .text(kind == .filledText ? text.withoutFill : text)
    }
  }

  private static func integer(_ field: UnsafeRawBufferPointer) -> Int64 {
    let isNegative = field.first == UInt8(ascii: "-")
    // Counted downwards, where the least number has room.
    let number = field.dropFirst(isNegative ? 1 : 0).reduce(into: Int64(0)) { number, digit in
      number = number * 10 - Int64(digit - UInt8(ascii: "0"))
    }
    return isNegative ? number : -number
  }

  /// The fields of a row; nil represents null.
  static func fields(_ row: UnsafeRawBufferPointer) throws -> [String?] {
    let line = row.last == UInt8(ascii: "\n") ? row.dropLast() : row[...]
    return try line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map(field)
  }

  private static func field(_ field: Slice<UnsafeRawBufferPointer>) throws -> String? {
    if field.elementsEqual("\\N".utf8) { return nil }
    return try unescaped(field).withUnsafeBytes(text)
  }

  /// - Throws: `PostgresResult.notUTF8` for bytes that decoding would fix.
  private static func text(_ bytes: UnsafeRawBufferPointer) throws -> String {
    guard let text = String(utf8: bytes) else { throw PostgresResult.notUTF8 }
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

extension String {
  /// A text of `char(n)` without the spaces at its end.
  var withoutFill: String {
    guard utf8.last == UInt8(ascii: " ") else { return self }
    guard let last = utf8.lastIndex(where: { $0 != UInt8(ascii: " ") }) else { return "" }
    return String(self[...last])
  }
}
