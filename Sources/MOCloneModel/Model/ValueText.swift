import Foundation

extension AttributeType {
  /// Reads a value of this type from text, as it is in a model file's `default` or after `--set`.
  ///
  /// - Returns: nil where the text is not a value of this type. Integers are checked against their width.
  public func value(from text: String) -> AttributeValue? {
    switch self {
    case .string, .uri: .string(text)
    case .boolean: Self.bool(from: text).map(AttributeValue.bool)
    case .date: ISODate.heldDate(text).map(AttributeValue.date)
    case .binary, .transformable: Data(base64Encoded: text).map(AttributeValue.binary)
    case .integer16: Int16(text).map { .integer(Int64($0)) }
    case .integer32: Int32(text).map { .integer(Int64($0)) }
    case .integer64: Int64(text).map(AttributeValue.integer)
    case .double: Self.double(from: text).map(AttributeValue.double)
    case .float: Self.double(from: text).flatMap { Float($0).isFinite ? .double($0) : nil }
    case .decimal: Self.decimal(from: text).map(AttributeValue.decimal)
    case .uuid: UUID(uuidString: text).map(AttributeValue.uuid)
    }
  }

  /// Fits a value given in code to this type: text is read, integers widen to doubles and decimals.
  ///
  /// - Returns: nil where the value is not of this type; `.null` fits every type.
  public func value(fitting value: AttributeValue) -> AttributeValue? {
    switch (self, value) {
    case (_, .null): .null
    case (_, .string(let text)): self.value(from: text)
    case (.boolean, .bool), (.date, .date), (.uuid, .uuid), (.decimal, .decimal): value
    case (.binary, .binary), (.transformable, .binary), (.double, .double), (.float, .double): value
    case (.boolean, .integer(let number)) where number == 0 || number == 1: .bool(number == 1)
    case (.double, .integer(let number)), (.float, .integer(let number)): .double(Double(number))
    case (.decimal, .integer(let number)): .decimal(Decimal(number))
    // The digits that tell the number from others, and not those of its binary fraction.
    case (.decimal, .double(let number)): self.value(from: String(number))
    case (.integer16, .integer(let number)): Int16(exactly: number).map { .integer(Int64($0)) }
    case (.integer32, .integer(let number)): Int32(exactly: number).map { .integer(Int64($0)) }
    case (.integer64, .integer): value
    default: nil
    }
  }

