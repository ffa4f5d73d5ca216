import Foundation
import MOCloneKit

/// A kind of attribute, how programs declare its column, and what they write there.
struct ForeignValue {
  var name: String
  var type: String
  var declared: [String]
  /// Notations of equal values, several values.
  var values: [[String]]
  /// What no identity has: notations that are not values of the type.
  var odd: [String] = []
  /// Declarations that keep the notations what they are, so that they can identify.
  var canIdentify = true
  /// Whether dates have more digits than milliseconds.
  var isLong = false

  static func all(_ dates: DateStorage, areLong: Bool) -> [ForeignValue] {
    [
      title, areLong && canBeLong(dates) ? longOpened : opened(dates), price, code, number, flag, amount,
      data,
    ]
  }

  static func canBeLong(_ dates: DateStorage) -> Bool { [.iso8601, .sqlite].contains(dates) }

  private static let title = ForeignValue(
    name: "title", type: "String", declared: ["TEXT", "TEXT COLLATE NOCASE", "VARCHAR(9)", ""],
    values: [
      ["'Abc'", "'abc'", "'ABC'"], ["'1.0'"], ["' x '"], ["'é😀'"], ["'Zeta'"], ["'a b'", "'A B'"], ["'q'"],
    ],
    odd: ["CAST(x'41FF42C3' AS TEXT)", "'a' || char(0) || 'b'", "12", "''"])

  private static func opened(_ dates: DateStorage) -> ForeignValue {
    if dates == .day { return days }
    let isText = dates != .unix
    let texts = (1...7).map { day in
      let date = "2024-01-0\(day)"
      return day % 2 == 0
        ? [
          "'\(date)T12:34:56.789Z'", "'\(date) 12:34:56.789'", "'\(date)T14:34:56.789+02:00'",
          "'\(date) 12:34:56.789 +00:00'", "'\(date) 14:34:56.789+02'",
        ]
        : [
          "'\(date)T12:34:56Z'", "'\(date) 12:34:56'", "'\(date)T12:34:56.000Z'", "'\(date)T11:34:56-01:00'",
          "'\(date) 11:04:56 -0130'", "'\(date) 10:34:56-02'",
        ]
    }
    let numbers = (1...7).map { $0 % 2 == 0 ? ["170670449\($0).5"] : ["170670449\($0)", "170670449\($0).0"] }
    return ForeignValue(
      name: "opened", type: "Date",
      declared: isText ? ["TEXT", "DATETIME", ""] : ["REAL", "", "DATETIME", "INTEGER"],
      values: isText ? texts : numbers, odd: ["'soon'", "x'00'"])
  }

  private static let days = ForeignValue(
    name: "opened", type: "Date", declared: ["TEXT", "DATE", ""],
    values: (1...7).map { day in
      let date = "2024-01-0\(day)"
      return ["'\(date)'", "'\(date)T00:00:00Z'", "'\(date) 00:00'", "'\(date) 02:00:00.000+02'"]
    }, odd: ["'soon'", "x'00'"])

  /// Some of one day are less than a millisecond apart.
  private static let longFractions = [".7895", ".789", ".7905", ".79", ".790001", ".999999", ".000001"]

  private static let longOpened = ForeignValue(
    name: "opened", type: "Date", declared: ["TEXT", "DATETIME", ""],
    values: longFractions.map { fraction in
      [
        "'2024-01-01T12:34:56\(fraction)Z'", "'2024-01-01 12:34:56\(fraction)'",
        "'2024-01-01T14:34:56\(fraction)00+02:00'", "'2024-01-01 14:34:56\(fraction)+0200'",
      ]
    }, odd: ["'soon'", "x'00'"], isLong: true)

  private static let price = ForeignValue(
    name: "price", type: "Decimal", declared: ["TEXT", "DECIMAL(10,2)", "REAL", ""],
    values: [
      ["'1.50'", "'1.5'", "'001.5'", "1.5"], ["'2'", "'2.00'", "2", "2.0"], ["'0.1'", "'0.10'", "0.1"],
      ["'1000'", "1000", "'1000.0'"], ["'-7.25'", "-7.25"], ["'12345678901234567890.50'"],
      ["0.30000000000000004"],
    ], odd: ["'free'", "x'01'"])

  private static let code = ForeignValue(
    name: "code", type: "UUID", declared: ["TEXT", "BLOB", "", "TEXT COLLATE NOCASE"],
    values: (1...7).map { number in
      [
        "'A0000000-0000-4000-8000-00000000000\(number)'", "'a0000000-0000-4000-8000-00000000000\(number)'",
        "x'A000000000004000800000000000000\(number)'",
      ]
    }, odd: ["7", "'A000000000004000800000000000000B'", "x'A0'"])

  private static let number = ForeignValue(
    name: "number", type: "Integer 64", declared: ["INTEGER", "", "BIGINT", "REAL"],
    values: [["9007199254740993"], ["-1", "-1.0"], ["7", "7.0"], ["0"], ["8"], ["9"], ["10", "10.0"]],
    odd: ["'seven'", "1.5"])

  private static let flag = ForeignValue(
    name: "flag", type: "Boolean", declared: ["INTEGER", "BOOLEAN", "TEXT", ""],
    values: [["1", "2"], ["0"]], odd: ["'true'", "'1'"], canIdentify: false)

  private static let amount = ForeignValue(
    name: "amount", type: "Double", declared: ["REAL", "", "NUMERIC", "TEXT"],
    values: [["1e308"], ["-0.0"], ["0.1"], ["3"], ["9e999"]], odd: ["'0.30'", "'x'"], canIdentify: false)

  private static let data = ForeignValue(
    name: "data", type: "Binary", declared: ["BLOB", "", "TEXT"],
    values: [["x''"], ["x'00FF'"], ["zeroblob(9)"]],
    odd: ["'text'"], canIdentify: false)
}

extension ForeignValue {
  /// Values as code and files give them, several of which the stores have in notations of their own.
  var given: [AttributeValue] {
    switch name {
    case "title": ["Abc", "abc", "1.0", " x ", "é😀", "Zeta", "new", "A b"]
    case "opened" where isLong:
      Self.longFractions.map { .date(Date(timeIntervalSinceReferenceDate: 725_805_296 + Double($0)!)) }
    case "opened" where declared.contains("DATE"):
      (0..<7).map { .date(Date(timeIntervalSince1970: 1_704_067_200 + Double($0) * 86_400)) }
    case "opened": (1...7).map { .date(Self.date(of: $0, isText: values[0][0].hasPrefix("'"))) }
    case "price": ["1.5", "2", "0.1", "1000", "-7.25", "3.75"].map { .decimal(Decimal(string: $0)!) }
    case "code":
      (1...8).map { .uuid(UUID(uuidString: "A0000000-0000-4000-8000-00000000000\($0)")!) }
    case "number": [-1, 7, 0, 8, 9, 10, 11]
    case "flag": [true, false]
    case "amount": [0.1, 3.5, -2.25]
    default: [.binary(Data([0, 255])), .binary(Data([7]))]
    }
  }

  private static func date(of day: Int, isText: Bool) -> Date {
    let isOdd = day % 2 == 1
    let seconds = isText ? 1_704_112_496 + Double(day - 1) * 86_400 : 1_706_704_490 + Double(day)
    return Date(timeIntervalSince1970: seconds + (isOdd ? 0 : isText ? 0.789 : 0.5))
  }
}
