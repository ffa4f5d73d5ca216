import Foundation
import MOCloneModel

/// Turns the values of one column into those of its attribute and back.
package struct ValueCoding: Equatable {
  package let type: AttributeType
  package let form: StorageForm

  package init(_ column: AttributeColumn) {
    type = column.type
    form = StorageForm(column)
  }

  /// The values of a staged column; a key stands as it is.
  package init(_ column: StagedRows.Column) {
    self = column.attribute.map { ValueCoding($0) } ?? ValueCoding(type: .string, form: .plain)
  }

  package init(type: AttributeType, form: StorageForm) {
    self.type = type
    self.form = form
  }

  /// What the store holds for a value of the attribute's type.
  package func encode(_ value: AttributeValue) -> StoredValue { form.stored(value) }

  /// The same for a date with more digits than a `Date` holds then; of a column of numbers the one at it or before.
  package func encode(longDate text: String) -> StoredValue { form.stored(longDate: text) }

  /// Reads what the store holds; nil where it is no value of the attribute's type.
  package func decode(_ value: StoredValue) -> AttributeValue? {
    if value == .null { return .null }
    switch type {
    case .string, .uri: return string(value)
    case .boolean: return value.wholeNumber.map { .bool($0 != 0) }
    case .integer16, .integer32, .integer64: return value.wholeNumber.map(AttributeValue.integer)
    case .double, .float: return double(value).map(AttributeValue.double)
    case .decimal: return decimal(value)
    case .binary, .transformable: return value.bytes.flatMap(binary)
    case .uuid: return uuid(value)
    case .date: return date(value)
    }
  }

  /// Bytes are no string, were they UTF-8.
  private func string(_ value: StoredValue) -> AttributeValue? {
    if case .text(let text) = value { .string(text) } else { nil }
  }

  /// Of a value in a file only the file's name is here.
  private func binary(_ bytes: Data) -> AttributeValue? {
    guard form == .external else { return .binary(bytes) }
    return bytes.first == ExternalMark.inline ? .binary(bytes.dropFirst()) : nil
  }

  /// A whole number of which a real one keeps some digits only is none.
  private func double(_ value: StoredValue) -> Double? {
    if case .integer(let whole) = value { Double(exactly: whole) } else { number(value) }
  }

  private func decimal(_ value: StoredValue) -> AttributeValue? {
    switch value {
    case .integer(let number): .decimal(Decimal(number))
    case .real(let number): type.value(fitting: .double(number))
    case .text(let text): AttributeType.decimal.value(from: text)
    default: nil
    }
  }

  private func uuid(_ value: StoredValue) -> AttributeValue? {
    switch value {
    case .text(let text) where form == .uuid(.compactText) && text.utf8.count == 32:
      Self.uuid(ofDigits: text).map(AttributeValue.uuid)
    case .text(let text): UUID(uuidString: text).map(AttributeValue.uuid)
    case .blob(let bytes) where bytes.count == 16:
      .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    default: nil
    }
  }

  private static func uuid(ofDigits text: String) -> UUID? {
    var rest = Substring(text)
    let groups = [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }
    return UUID(uuidString: groups.joined(separator: "-"))
  }

  private func date(_ value: StoredValue) -> AttributeValue? {
    if case .text(let text) = value, form == .typed { return ISODate.date(text).map(AttributeValue.date) }
    guard case .date(let storage) = form else { return nil }
    switch (storage, value) {
    case (_, .text(let text)) where !storage.isNumber:
      return ISODate.date(text).map(AttributeValue.date)
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

  private func number(_ value: StoredValue) -> Double? {
    if case .text(let text) = value, form == .typed { Double(text) } else { value.double }
  }
}

extension StoredValue {
  /// Bytes, or those of a text.
  package var bytes: Data? {
    switch self {
    case .blob(let bytes): bytes
    case .text(let text): Data(text.utf8)
    default: nil
    }
  }
}

extension AttributeValue {
  /// A value as the store holds it, for keys.
  package init(raw value: StoredValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .double(number)
    case .text(let text): self = .string(text)
    case .blob(let bytes): self = .binary(bytes)
    }
  }
}