  private static func bool(from text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "1", "t": true
    case "false", "no", "0", "f": false
    default: nil
    }
  }

  /// Swift's parser takes hexadecimal numbers and words, too.
  private static func double(from text: String) -> Double? {
    isNumber(text.utf8) ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
  }

  /// Foundation's parser stops at the first character it does not know, and cuts off the digits that a `Decimal` has no room
  /// for; here the whole text must be a number that fits.
  private static func decimal(from text: String) -> Decimal? {
    guard isNumber(text.utf8), fitsDecimal(text) else { return nil }
    return Decimal(string: text).flatMap { $0.isNaN ? nil : $0 }
  }

  /// Whether a number has no more digits than a `Decimal` holds.
  private static func fitsDecimal(_ text: String) -> Bool {
    guard text.utf8.count > 38 else { return true }
    var digits = text.prefix { $0 != "e" && $0 != "E" }
    if digits.contains("."), let last = digits.lastIndex(where: { $0 != "0" }) { digits = digits[...last] }
    return digits.filter(\.isNumber).drop { $0 == "0" }.count <= 38
  }

  /// Digits with a sign, a point and an exponent, each where it belongs.
  private static func isNumber(_ text: String.UTF8View) -> Bool {
    let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
    let mantissa = unsigned(parts[0])
    let digits = mantissa.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let isMantissa = digits.allSatisfy(areDigits) && digits.contains { !$0.isEmpty }
    guard isMantissa, parts.count == 2 else { return isMantissa }
    let exponent = unsigned(parts[1])
    return !exponent.isEmpty && areDigits(exponent)
  }

  private static func unsigned(_ text: Substring.UTF8View) -> Substring.UTF8View {
    guard let first = text.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") else {
      return text
    }
    return text.dropFirst()
  }

  private static func areDigits(_ text: Substring.UTF8View) -> Bool {
    text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

/// ISO 8601 dates with milliseconds in UTC: `2025-01-31T12:34:56.789Z`.
package enum ISODate {
  package static func text(_ date: Date) -> String {
    let milliseconds = self.milliseconds(date) + epoch * 1000
    guard years.contains(milliseconds / 1000) else {
      return Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate).formatted(withFraction)
    }
    let whole = Int(milliseconds)
    let days = (whole >= 0 ? whole : whole - 86_399_999) / 86_400_000
    let (year, month, day) = civil(days)
    let rest = whole - days * 86_400_000
    let digits: [(Int, Int)] = [
      (year, 4), (month, 2), (day, 2), (rest / 3_600_000, 2), (rest / 60_000 % 60, 2), (rest / 1000 % 60, 2),
      (rest % 1000, 3),
    ]
    return zip(digits, ["-", "-", "T", ":", ":", ".", "Z"]).map { number, sign in
      let text = String(number.0)
      return String(repeating: "0", count: number.1 - text.utf8.count) + text + sign
    }.joined()
  }

  /// The milliseconds from 2001 to a date. Far from there none that is not over is counted, so that no text is of the next
  /// year, but for the distance of the two numbers that are next to one of whole milliseconds.
  private static func milliseconds(_ date: Date) -> Double {
    let seconds = date.timeIntervalSinceReferenceDate
    return isFar(seconds)
      ? ((seconds + 2 * seconds.ulp) * 1000).rounded(.down) : (seconds * 1000).rounded()
  }

  /// The same with microseconds where a date has any, which is what a `Date` of our time and a server can hold.
  package static func exactText(_ date: Date) -> String {
    let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded(.down)
    let micros = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded() - milliseconds * 1000
    guard (1..<1000).contains(micros), !isFar(date.timeIntervalSinceReferenceDate) else { return text(date) }
    let text = text(Date(timeIntervalSinceReferenceDate: milliseconds / 1000))
    let digits = String(Int(micros))
    return text.dropLast() + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
  }

  /// The seconds from 2001 up to which a `Date` tells microseconds apart; further away they are made up.
  private static let holdsMicroseconds = 4_294_967_296.0

  private static func isFar(_ seconds: Double) -> Bool { abs(seconds) >= holdsMicroseconds }

  /// Reads a day, or a day with a time, as programs write them: `2025-01-31`, `2025-01-31T12:34:56.789Z`,
  /// `2025-01-31 12:34:56+01`.
  ///
  /// Days are counted by the Gregorian calendar before 1582 too, as ISO 8601 and SQLite do, unlike Foundation.
  ///
  /// - Parameter text: without a zone it is in UTC, as SQLite's functions and GRDB have it.
  package static func date(_ text: String) -> Date? { instant(text) ?? instant(wholeForm(of: text)) }

  /// The same; nil where a `Date` would hold another time, because far from 2001 it has no digits for what lies behind the
  /// milliseconds.
  fileprivate static func heldDate(_ text: String) -> Date? {
    date(text).flatMap { date in
      let isLong = behindMilliseconds(text).contains { $0 != "0" }
      return isLong && isFar(date.timeIntervalSinceReferenceDate) ? nil : date
    }
  }

  /// A date of which a `Date` would hold another time, in UTC with all its digits; nil for any other text.
  package static func longText(_ text: String) -> String? {
    guard heldDate(text) == nil, let date = self.date(text) else { return nil }
    let (time, digits) = (self.text(date), behindMilliseconds(text))
    guard time.utf8.count == "0000-00-00T00:00:00.000Z".utf8.count else { return nil }
    let zeros = String(repeating: "0", count: max(3 - digits.count, 0))
    return "\(time.dropLast())\(digits)\(zeros)Z"
  }

  private static func behindMilliseconds(_ date: String) -> Substring {
    let fraction = date.split(separator: ".").dropFirst().first?.prefix(while: \.isNumber) ?? ""
    return fraction.dropFirst(3)
  }

  /// A date with a letter before its time, and what was left out: seconds, the zone, its colon or its minutes.
  private static func wholeForm(of date: String) -> String {
    let (day, rest) = (date.prefix("0000-00-00".count), date.dropFirst("0000-00-00 ".count))
    let zoneStart = rest.dropFirst("00:00".count).firstIndex { " Z+-".contains($0) } ?? rest.endIndex
    let (time, zone) = (rest[..<zoneStart], rest[zoneStart...].drop { $0 == " " })
    let seconds = time.utf8.count == "00:00".utf8.count ? ":00" : ""
    let separator = date.dropFirst(day.count).first == " " ? "T" : date.dropFirst(day.count).prefix(1)
    let minutes = zone.utf8.count == "+00".utf8.count ? ":00" : ""
    return day + separator + time + seconds + (zone.isEmpty ? "Z" : zone + minutes)
  }

  /// Reads the one form: `2025-01-31`, `2025-01-31T12:34:56Z`, `...56.789+01:00`.
  private static func instant(_ text: String) -> Date? {
    let bytes = Array(text.utf8)
    guard let days = day(bytes.prefix(10)) else { return nil }
    let start = Double(days) * 86_400 - epoch
    if bytes.count == 10 { return Date(timeIntervalSinceReferenceDate: start) }
    guard let seconds = time(bytes.dropFirst(10)) else { return nil }
    let fraction: ArraySlice<UInt8> =
      bytes[19] == UInt8(ascii: ".") ? bytes.dropFirst(20).prefix(while: isDigit) : []
    let zone = bytes.dropFirst(fraction.isEmpty ? 19 : 20 + fraction.count)
    let whole = start + Double(seconds - offset(zone))
    guard years.contains(whole + epoch) else { return nil }
    let exact = whole + part(fraction)
    guard isFar(exact) else { return Date(timeIntervalSinceReferenceDate: exact) }
    // The nearest number may be that of the next millisecond, and so of the next year.
    let last = whole + part(fraction.prefix(3)) + 0.001 - 4 * exact.ulp
    return Date(timeIntervalSinceReferenceDate: min(exact, last))
  }

  private static func part(_ digits: ArraySlice<UInt8>) -> Double {
    digits.isEmpty ? 0 : Double("0." + String(decoding: digits, as: UTF8.self)) ?? 0
  }

  /// The seconds of a zone: `Z`, `+01:00` or `+0100`.
  private static func offset(_ zone: ArraySlice<UInt8>) -> Int {
    let digits = zone.filter(isDigit)[...]
    guard digits.count == 4 else { return 0 }
    let seconds = number(digits, start: 0, count: 2) * 3600 + number(digits, start: 2, count: 2) * 60
    return zone.first == UInt8(ascii: "-") ? -seconds : seconds
  }

  /// The seconds from 1970 to 2001, where Foundation begins to count.
  private static let epoch = 978_307_200.0

  /// The years 0 to 9999, in seconds from 1970: others have no text of the one form, so a zone must not lead there.
  private static let years = -62_167_219_200.0..<253_402_300_800.0

  /// The days from 1970-01-01 to a day; years are counted from March, so that a leap day is the last one.
  private static func days(_ year: Int, month: Int, day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The day that lies so many days behind 1970-01-01.
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let days = days + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNextYear = month >= 10
    return (
      yearOfEra + era * 400 + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  /// The days from 1970-01-01 to a day; nil for any other text.
  private static func day(_ text: ArraySlice<UInt8>) -> Int? {
    guard matches(text, form: "0000-00-00") else { return nil }
    let (year, month, day) = (
      number(text, start: 0, count: 4), number(text, start: 5, count: 2), number(text, start: 8, count: 2)
    )
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
    return days(year, month: month, day: day)
  }

  /// The seconds of a time with its zone, which is not counted; nil for any other text.
  private static func time(_ text: ArraySlice<UInt8>) -> Int? {
    guard matches(text.prefix(9), form: "T00:00:00") else { return nil }
    let (hours, minutes, seconds) = (
      number(text, start: 1, count: 2), number(text, start: 4, count: 2), number(text, start: 7, count: 2)
    )
    guard hours < 24, minutes < 60, seconds < 60 else { return nil }
    var zone = text.dropFirst(9)
    if zone.first == UInt8(ascii: ".") {
      let fraction = zone.dropFirst().prefix { isDigit($0) }
      zone = zone.dropFirst(fraction.count + 1)
      if fraction.isEmpty { return nil }
    }
    let isWhole = ["Z", "+00:00", "-00:00", "+0000", "-0000"].contains { matches(zone, form: $0) }
    return isWhole && isZone(zone) ? hours * 3600 + minutes * 60 + seconds : nil
  }

  /// Whether a place on Earth can have the zone: none is more than fourteen hours away, which is what SQLite reads.
  private static func isZone(_ zone: ArraySlice<UInt8>) -> Bool {
    let digits = zone.filter(isDigit)[...]
    return digits.isEmpty
      || number(digits, start: 0, count: 2) <= 14 && number(digits, start: 2, count: 2) < 60
  }

  /// Whether a text has the form of another one, whose zeros represent any digit.
  private static func matches(_ text: ArraySlice<UInt8>, form: String) -> Bool {
    text.count == form.utf8.count
      && zip(text, form.utf8).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
  }

  private static func number(_ text: ArraySlice<UInt8>, start: Int, count: Int) -> Int {
    text.dropFirst(start).prefix(count).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
