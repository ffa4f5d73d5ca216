import Foundation
import MOCloneModel
import MOCloneSQL

/// The type of an attribute for a column, with the notation of its values.
struct ColumnType: Equatable {
  var type: AttributeType
  /// Nil where every notation of a text fits, or no value shows one.
  var dates: DateStorage?
  var uuids: UUIDStorage?
  var isJSON = false

  init(_ type: AttributeType, dates: DateStorage? = nil) {
    self.type = type
    self.dates = dates
  }
}

/// Chooses a type by what is declared, by the name, and by the values, all of which it must have.
struct TypeChoice {
  let column: ColumnSchema
  let values: ColumnValues
  /// Whether the declared type lists its values.
  let isEnumeration: Bool
  /// Whether the DEFAULT makes 32 random digits in lower case, of which a UUID has as many.
  private let isMadeCompact: Bool
  private let declared: String
  private let words: NameWords

  init(_ column: ColumnSchema, values: ColumnValues, listed: ListedColumn? = nil) {
    self.column = column
    self.values = values
    isEnumeration = listed?.allowedValues.isEmpty == false
    let standard = listed?.defaultValue?.lowercased().filter { !$0.isWhitespace } ?? ""
    let random = "lower(hex(randomblob(16)))"
    isMadeCompact = [random, "(\(random))"].contains(standard)
    declared = column.type.uppercased()
    words = NameWords(column.name)
  }

  /// Nil where the column holds values of several kinds, or of a kind that no type is right for.
  var type: ColumnType? {
    if let base = column.base { return naturalType(base) }
    return switch values.classes {
    case []: declaredColumn
    case ["integer"]: integers
    case ["real"], ["integer", "real"]: numbers
    case ["text"]: texts
    case ["blob"]: blobs
    default: nil
    }
  }

  // MARK: Without values

  private var declaredColumn: ColumnType {
    var type = ColumnType(isMadeCompact ? .uuid : declaredType)
    if type.type == .uuid, isMadeCompact || isCompact { type.uuids = .compactText }
    return type
  }

  private var declaredType: AttributeType {
    if isBoolean { return .boolean }
    if isDate { return .date }
    if isUUID { return .uuid }
    if let decimal = decimalType { return decimal }
    switch column.affinity {
    case "INTEGER": return integerType
    case "REAL": return .double
    case "BLOB" where !declared.isEmpty: return .binary
    default: return .string
    }
  }

  private func declares(_ words: String...) -> Bool { words.contains(where: declared.contains) }

  private var isBoolean: Bool {
    declares("BOOL") || declared == "BIT" || declared.filter { $0 != " " } == "TINYINT(1)"
  }

  private var isDate: Bool { declares("DATE", "TIMESTAMP") }

  var isUUID: Bool {
    declares("UUID", "GUID", "UNIQUEIDENTIFIER") || words.key.contains { $0 == "uuid" || $0 == "guid" }
  }

  /// Whether there is room for the 32 digits of a UUID without its hyphens.
  private var isCompact: Bool { declared.filter { $0 != " " }.hasSuffix("CHAR(32)") }

