import Foundation

/// Bytes in a key, as PostgreSQL writes them: `\x00ff`.
extension Data {
  package var hexadecimalText: String { "\\x" + map { String(format: "%02x", $0) }.joined() }

  /// - Returns: nil where a text is none of bytes.
  package init?(hexadecimalText text: String) {
    let digits: [UInt8?] = text.utf8.dropFirst(2).map { digit in
      Character(UnicodeScalar(digit)).hexDigitValue.map { UInt8($0) }
    }
    guard text.hasPrefix("\\x"), digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    self.init(stride(from: 0, to: digits.count, by: 2).map { digits[$0]! << 4 | digits[$0 + 1]! })
  }
}
