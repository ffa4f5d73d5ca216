import Foundation

extension AttributeType {
  /// Reads a value of this type from text, as it stands in a model file's `default` or after `--set`.
  ///
  /// - Returns: nil where the text is not a value of this type. Integers are checked against their width.
  public func value(from text: String) -> AttributeValue? {
    switch self {
    case .string, .uri: .string(text)
    case .boolean: Self.bool(from: text).map(AttributeValue.bool)
    case .date: ISODate.date(text).map(AttributeValue.date)
    case .binary, .transformable: Data(base64Encoded: text).map(AttributeValue.binary)
    case .integer16: Int16(text).map { .integer(Int64($0)) }
    case .integer32: Int32(text).map { .integer(Int64($0)) }
    case .integer64: Int64(text).map(AttributeValue.integer)
    case .double, .float: Self.double(from: text).map(AttributeValue.double)
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
    case (.decimal, .double(let number)): .decimal(Decimal(number))
    case (.integer16, .integer(let number)): Int16(exactly: number).map { .integer(Int64($0)) }
    case (.integer32, .integer(let number)): Int32(exactly: number).map { .integer(Int64($0)) }
    case (.integer64, .integer): value
    default: nil
    }
  }

  private static func bool(from text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  /// Swift's parser takes hexadecimal numbers and words, too.
  private static func double(from text: String) -> Double? {
    isNumber(text.utf8) ? Double(text) : nil
  }

  /// Foundation's parser stops at the first character it does not know; here the whole text must be a number.
  private static func decimal(from text: String) -> Decimal? {
    isNumber(text.utf8) ? Decimal(string: text) : nil
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
public enum ISODate {
  public static func text(_ date: Date) -> String {
    // The format style cuts fractions off, so half a tenth of a millisecond keeps .789 from becoming .788.
    let rounded = (date.timeIntervalSinceReferenceDate * 1000).rounded() / 1000 + 0.00005
    return Date(timeIntervalSinceReferenceDate: rounded).formatted(withFraction)
  }

  /// Reads a day, or a day with a time and its zone: `2025-01-31`, `2025-01-31T12:34:56Z`, `...56.789+01:00`.
  public static func date(_ text: String) -> Date? {
    let bytes = Array(text.utf8)
    // Foundation leaves out what it does not understand, and takes 30 February for 2 March.
    guard isDay(bytes.prefix(10)) else { return nil }
    if bytes.count == 10 { return try? dayOnly.parse(text) }
    guard isTime(bytes.dropFirst(10)) else { return nil }
    return try? (bytes[19] == UInt8(ascii: ".") ? withFraction : withoutFraction).parse(text)
  }

  private static func isDay(_ text: ArraySlice<UInt8>) -> Bool {
    guard matches(text, "0000-00-00") else { return false }
    let (year, month, day) = (number(text, 0, 4), number(text, 5, 2), number(text, 8, 2))
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...12).contains(month) && (1...days[month - 1]).contains(day)
  }

  private static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
    let time = text.prefix(9)
    guard matches(time, "T00:00:00"), number(time, 1, 2) < 24, number(time, 4, 2) < 60,
      number(time, 7, 2) < 60
    else { return false }
    var zone = text.dropFirst(9)
    if zone.first == UInt8(ascii: ".") {
      let fraction = zone.dropFirst().prefix { isDigit($0) }
      zone = zone.dropFirst(fraction.count + 1)
      if fraction.isEmpty { return false }
    }
    return ["Z", "+00:00", "-00:00", "+0000", "-0000"].contains { matches(zone, $0) }
  }

  /// Whether a text has the form of another one, whose zeros stand for any digit.
  private static func matches(_ text: ArraySlice<UInt8>, _ form: String) -> Bool {
    text.count == form.utf8.count
      && zip(text, form.utf8).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
  }

  private static func number(_ text: ArraySlice<UInt8>, _ start: Int, _ count: Int) -> Int {
    text.dropFirst(start).prefix(count).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  private static let withoutFraction = Date.ISO8601FormatStyle()
  private static let dayOnly = Date.ISO8601FormatStyle().year().month().day()
}
