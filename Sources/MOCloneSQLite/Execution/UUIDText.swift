import Foundation
import GRDBSQLite
import MOCloneModel

/// A UUID on its way into a row.
struct UUIDText {
  private let bytes: uuid_t

  init(_ uuid: UUID) {
    bytes = uuid.uuid
  }

  /// Reads 36 characters, 32 without hyphens, or 16 bytes of a statement; nil where they are no UUID.
  init?(_ value: OpaquePointer?) {
    switch sqlite3_value_type(value) {
    case SQLITE_BLOB:
      guard sqlite3_value_bytes(value) == 16, let bytes = sqlite3_value_blob(value) else { return nil }
      self.bytes = bytes.loadUnaligned(as: uuid_t.self)
    case SQLITE_TEXT:
      guard let text = sqlite3_value_text(value) else { return nil }
      let length = sqlite3_value_bytes(value)
      guard length == 36 || length == 32 else { return nil }
      var bytes = UUID().uuid
      let isRead = withUnsafeMutableBytes(of: &bytes) { Self.read(text, hasHyphens: length == 36, into: $0) }
      guard isRead else { return nil }
      self.bytes = bytes
    default: return nil
    }
  }

  private static func read(
    _ text: UnsafePointer<UInt8>, hasHyphens: Bool, into bytes: UnsafeMutableRawBufferPointer
  ) -> Bool {
    var place = 0
    for i in 0..<16 {
      if hasHyphens, [4, 6, 8, 10].contains(i) {
        guard text[place] == UInt8(ascii: "-") else { return false }
        place += 1
      }
      guard let high = digit(text[place]), let low = digit(text[place + 1]) else { return false }
      bytes[i] = high << 4 | low
      place += 2
    }
    return true
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Gives it to SQLite in one of the forms of storage, by its place among them.
  func result(in context: OpaquePointer?, form: Int32) {
    switch UUIDStorage.allCases[Int(form)] {
    case .blob:
      withUnsafeBytes(of: bytes) { sqlite3_result_blob(context, $0.baseAddress, 16, RawValue.transient) }
    case .text: text(in: context, digits: "0123456789ABCDEF")
    case .lowercaseText: text(in: context, digits: "0123456789abcdef")
    case .compactText: text(in: context, digits: "0123456789abcdef", hasHyphens: false)
    }
  }

  /// 36 characters, a hyphen before the bytes 4, 6, 8 and 10, or 32 without those.
  private func text(in context: OpaquePointer?, digits: StaticString, hasHyphens: Bool = true) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 36) { text in
      var end = 0
      withUnsafeBytes(of: bytes) { bytes in
        for (i, byte) in bytes.enumerated() {
          if hasHyphens, [4, 6, 8, 10].contains(i) {
            text[end] = CChar(UInt8(ascii: "-"))
            end += 1
          }
          text[end] = CChar(digits.utf8Start[Int(byte >> 4)])
          text[end + 1] = CChar(digits.utf8Start[Int(byte & 15)])
          end += 2
        }
      }
      sqlite3_result_text(context, text.baseAddress, Int32(end), RawValue.transient)
    }
  }
}
