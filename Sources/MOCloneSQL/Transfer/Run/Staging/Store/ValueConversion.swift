import MOCloneEngine
import MOCloneModel

/// How the values of a column of one store are written in another store of the model, whose columns may have other forms.
enum ValueConversion: Equatable {
  case attribute(from: ValueCoding, to: ValueCoding)
  /// A value that both stores write in one form, which keeps the notation that it has there.
  case notation(of: ValueCoding)
  /// A part of the key that no property of the model names.
  case key(from: KeyPartCoding, to: KeyPartCoding)
  /// What marks a row's entity.
  case mark
  /// What stands as it is: a position, or a column that the model does not name.
  case plain

  /// - Returns: nil where the value needs a second look: it is none of the type, or has no counterpart.
  func converted(_ value: StoredValue) -> StoredValue? {
    if case .null = value { return .null }
    // A database without types makes null of it; one with types stores no U+0000.
    if case .real(let number) = value, number.isNaN, !isTyped { return nil }
    if isTyped, value.hasZero { return nil }
    switch self {
    case .plain: return value
    case .mark: return .text(AttributeValue(raw: value).description)
    case .attribute(let from, let to):
      if let same = from.unchanged(value, in: to) { return same }
      return from.decode(value).map { to.encode($0) }
    case .notation(let coding):
      return coding.decode(value).map { read in
        switch value {
        case .text, .blob: value
        case .null, .integer, .real: coding.encode(read)
        }
      }
    case .key(let from, let to):
      // Of a number a UUID is made.
      if case .integer = value { return from.isUUID ? nil : value }
      return to.encode(from.decode(value))
    }
  }
}

extension ValueConversion {
  /// Whether the values come into a database with types.
  private var isTyped: Bool {
    switch self {
    case .attribute(_, let to): to.form == .typed
    case .notation: false
    case .key, .mark, .plain: true
    }
  }
}

extension ValueCoding {
  /// A value that stands the same way in another form of the type; nil where it has to be read.
  fileprivate func unchanged(_ value: StoredValue, in form: ValueCoding) -> StoredValue? {
    switch (type, value) {
    case (.string, .text), (.uri, .text): value
    case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer): value
    case (.double, .real), (.float, .real): value
    case (.boolean, .integer(let number)) where number == 0 || number == 1: value
    case (.uuid, .text(let text)) where self.form == .typed && form.form == .typed:
      Self.uuid(text, coding: form).map { _ in value }
    case (.uuid, .text(let text)): Self.uuid(text, coding: form)
    case (.date, .text(let text)) where self.form == .typed && form.form != .typed:
      Self.date(text, form: form.form)
    case (.date, .text(let text)) where form.form == .typed && self.form != .typed: Self.moment(text)
    // Not read: a `Date` or a `Decimal` could not hold each of them. The column can be a text.
    case (.date, .text(let text)) where self.form == .typed: Self.date(text, form: .date(.iso8601)) ?? value
    case (.decimal, .text) where self.form == .typed && form.form == .typed: value
    default: nil
    }
  }

  /// The text of a date as a server writes it, `2025-01-31 12:34:56.789+00`, in another written form; nil where it is
  /// another text, such as a day or a year before Christ.
  private static func date(_ text: String, form: StorageForm) -> StoredValue? {
    let (day, end): (UInt8, [UInt8])
    switch form {
    case .date(.iso8601), .date(.iso8601Seconds): (day, end) = (UInt8(ascii: "T"), [UInt8(ascii: "Z")])
    case .date(.sqlite), .date(.sqliteSeconds): (day, end) = (UInt8(ascii: " "), [])
    default: return nil
    }
    var bytes = Array(text.utf8)
    if bytes.suffix(3).elementsEqual("+00".utf8) { bytes.removeLast(3) }
    let digits = max(bytes.count - 20, 0)
    guard bytes.count == 19 || (1...6).contains(digits) else { return nil }
    let fits = zip(bytes, "0000-00-00 00:00:00.000000".utf8).allSatisfy {
      $1 == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) : $0 == $1
    }
    guard fits else { return nil }
    bytes[10] = day
    if digits == 0, [.date(.iso8601Seconds), .date(.sqliteSeconds)].contains(form) {
      return .text(String(decoding: bytes + end, as: UTF8.self))
    }
    // Milliseconds, or microseconds where there are some.
    if digits == 0 { bytes.append(UInt8(ascii: ".")) }
    bytes += Array(repeating: UInt8(ascii: "0"), count: (digits > 3 ? 6 : 3) - digits)
    return .text(String(decoding: bytes + end, as: UTF8.self))
  }

  /// A date in UTC as one for a server, to the last digit, which a `Date` has not at all times; nil where it is written in
  /// another way.
  private static func moment(_ text: String) -> StoredValue? {
    let time = text.hasSuffix("Z") ? text.dropLast() : text[...]
    let digits = max(time.utf8.count - 20, 0)
    guard time.utf8.count == 19 || (1...6).contains(digits), !time.hasPrefix("0000"),
      time.dropFirst(16).first == ":", digits == 0 || time.dropFirst(19).first == ".",
      time.dropFirst(20).allSatisfy(\.isNumber), ISODate.date(text) != nil
    else { return nil }
    let zeros = String(repeating: "0", count: (digits > 3 ? 6 : 3) - digits)
    return .text(time.prefix(10) + "T" + time.dropFirst(11) + (digits == 0 ? "." : "") + zeros + "Z")
  }

  /// The text of a UUID in the letters of another form.
  private static func uuid(_ text: String, coding: ValueCoding) -> StoredValue? {
    let isLower: Bool
    switch coding.form {
    case .uuid(.text): isLower = false
    case .uuid(.lowercaseText), .typed: isLower = true
    default: return nil
    }
    guard text.utf8.count == 36 else { return nil }
    var isUUID = true
    let letters = String(unsafeUninitializedCapacity: 36) { buffer in
      for (place, byte) in text.utf8.enumerated() {
        buffer[place] = byte
        switch byte {
        case UInt8(ascii: "-"): isUUID = isUUID && [8, 13, 18, 23].contains(place)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): break
        case UInt8(ascii: "a")...UInt8(ascii: "f"): if !isLower { buffer[place] = byte & 0xDF }
        case UInt8(ascii: "A")...UInt8(ascii: "F"): if isLower { buffer[place] = byte | 0x20 }
        default: isUUID = false
        }
        if byte != UInt8(ascii: "-"), place == 8 || place == 13 || place == 18 || place == 23 {
          isUUID = false
        }
      }
      return 36
    }
    return isUUID ? .text(letters) : nil
  }
}

/// How one part of a key is written.
final class KeyPartCoding: Equatable {
  private let coding: KeyCoding
  private let part: Int
  let isUUID: Bool

  init(_ map: EntityMapping, part: Int) {
    coding = KeyCoding(entity: map)
    self.part = part
    isUUID = if case .uuid = map.key[part].source { true } else { false }
  }

  func decode(_ value: StoredValue) -> AttributeValue { coding.decode(value, part: part) }
  func encode(_ value: AttributeValue) -> StoredValue { coding.encode(value, part: part) }

  static func == (a: KeyPartCoding, b: KeyPartCoding) -> Bool {
    a.part == b.part && a.coding.entity.key == b.coding.entity.key
      && a.coding.entity.attributes == b.coding.entity.attributes
  }
}
