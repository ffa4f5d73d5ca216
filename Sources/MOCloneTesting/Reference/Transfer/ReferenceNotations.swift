import Foundation
import MOCloneModel

/// What the notations of other programs mean, and how the store writes a value itself.
package enum ReferenceNotations {
  /// A value as its attribute's type has it; nil where it is not a value of that type.
  package static func value(_ raw: RawValue, _ column: AttributeColumn) -> AttributeValue? {
    if raw.isNull { return .null }
    switch column.type {
    case .string, .uri: return text(raw).map(AttributeValue.string)
    case .boolean: return integer(raw).map { .bool($0 != 0) }
    case .integer16, .integer32, .integer64: return integer(raw).map(AttributeValue.integer)
    case .double, .float:
      if case .integer(let whole) = raw { return Double(exactly: whole).map(AttributeValue.double) }
      return number(raw).map(AttributeValue.double)
    case .decimal: return decimal(raw).map(AttributeValue.decimal)
    case .uuid: return uuid(raw, column.uuids).map(AttributeValue.uuid)
    case .date: return date(raw, column.dates).map(AttributeValue.date)
    case .binary, .transformable:
      if case .blob(let bytes) = raw { return .binary(Data(bytes)) }
      return nil
    }
  }

  private static func text(_ raw: RawValue) -> String? {
    if case .text(let bytes) = raw { String(bytes: bytes, encoding: .utf8) } else { nil }
  }

  private static func integer(_ raw: RawValue) -> Int64? {
    switch raw {
    case .integer(let number): number
    case .real(let number): Int64(exactly: number)
    default: nil
    }
  }

  private static func number(_ raw: RawValue) -> Double? {
    switch raw {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: nil
    }
  }

  private static func decimal(_ raw: RawValue) -> Decimal? {
    switch raw {
    case .integer(let number): return Decimal(string: "\(number)")
    case .real(let number): return number.isFinite ? Decimal(string: "\(number)") : nil
    default:
      guard let text = text(raw), text.allSatisfy("0123456789.e-".contains) else { return nil }
      return Decimal(string: text)
    }
  }

  static func uuid(_ raw: RawValue, _ form: UUIDStorage) -> UUID? {
    if var text = text(raw) {
      if form == .compactText, text.count == 32, text.allSatisfy(\.isHexDigit) {
        for place in [8, 13, 18, 23] { text.insert("-", at: text.index(text.startIndex, offsetBy: place)) }
      }
      return UUID(uuidString: text)
    }
    guard case .blob(let bytes) = raw, bytes.count == 16 else { return nil }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  // MARK: Dates

  private static func date(_ raw: RawValue, _ storage: DateStorage) -> Date? {
    switch storage {
    case .iso8601, .iso8601Seconds, .sqlite, .sqliteSeconds, .day: text(raw).flatMap(date)
    case .unix: number(raw).map { Date(timeIntervalSince1970: $0) }
    case .unixMilliseconds: number(raw).map { Date(timeIntervalSince1970: $0 / 1000) }
    case .referenceDate: number(raw).map { Date(timeIntervalSinceReferenceDate: $0) }
    }
  }

  /// `2024-01-31T12:34:56.789+02:00`: the letter may be a space, the fraction may have more digits, it and the zone may be
  /// absent, and so may the zone's colon and minutes; a space may stand before it.
  private static func date(_ text: String) -> Date? {
    let rest = [10: " 00:00:00", 16: ":00"][text.utf8.count] ?? ""
    let bytes = Array((text + rest).utf8)
    func digits(_ start: Int, _ count: Int) -> Int? {
      guard bytes.count >= start + count else { return nil }
      return Int(String(decoding: bytes[start..<start + count], as: UTF8.self))
    }
    guard let year = digits(0, 4), let month = digits(5, 2), let day = digits(8, 2), let hour = digits(11, 2),
      let minute = digits(14, 2), let second = digits(17, 2), bytes[4] == 45, bytes[7] == 45,
      (1...12).contains(month), (1...lengths(year)[month - 1]).contains(day), hour < 24
    else { return nil }
    var place = 19
    var fraction = 0
    if bytes.count > place, bytes[place] == 46 {
      let all = bytes[20...].prefix { (48...57).contains($0) }
      guard !all.isEmpty else { return nil }
      for i in 0..<6 { fraction = fraction * 10 + (i < all.count ? Int(all[20 + i]) - 48 : 0) }
      place += 1 + all.count
    }
    if bytes.count > place, bytes[place] == 32 { place += 1 }
    var zone = 0
    if bytes.count > place, bytes[place] == 43 || bytes[place] == 45 {
      guard let hours = digits(place + 1, 2) else { return nil }
      let minutes = bytes.count == place + 3 ? 0 : digits(bytes.count - 2, 2)
      zone = (bytes[place] == 43 ? 1 : -1) * (hours * 60 + (minutes ?? 0))
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute - zone) * 60 + second
    // From 2001 on, as Foundation counts: the nearest number to the date, and no other one.
    return Date(timeIntervalSinceReferenceDate: Double(seconds - 978_307_200) + Double(fraction) / 1_000_000)
  }

  /// Days since 1970, counted year by year and month by month.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    var days = day - 1
    for past in min(year, 1970)..<max(year, 1970) {
      days += (year < 1970 ? -1 : 1) * (isLeap(past) ? 366 : 365)
    }
    return days + lengths(year).prefix(month - 1).reduce(0, +)
  }

  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// The days of each month.
  private static func lengths(_ year: Int) -> [Int] {
    [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  }

  // MARK: Writing

  /// How the store writes a value.
  package static func raw(_ value: AttributeValue, _ column: AttributeColumn) -> RawValue {
    switch value {
    case .null: .null
    case .bool(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .double(let value): .real(value)
    case .decimal(let value): .string(value.description)
    case .string(let value): .string(value)
    case .binary(let value): .blob(Array(value))
    case .uuid(let value):
      switch column.uuids {
      case .text: .string(value.uuidString)
      case .lowercaseText: .string(value.uuidString.lowercased())
      case .compactText: .string(value.uuidString.lowercased().replacing("-", with: ""))
      case .blob: .blob(withUnsafeBytes(of: value.uuid) { Array($0) })
      }
    case .date(let value):
      switch column.dates {
      case .iso8601: .string(ISODate.exactText(value))
      case .iso8601Seconds: .string(ISODate.exactText(value).replacing(".000", with: ""))
      case .sqlite: .string(ISODate.exactText(value).replacing("T", with: " ").replacing("Z", with: ""))
      case .sqliteSeconds:
        .string(
          ISODate.exactText(value).replacing(".000Z", with: "").replacing("T", with: " ").replacing(
            "Z", with: ""))
      case .day: .string(String(ISODate.text(value).prefix(10)))
      case .unix: .real(value.timeIntervalSince1970)
      case .unixMilliseconds: .integer(Int64((value.timeIntervalSince1970 * 1000).rounded()))
      case .referenceDate: .real(value.timeIntervalSinceReferenceDate)
      }
    }
  }
}
