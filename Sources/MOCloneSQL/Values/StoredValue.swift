import Foundation
import MOCloneModel

/// What a column of a database holds.
package enum StoredValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

extension StoredValue {
  /// A whole number; 0 where it is none.
  package var number: Int {
    integer.map(Int.init) ?? 0
  }

  /// A whole number; nil where it is none.
  package var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// A whole number, also one that is stored with a fraction of zero; any other fraction is not cut off.
  package var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .real(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// A number, whole or with a fraction.
  package var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: nil
    }
  }

  package var isNull: Bool { if case .null = self { true } else { false } }

  package var isText: Bool { if case .text = self { true } else { false } }

  /// A string that is no null.
  package var string: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// Whether it is a string with the character U+0000.
  package var hasZero: Bool { if case .text(let text) = self { text.utf8.contains(0) } else { false } }
}

extension String {
  /// Text from UTF-8; nil for bytes that decoding would fix.
  package init?(utf8 bytes: UnsafeRawBufferPointer) {
    self.init(decoding: bytes, as: UTF8.self)
    let isSame = withUTF8 {
      $0.count == bytes.count
        && (bytes.isEmpty || memcmp($0.baseAddress!, bytes.baseAddress!, bytes.count) == 0)
    }
    if !isSame { return nil }
  }
}

extension StorageForm {
  /// What a column of this form holds for a value.
  package func stored(_ value: AttributeValue) -> StoredValue {
    if self == .typed { return typed(value) }
    return switch value {
    case .null: .null
    case .bool(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .double(let value): .real(value)
    case .decimal(let value): .text(value.description)
    case .string(let value): .text(value)
    case .binary(let value): .blob(self == .external ? Data([ExternalMark.inline]) + value : value)
    case .date(let value): stored(value)
    case .uuid(let value): stored(value)
    }
  }

  private func typed(_ value: AttributeValue) -> StoredValue {
    switch value {
    case .null: .null
    case .bool(let value): .text(value ? "1" : "0")
    case .binary(let value): .blob(value)
    case .date(let value): .text(ISODate.exactText(value))
    case .uuid(let value): .text(value.uuidString.lowercased())
    default: .text(value.description)
    }
  }

  private func stored(_ date: Date) -> StoredValue {
    guard case .date(let storage) = self else { return .text(ISODate.text(date)) }
    return switch storage {
    case .unix: .real(Self.unixSeconds(date))
    case .unixMilliseconds: Self.milliseconds(date.timeIntervalSince1970)
    case .referenceDate: .real(date.timeIntervalSinceReferenceDate)
    default: .text(Self.written(ISODate.exactText(date), as: storage))
    }
  }

  func stored(longDate text: String) -> StoredValue {
    guard case .date(let storage) = self else { return .text(text) }
    // The nearest millisecond can be that of the next year.
    let held = storage == .unixMilliseconds ? text.prefix("0000-00-00T00:00:00.000".count) + "Z" : text[...]
    let date = storage.isNumber ? ISODate.date(String(held)) : nil
    return date.map { stored($0) } ?? .text(Self.written(text, as: storage))
  }

  /// An ISO 8601 date in UTC in another notation of texts.
  private static func written(_ text: String, as storage: DateStorage) -> String {
    switch storage {
    case .iso8601Seconds: wholeSeconds(text)
    case .sqlite: spaced(text)
    case .sqliteSeconds: spaced(wholeSeconds(text))
    case .day: String(text.prefix { $0 != "T" })
    default: text
    }
  }

  private static func wholeSeconds(_ text: String) -> String {
    let none = ".000Z"
    return text.hasSuffix(none) ? text.dropLast(none.count) + "Z" : text
  }

  private static func spaced(_ text: String) -> String {
    text.replacing("T", with: " ").replacing("Z", with: "")
  }

  /// A date counts from 2001, and adding the years before rounds once more: a time of whole microseconds is the number next
  /// to it all the same, as every other program writes it.
  private static func unixSeconds(_ date: Date) -> Double {
    let (own, seconds) = (date.timeIntervalSinceReferenceDate, date.timeIntervalSince1970)
    let isExact =
      own.magnitude <= seconds.magnitude && seconds - Date.timeIntervalBetween1970AndReferenceDate == own
    let whole = (seconds * 1_000_000).rounded() / 1_000_000
    return isExact || abs(whole - seconds) > own.ulp + seconds.ulp ? seconds : whole
  }

  /// A number that is too great for an integer stays one.
  private static func milliseconds(_ seconds: Double) -> StoredValue {
    let milliseconds = (seconds * 1000).rounded()
    return Int64(exactly: milliseconds).map(StoredValue.integer) ?? .real(milliseconds)
  }

  private func stored(_ uuid: UUID) -> StoredValue {
    switch self {
    case .uuid(.blob): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
    case .uuid(.lowercaseText): .text(uuid.uuidString.lowercased())
    case .uuid(.compactText): .text(uuid.uuidString.lowercased().filter { $0 != "-" })
    default: .text(uuid.uuidString)
    }
  }
}

extension AttributeColumn {
  /// Whether its values are texts, which can be empty.
  package var isText: Bool { type == .string || type == .uri }

  /// The declared type of a column that holds every value as it is written.
  package var storedType: String {
    switch type {
    case .string, .uri, .decimal: "TEXT"
    case .boolean, .integer16, .integer32, .integer64: "INTEGER"
    case .double, .float: "REAL"
    case .binary, .transformable: "BLOB"
    case .uuid: uuids == .blob ? "BLOB" : "TEXT"
    case .date:
      switch dates {
      case .iso8601, .iso8601Seconds, .sqlite, .sqliteSeconds, .day: "TEXT"
      case .unix, .referenceDate: "REAL"
      case .unixMilliseconds: "INTEGER"
      }
    }
  }
}

/// The first byte of a value that may be in a file beside the store.
package enum ExternalMark {
  /// The value follows.
  package static let inline: UInt8 = 1
  /// The name of the file follows: 36 characters of a UUID and a zero.
  package static let reference: UInt8 = 2
  /// How many bytes name a file.
  package static let length = 38

  /// The name of the file that a stored value names; nil where the value is not in a file.
  package static func file(in stored: Data) -> String? {
    guard stored.first == reference else { return nil }
    let name = String(decoding: stored.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    return UUID(uuidString: name) == nil ? nil : name
  }
}
