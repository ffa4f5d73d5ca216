import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Turns the values of one column into those of its attribute and back.
package struct ValueCoding {
  let type: AttributeType
  let form: StorageForm

  package init(_ column: AttributeColumn) {
    type = column.type
    form = StorageForm(column)
  }

  /// The values of a staged column; a key stands as it is.
  init(_ column: StagedRows.Column) {
    self = column.attribute.map { ValueCoding($0) } ?? ValueCoding(type: .string, form: .plain)
  }

  init(type: AttributeType, form: StorageForm) {
    self.type = type
    self.form = form
  }

  /// What the store holds for a value of the attribute's type.
  func encode(_ value: AttributeValue) -> DatabaseValue { form.stored(value).databaseValue }

  /// A value as SQL text.
  func literal(_ value: AttributeValue) -> String { Dialect.sqlite.literal(form.stored(value)) }

  /// Reads what the store holds; nil where it is no value of the attribute's type.
  package func decode(_ value: DatabaseValue) -> AttributeValue? {
    if value.isNull { return .null }
    switch type {
    case .string, .uri: return string(value)
    case .boolean: return integer(value).map { .bool($0 != 0) }
    case .integer16, .integer32, .integer64: return integer(value).map(AttributeValue.integer)
    case .double, .float: return Double.fromDatabaseValue(value).map(AttributeValue.double)
    case .decimal: return decimal(value)
    case .binary, .transformable: return Data.fromDatabaseValue(value).flatMap(binary)
    case .uuid: return uuid(value)
    case .date: return date(value)
    }
  }

  /// Bytes are no string, were they UTF-8.
  private func string(_ value: DatabaseValue) -> AttributeValue? {
    if case .string(let text) = value.storage { .string(text) } else { nil }
  }

  /// Of a value in a file only the file's name is here.
  private func binary(_ bytes: Data) -> AttributeValue? {
    guard form == .external else { return .binary(bytes) }
    return bytes.first == ExternalMark.inline ? .binary(bytes.dropFirst()) : nil
  }

  /// A number with a fraction is no integer, were it cut off.
  private func integer(_ value: DatabaseValue) -> Int64? {
    switch value.storage {
    case .int64(let number): number
    case .double(let number): Int64(exactly: number)
    default: nil
    }
  }

  private func decimal(_ value: DatabaseValue) -> AttributeValue? {
    switch value.storage {
    case .int64(let number): .decimal(Decimal(number))
    case .double(let number): Decimal(string: String(number)).map(AttributeValue.decimal)
    case .string(let text): AttributeType.decimal.value(from: text)
    default: nil
    }
  }

  private func uuid(_ value: DatabaseValue) -> AttributeValue? {
    switch value.storage {
    case .string(let text): UUID(uuidString: text).map(AttributeValue.uuid)
    case .blob(let bytes) where bytes.count == 16:
      .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    default: nil
    }
  }

  private func date(_ value: DatabaseValue) -> AttributeValue? {
    guard case .date(let storage) = form else { return nil }
    switch (storage, value.storage) {
    case (.iso8601, .string(let text)), (.sqlite, .string(let text)):
      return Self.date(text).map(AttributeValue.date)
    case (.unix, _): return number(value).flatMap { Self.date(Date(timeIntervalSince1970: $0)) }
    case (.unixMilliseconds, _):
      return number(value).flatMap { Self.date(Date(timeIntervalSince1970: $0 / 1000)) }
    case (.referenceDate, _):
      return number(value).flatMap { Self.date(Date(timeIntervalSinceReferenceDate: $0)) }
    default: return nil
    }
  }

  /// A number whose milliseconds no integer holds is no date.
  private static func date(_ date: Date) -> AttributeValue? {
    (-9e15...9e15).contains(date.timeIntervalSince1970) ? .date(date) : nil
  }

  /// Both written forms differ in the letter between day and time only, and a zone that may be absent.
  private static func date(_ text: String) -> Date? {
    let withZone = text.replacing(" ", with: "T", maxReplacements: 1)
    return ISODate.date(withZone) ?? ISODate.date(withZone + "Z")
  }

  private func number(_ value: DatabaseValue) -> Double? {
    switch value.storage {
    case .int64(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }
}

extension StoredValue {
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .blob(let bytes): bytes.databaseValue
    }
  }
}

extension DatabaseValue {
  /// The value as SQL text.
  var sqlLiteral: String {
    let value: StoredValue =
      switch storage {
      case .null: .null
      case .int64(let number): .integer(number)
      case .double(let number): .real(number)
      case .string(let text): .text(text)
      case .blob(let bytes): .blob(bytes)
      }
    return Dialect.sqlite.literal(value)
  }
}
