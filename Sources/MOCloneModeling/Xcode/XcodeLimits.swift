import Foundation
import MOCloneModel

/// The default and the limits of an attribute: Xcode writes all of them as strings, and dates also as seconds since 2001.
///
/// What a model file cannot say as exactly stays unread, and is kept.
struct XcodeLimits {
  private let element: XcodeElement
  private let type: AttributeType?
  private(set) var omissions: [String] = []

  init(_ element: XcodeElement, type: AttributeType?) {
    self.element = element
    self.type = type
  }

  mutating func add(to map: inout SyntaxMap, _ read: inout Set<String>) {
    if let value = defaultValue(&read) { map.add("default", value) }
    add("min", "minValueString", to: &map, &read)
    add("max", "maxValueString", to: &map, &read)
    addPattern(to: &map, &read)
  }

  // MARK: Defaults

  private mutating func defaultValue(_ read: inout Set<String>) -> XcodeElement.Attribute? {
    guard let type else { return element.attribute("defaultValueString") }
    switch type {
    case .date: return defaultDate(&read)
    case .binary, .transformable: return nil
    case .string, .uri:
      read.insert("defaultValueString")
      return element.attribute("defaultValueString")
    case .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal, .uuid:
      read.insert("defaultValueString")
      guard var value = element.attribute("defaultValueString"), !value.value.isEmpty else { return nil }
      if type.isInteger, let whole = Double(value.value).flatMap(Int64.init(exactly:)),
        Int64(value.value) == nil
      {
        value.value = String(whole)
      }
      return value
    }
  }

  /// The seconds, which say what the string says for people; the string where it stands alone.
  private mutating func defaultDate(_ read: inout Set<String>) -> XcodeElement.Attribute? {
    if var interval = element.attribute("defaultDateTimeInterval"), let seconds = Double(interval.value) {
      let text = ISODate.exactText(Date(timeIntervalSinceReferenceDate: seconds))
      if ISODate.date(text)?.timeIntervalSinceReferenceDate == seconds {
        read.insert("defaultDateTimeInterval")
      }
      interval.value = text
      return interval
    }
    guard var value = element.attribute("defaultValueString"), !value.value.isEmpty else { return nil }
    guard let text = Self.isoDate(value.value) else {
      omissions.append("the default '\(value.value)', which only Xcode can read as a date,")
      return nil
    }
    read.insert("defaultValueString")
    value.value = text
    return value
  }

  /// `2013-04-23 12:00:00 +0000`, as Xcode writes dates, with or without seconds and zone.
  private static func isoDate(_ text: String) -> String? {
    let parts = text.split(separator: " ").map(String.init)
    guard (1...3).contains(parts.count) else { return nil }
    let time = parts.count > 1 ? (parts[1].count == 5 ? parts[1] + ":00" : parts[1]) : "00:00:00"
    let iso = "\(parts[0])T\(time)\(parts.count > 2 ? parts[2] : "Z")"
    return ISODate.date(iso).map(ISODate.exactText)
  }

  // MARK: Limits

  /// A limit that is held as it is written; a String's is a length.
  private mutating func add(
    _ key: String, _ name: String, to map: inout SyntaxMap, _ read: inout Set<String>
  ) {
    let dateName = name.replacing("ValueString", with: "DateTimeInterval")
    if element.attribute(dateName) != nil { omissions.append("the \(key) of dates, which is not checked,") }
    guard let limit = element.attribute(name), let type, Self.limited.contains(type),
      let number = ValueLimit(limit.value)
    else { return }
    if Decimal(string: limit.value) == Decimal(string: "\(number)") { read.insert(name) }
    map.add(key, limit)
  }

  static let limited: Set<AttributeType> = [
    .string, .integer16, .integer32, .integer64, .double, .float, .decimal,
  ]

  /// Core Data matches by ICU; what Swift's regular expressions do not know cannot be checked.
  private mutating func addPattern(to map: inout SyntaxMap, _ read: inout Set<String>) {
    guard let pattern = element.attribute("regularExpressionString"), type == .string, !pattern.value.isEmpty
    else { return }
    guard pattern.value.utf8.count <= ModelLimits.pattern, (try? TextPattern(pattern.value)) != nil else {
      omissions.append("the pattern, which is not checked because Swift cannot read it,")
      return
    }
    read.insert("regularExpressionString")
    map.add("pattern", pattern)
  }
}
