import Foundation
import MOCloneModel
import MOCloneYAML
import Testing

/// Values as they are written in a default: read whole, or not at all.
struct ValueTextTests {
  @Test(arguments: [
    "2024-02-29T12:00:00Z", "2024-02-29T12:00:00.000Z", "2024-02-29T13:00:00+01:00",
    "2024-02-29T13:00:00.0+0100",
    "2024-02-29T11:00:00.000000-01:00", "2024-02-29 13:00:00+01", "2024-02-29 12:00:00.0 +00:00",
    "2024-02-29 12:00:00Z", "2024-02-29T12:00Z", "2024-02-29 13:00 +0100",
    "2024-02-29T12:00:00", "2024-02-29 12:00:00.000", "2024-02-29 12:00",
  ])
  func datesAreReadInEveryForm(_ text: String) {
    #expect(AttributeType.date.value(from: text) == .date(Date(timeIntervalSince1970: 1_709_208_000)))
  }

  @Test(arguments: ["1", "-1.5", ".5", "5.", "1e3", "+2E-2"])
  func decimalsAreReadInEveryForm(_ text: String) throws {
    #expect(AttributeType.decimal.value(from: text) == .decimal(try #require(Decimal(string: text))))
  }

  @Test(arguments: ["", ".", "1.2.3", "1e", "e5", "1,5", "0x1", "--1", "1 ", "NaN", "1e+", "+"])
  func whatIsNoDecimalIsFound(_ text: String) {
    #expect(AttributeType.decimal.value(from: text) == nil)
  }

  @Test("A number beyond the range of a type is none of it")
  func ranges() {
    for text in ["3.4028235e38", "-3.4028235e38", "1e-300", "0"] {
      #expect(AttributeType.float.value(from: text) == Double(text).map(AttributeValue.double))
    }
    for text in ["1e300", "-3.5e38", "1e309"] { #expect(AttributeType.float.value(from: text) == nil) }
    for text in ["1e309", "-1e309"] { #expect(AttributeType.double.value(from: text) == nil) }
    #expect(AttributeType.double.value(from: "1e300") == .double(1e300))
  }

  @Test func aDoubleIsTheDecimalThatItIsWrittenAs() throws {
    for text in ["19.99", "3.133", "-1.005", "1e-20", "1e30"] {
      let number = try #require(Double(text))
      #expect(
        AttributeType.decimal.value(fitting: .double(number))
          == .decimal(try #require(Decimal(string: text))))
    }
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300])
  func whatNoDecimalHoldsFitsNone(_ number: Double) {
    #expect(AttributeType.decimal.value(fitting: .double(number)) == nil)
  }

  @Test(arguments: [
    "2025-01-31x", "2025-01-31 later", "2025-13-01", "2025-01-31T25:00:00Z", "20250131", "yesterday", "",
    "2025-02-30", "2025-02-30 12:34", "2025-01-31T", "2025-01-31 ", "2025-01-31T12", "2025-01-31T12:3",
    "2025-01-31Z", "2025-01-31+01", "2025-01-31T12:34:56Zjunk", "2025-01-31T12:34:56.Z", "2025-01-00",
    "2025-01-31T12:34:56+1", "2025-01-31T12:34:56 +01:0", "2025-01-31x12:34:56Z", "2025-01-31T12:34:56+01 ",
    "2025-01-31  12:34:56Z", "2025-01-31 24:00", "12:34",
    "2025-01-31T12:34:56+99:00", "2025-01-31T12:34:56+14:60", "2025-01-31 12:34:56-15",
    "9999-12-31T23:59:59-05:00", "9999-12-31 12:00-12", "0000-01-01T00:00:00+00:01", "10000-01-01",
  ])
  func whatIsNoDateIsFound(_ text: String) {
    #expect(AttributeType.date.value(from: text) == nil)
  }

  @Test(
    "A date with digits that a Date does not hold is printed without them, and never as the next one",
    arguments: [
      "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999600Z", "2300-01-31T12:34:56.789123Z",
      "1700-01-31T12:34:56.789999Z", "0001-12-31T23:59:59.999999Z", "1700-12-31T23:59:59.000001Z",
    ])
  func farDates(_ text: String) throws {
    let date = try #require(ISODate.date(text))
    #expect(ISODate.exactText(date) == text.dropLast(4) + "Z")
    #expect(ISODate.longText(text) == text)
    #expect(ISODate.longText(text.dropLast() + "+00") == text)
    #expect(AttributeType.date.value(from: text) == nil)
  }

  @Test("Days are counted by one calendar at all times, as SQLite counts them")
  func oldDates() throws {
    for (text, seconds) in [
      ("1500-03-01T00:00:00.000Z", -14_826_672_000.0), ("0800-01-01T00:00:00.000Z", -36_921_657_600),
      ("0000-01-01T00:00:00.000Z", -62_167_219_200), ("1582-10-10T12:00:00.500Z", -12_219_681_599.5),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799.999), ("1969-12-31T23:59:59.999Z", -0.001),
      ("2000-02-29T01:02:03.004Z", 951_786_123.004), ("2025-01-31T12:34:56.789Z", 1_738_326_896.789),
    ] {
      let date = try #require(ISODate.date(text))
      #expect(ISODate.text(date) == text)
      #expect(abs(date.timeIntervalSince1970 - seconds) < 0.0001, "\(text)")
    }
    #expect(ISODate.longText("2025-01-31T12:34:56.123456Z") == nil && ISODate.longText("yesterday") == nil)
    for (text, utc) in [
      ("9999-12-31T23:59:59.999+05:00", "9999-12-31T18:59:59.999Z"),
      ("9999-12-31T18:59:59.999-05:00", "9999-12-31T23:59:59.999Z"),
      ("0000-01-01T01:00:00.000+01:00", "0000-01-01T00:00:00.000Z"),
    ] { #expect(ISODate.date(text).map(ISODate.text) == utc) }
    #expect(ISODate.date("2025-01-31T12:34:56+01:30") == ISODate.date("2025-01-31T11:04:56Z"))
    #expect(ISODate.date("2025-01-31T12:34:56-0130") == ISODate.date("2025-01-31T14:04:56Z"))
  }
}