  /// The type of a declared fixed-point number; nil where none is declared.
  private var decimalType: AttributeType? {
    guard
      declares("DECIMAL", "NUMERIC", "MONEY", "CURRENCY") || declared.hasPrefix("DEC(")
        || declared.hasPrefix("NUMBER")
    else { return nil }
    let digits = declared.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }.split(separator: ",")
    let isWhole = digits.last.map { $0.filter { $0 != " " } == "0" } == true || digits.count == 1
    return isWhole ? .integer64 : .decimal
  }

  private var integerType: AttributeType {
    let numbers = values.sample.compactMap(\.wholeNumber)
    func fits<Number: FixedWidthInteger>(_ type: Number.Type) -> Bool {
      numbers.allSatisfy { Number(exactly: $0) != nil }
    }
    if declares("SMALLINT", "TINYINT", "INT2", "INT1"), fits(Int16.self) { return .integer16 }
    if declares("MEDIUMINT", "INT4", "INT3"), fits(Int32.self) { return .integer32 }
    return .integer64
  }

  // MARK: Numbers

  private var integers: ColumnType {
    if isBoolean || isNamedAsBoolean, all({ $0 == 0 || $0 == 1 }) { return ColumnType(.boolean) }
    if let date = numericDate { return date }
    return ColumnType(decimalType ?? integerType)
  }

  /// STRICT tables know no BOOLEAN.
  private var isNamedAsBoolean: Bool {
    ["is", "has"].contains(words.key.first) && words.words.count > 1 && !values.sample.isEmpty
      && ["INT", "INTEGER"].contains(declared)
  }

  private var numbers: ColumnType {
    if let date = numericDate { return date }
    return ColumnType(decimalType == .decimal && fit(.decimal) ? .decimal : .double)
  }

  private func all(_ condition: (Double) -> Bool) -> Bool {
    let numbers = values.sample.compactMap { $0.double }
    return numbers.count == values.sample.count && numbers.allSatisfy(condition)
  }

  /// Numbers of this century in a column that is declared or named as a date.
  private var numericDate: ColumnType? {
    guard !values.sample.isEmpty, isDate || isNamedAsDate else { return nil }
    let isFraction = values.classes.contains("real")
    if all({ (1e9..<4.2e9).contains($0) }) { return ColumnType(.date, dates: .unix) }
    if !isFraction, all({ (1e12..<4.2e12).contains($0) }) {
      return ColumnType(.date, dates: .unixMilliseconds)
    }
    let isBirth = words.key.contains { $0.hasPrefix("birth") }
    let isReferenceDate = isFraction && !isBirth && all({ (3e8..<1e9).contains($0) })
    return isReferenceDate ? ColumnType(.date, dates: .referenceDate) : nil
  }

  private var isNamedAsDate: Bool { !Self.dateWords.isDisjoint(with: words.key) }

  private static let dateWords: Set<String> = [
    "at", "on", "date", "datetime", "time", "timestamp", "ts", "created", "updated", "modified", "deleted",
    "expires", "expiry", "expiration", "birthday", "birthdate", "day", "due", "start", "end", "since",
    "until",
    "seen", "changed", "accessed",
  ]

  // MARK: Texts

  private var texts: ColumnType {
    if let uuid = textUUID { return uuid }
    if let date = textDate { return date }
    if decimalType != nil, fit(.decimal) { return ColumnType(.decimal) }
    var type = ColumnType(.string)
    type.isJSON = declares("JSON") || isJSON
    return type
  }

  /// Whether all values are UUIDs without hyphens, in a column that is named, declared or filled as one, or by their digits.
  var isCompactUUID: Bool {
    if values.classes.isEmpty { return isMadeCompact || isUUID && isCompact }
    return isOf32Digits
      && (isUUID || isMadeCompact
        || strings.allSatisfy { text in
          let digits = Array(text)
          return ("1"..."8").contains(digits[12]) && "89abAB".contains(digits[16])
        })
  }

  /// Whether all values have as many digits as a UUID, and nothing else.
  var isOf32Digits: Bool {
    values.classes == ["text"] && !strings.isEmpty
      && strings.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) }
  }

  /// Whether they are in lower case as well, as clones write them, and no digests: those of ten rows would not all have a
  /// UUID's version and variant.
  private var isWrittenCompact: Bool {
    column.base == nil && isCompactUUID && (isUUID || isMadeCompact || strings.count >= 10)
      && strings.allSatisfy { $0 == $0.lowercased() }
  }

  private var strings: [String] { values.sample.compactMap { $0.string } }

  private var isJSON: Bool {
    let strings = strings
    return !strings.isEmpty
      && strings.allSatisfy { text in
        guard let first = text.first(where: { !$0.isWhitespace }), text.count > 1 else { return false }
        guard first == "{" || first == "[" else { return false }
        return text.count >= 100 || text.last { !$0.isWhitespace } == (first == "{" ? "}" : "]")
      }
  }

  /// Nil where a string is no UUID.
  var textUUID: ColumnType? {
    let strings = strings
    var type = ColumnType(.uuid)
    if isWrittenCompact {
      type.uuids = .compactText
      return type
    }
    guard !strings.isEmpty, strings.allSatisfy({ $0.utf8.count == 36 }), fit(.uuid) else { return nil }
    let lower = strings.count { $0 != $0.uppercased() }
    type.uuids = lower * 2 > strings.count ? .lowercaseText : .text
    return type
  }

  /// A day alone is a date only where the column is declared or named as one.
  private var textDate: ColumnType? {
    let strings = strings
    guard !strings.isEmpty, fit(.date) else { return nil }
    let timed = strings.filter { $0.utf8.count > 10 }
    if timed.isEmpty { return isDate || isNamedAsDate ? ColumnType(.date, dates: .day) : nil }
    let isLettered = timed.count { $0.contains("T") } * 2 > timed.count
    // An app compares texts: its own have no fractions, so those that are written to its columns have none.
    let isWhole = timed.allSatisfy { $0.utf8.count == (isLettered ? 20 : 19) && !$0.contains(".") }
    return ColumnType(
      .date,
      dates: isLettered ? (isWhole ? .iso8601Seconds : .iso8601) : isWhole ? .sqliteSeconds : .sqlite)
  }

  private func fit(_ type: AttributeType) -> Bool {
    let coding = ValueCoding(AttributeColumn(column: column.name, type: type, uuids: .text))
    return values.sample.allSatisfy { coding.decode($0) != nil }
  }

  // MARK: Bytes

  /// Sixteen bytes are a UUID where the name says so, or all of them have a UUID's version and variant.
  private var blobs: ColumnType {
    let all = values.sample.compactMap { $0.bytes }
    guard !all.isEmpty, all.allSatisfy({ $0.count == 16 }), isUUID || all.allSatisfy(Self.isVersioned) else {
      return ColumnType(.binary)
    }
    var type = ColumnType(.uuid)
    type.uuids = .blob
    return type
  }

  private static func isVersioned(_ bytes: Data) -> Bool {
    let bytes = Array(bytes)
    return (1...8).contains(bytes[6] >> 4) && bytes[8] >> 6 == 2
  }
}
