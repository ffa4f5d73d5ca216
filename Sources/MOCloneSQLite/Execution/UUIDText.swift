import Foundation
import GRDBSQLite
import MOCloneModel

/// A UUID on its way into a row.
struct UUIDText {
  private let bytes: uuid_t

  init(_ uuid: UUID) {
    bytes = uuid.uuid
  }

  /// Gives it to SQLite in one of the forms of storage, by its place among them.
  func result(in context: OpaquePointer?, form: Int32) {
    switch UUIDStorage.allCases[Int(form)] {
    case .blob:
      withUnsafeBytes(of: bytes) { sqlite3_result_blob(context, $0.baseAddress, 16, Self.transient) }
    case .text: text(in: context, digits: "0123456789ABCDEF")
    case .lowercaseText: text(in: context, digits: "0123456789abcdef")
    }
  }

  /// 36 characters, a hyphen before the bytes 4, 6, 8 and 10.
  private func text(in context: OpaquePointer?, digits: StaticString) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 36) { text in
      var end = 0
      withUnsafeBytes(of: bytes) { bytes in
        for (i, byte) in bytes.enumerated() {
          if [4, 6, 8, 10].contains(i) {
            text[end] = CChar(UInt8(ascii: "-"))
            end += 1
          }
          text[end] = CChar(digits.utf8Start[Int(byte >> 4)])
          text[end + 1] = CChar(digits.utf8Start[Int(byte & 15)])
          end += 2
        }
      }
      sqlite3_result_text(context, text.baseAddress, 36, Self.transient)
    }
  }

  /// Has SQLite copy the bytes at once.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
