import Foundation
import MOCloneEngine
import MOCloneModel

/// How strings of a file are read.
struct TextRules {
  /// Whether blanks at the ends of strings are left out.
  var trims = false
  /// The text that means null.
  var null: String?
  /// Whether the file is a table, which has a cell for every row: an empty one says nothing.
  var isTable = false
  /// Whether values other than strings may stand between blanks, as elements of XML do.
  var isLoose = false

  /// The date that the run gives where a row leaves it out.
  var modified: String?

  init() {}

  init(trims: Bool, null: String?, format: FileFormat, modified: String) {
    self.modified = modified
    self.trims = trims
    self.null = null
    isTable = format == .csv || format == .tsv
    isLoose = format == .xml
  }
}

extension Field {
  /// The same without blanks at its ends.
  fileprivate var trimmed: Field {
    var bytes = bytes[...]
    while let last = bytes.last, last.isBlank { bytes.removeLast() }
    while let first = bytes.first, first.isBlank { bytes.removeFirst() }
    var field = self
    field.start = bytes.isEmpty ? start : start?.advanced(by: bytes.startIndex)
    field.count = bytes.count
    return field
  }
}

/// Reads the values of one attribute from rows, or gives every row the same.
final class ValueReader {
  let attribute: AttributeDescription
  let entity: String
  /// What the value is called in the file.
  let source: String
  /// The same without its sign.
  var name: String { String(source.dropFirst()) }
  /// Whether objects are found by the value, so that a default is as good as a given one.
  private let identifies: Bool
  /// What every row gets; nil where it is read from the rows.
  let constant: StagedValue?
  /// The place of the attribute among the values of the entity, and of the value in the row.
  let place: Int
  let field: Int
  /// Whether the row under way leaves out what a new object must have.
  private(set) var isLeftOut = false
  private let isLimited: Bool
  private let trims: Bool
  /// Whether an empty text is a value: a string, or bytes, of which none identify nothing.
  private let canBeEmpty: Bool
  private let isTable: Bool
  private let isDateOfChange: Bool
  private let null: [UInt8]?
  private let type: AttributeType

  init(
    _ attribute: AttributeDescription, entity: String, source: ImportMapping.Source, place: Int,
    field: Int, identifies: Bool, texts: TextRules = TextRules()
  ) throws {
    null = texts.null.map { Array($0.utf8) }
    isTable = texts.isTable
    isDateOfChange = attribute.type == .date && attribute.name == texts.modified
    let isText = attribute.type == .string || attribute.type == .uri
    let isBytes = attribute.type == .binary || attribute.type == .transformable
    trims = texts.trims || (texts.isLoose && !isText)
    canBeEmpty = isText || isBytes && !identifies
    self.place = place
    self.field = field
    self.attribute = attribute
    self.entity = entity
    self.identifies = identifies
    type = attribute.type
    isLimited = attribute.minimum != nil || attribute.maximum != nil || attribute.pattern != nil
    switch source {
    case .field(let name):
      self.source = "@" + name
      constant = nil
    case .constant(let text):
      self.source = text ?? "null"
      let value = text.flatMap { attribute.type.value(from: $0) } ?? .null
      constant = Self.staged(try attribute.checked(value, for: entity))
    }
  }

  private static func staged(_ value: AttributeValue) -> StagedValue {
    switch value {
    case .null: .null
    case .bool(let isTrue): .integer(isTrue ? 1 : 0)
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    default: .value(value)
    }
  }

  /// Reads what is no constant.
  func read(_ field: Field, of record: Record) throws(RowFault) -> StagedValue {
    isLeftOut = false
    guard field.kind != .absent else { return try nothing(isAbsent: true, at: record.place) }
    let field = trims && field.kind == .text ? field.trimmed : field
    if let null, field.kind == .text, field.bytes.elementsEqual(null) {
      return try nothing(isAbsent: false, isNull: true, at: field.place)
    }
    if field.kind == .null || (field.count == 0 && !canBeEmpty) {
      // An empty text is no null: where there is a default it says nothing.
      let isDefault = field.kind != .null && !attribute.isOptional && attribute.defaultValue != nil
      return try nothing(
        isAbsent: isTable || isDefault, isNull: field.kind == .null, at: field.place)
    }
    guard let value = value(field) else { throw unfit(field) }
    return isLimited ? try limited(value, field: field) : value
  }

  /// Where the row says nothing the default stands; a null that it gives is what the value is to be.
  private func nothing(
    isAbsent: Bool, isNull: Bool = false, at place: Place
  ) throws(RowFault) -> StagedValue {
    if attribute.isOptional, !isAbsent { return .null }
    // An empty cell is no key, whatever the default is.
    if identifies, isTable, attribute.isOptional { return .absent }
    if isAbsent {
      if let value = attribute.defaultValue { return identifies ? Self.staged(value) : .absent }
      // Without a key there is no object, which is said of the row as a whole.
      isLeftOut = !attribute.isOptional && !identifies && !isDateOfChange
      return .absent
    }
    if identifies { return .null }
    throw RowFault(
      "'\(attribute.name)' of \(entity) is required, but '\(source)' is \(isNull ? "null" : "empty")",
      help: "expected \(attribute.type.rawValue.withArticle)",
      at: place)
  }

  // MARK: Types

  /// Nil where the value is none of the attribute's type.
  private func value(_ field: Field) -> StagedValue? {
    let isLiteral = field.kind == .literal
    switch type {
    case .string, .uri: return isLiteral ? nil : .text(field.bytes)
    case .integer16:
      return Self.integer(field.bytes, range: Int64(Int16.min)...Int64(Int16.max)).map(StagedValue.integer)
    case .integer32:
      return Self.integer(field.bytes, range: Int64(Int32.min)...Int64(Int32.max)).map(StagedValue.integer)
    case .integer64: return Self.integer(field.bytes, range: .min ... .max).map(StagedValue.integer)
    case .double, .float:
      guard case .double(let number) = type.value(from: field.string), number.isFinite else { return nil }
      return .double(number)
    case .boolean, .decimal: return attribute.type.value(from: field.string).map(Self.staged)
    case .date where !isLiteral:
      let text = field.string
      return type.value(from: text).map(Self.staged) ?? ISODate.longText(text).map(StagedValue.longDate)
    case .date, .uuid, .binary, .transformable:
      return isLiteral ? nil : attribute.type.value(from: field.string).map(Self.staged)
    }
  }

  /// Digits with a sign.
  private static func integer(_ bytes: UnsafeBufferPointer<UInt8>, range: ClosedRange<Int64>) -> Int64? {
    var i = 0
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { i = 1 }
    guard i < bytes.count else { return nil }
    var number: Int64 = 0
    while i < bytes.count {
      let digit = Int64(bytes[i]) - 0x30
      guard digit >= 0, digit <= 9 else { return nil }
      let (shifted, overflows) = number.multipliedReportingOverflow(by: 10)
      let (next, overflowsToo) = shifted.addingReportingOverflow(isNegative ? -digit : digit)
      if overflows || overflowsToo { return nil }
      number = next
      i += 1
    }
    return range.contains(number) ? number : nil
  }

  // MARK: Limits

  private func limited(_ value: StagedValue, field: Field) throws(RowFault) -> StagedValue {
    do {
      _ = try attribute.checked(value.attributeValue(of: attribute.type) ?? .null, for: entity)
    } catch let error as CloneError {
      throw RowFault(error.failures[0].problem, help: error.failures[0].help, at: field.place)
    } catch {
      throw RowFault("\(error)", at: field.place)
    }
    return value
  }

  private func unfit(_ field: Field) -> RowFault {
    let found = field.string
    let shown = found.count > 40 ? found.prefix(40) + "…" : found[...]
    let text = field.kind == .literal ? "\(shown)" : "'\(shown)'"
    return RowFault(
      "\(text) in '\(source)' is not a valid \(attribute.type.rawValue) for '\(attribute.name)' of \(entity)",
      help: attribute.type.expected, at: field.place)
  }
}

extension RowFault: Error {}
