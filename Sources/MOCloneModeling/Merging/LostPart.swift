import MOCloneModel

/// The table, the column or the sub-entity that a source has no more, for which a part of a model went:
/// `the column 'size'`, `the column 'tag_id' of the table 'item_tag'`, `the table 'tag'`, `the entity 'Film'`.
struct LostPart {
  /// The sub-entity, whose table others have.
  var entity: String?
  /// Nil where it is the table of the entity that the part was in.
  var table: String?
  /// Nil where the whole table went.
  var column: String?

  init(table: String) { self.table = table }

  init(entity: String) { self.entity = entity }

  /// A column of a table.
  ///
  /// - Parameter home: the table of the entity that the part is in.
  init(column: String, of table: String, seenFrom home: String) {
    self.column = column
    self.table = table.sqlName == home.sqlName ? nil : table
  }

  /// Reads what ``text`` wrote; nil for other reasons.
  init?(_ text: some StringProtocol) {
    guard text.hasSuffix("'") else { return nil }
    if text.hasPrefix(Self.entityStart) {
      entity = String(text.dropFirst(Self.entityStart.count).dropLast())
    } else if text.hasPrefix(Self.tableStart) {
      table = String(text.dropFirst(Self.tableStart.count).dropLast())
    } else if text.hasPrefix(Self.columnStart) {
      let names = text.dropFirst(Self.columnStart.count).dropLast()
      let middle = names.firstRange(of: Self.middle)
      column = String(names[..<(middle?.lowerBound ?? names.endIndex)])
      table = middle.map { String(names[$0.upperBound...]) }
    } else {
      return nil
    }
  }

  private static let entityStart = "the entity '"
  private static let tableStart = "the table '"
  private static let columnStart = "the column '"
  private static let middle = "' of the table '"

  /// The reason in a comment and in the report of an update.
  var text: String {
    if let entity { return Self.entityStart + entity + "'" }
    guard let column else { return Self.tableStart + (table ?? "") + "'" }
    return Self.columnStart + column + (table.map { Self.middle + $0 } ?? "") + "'"
  }

  /// Whether a source has it again.
  ///
  /// - Parameter home: the table of the entity that the part was in.
  func isBack(in shape: SourceShape, home: String?) -> Bool {
    guard entity == nil, let table = table ?? home, shape.has(table) else { return false }
    return column.map { shape.missing(of: [$0], in: table) == nil } ?? true
  }
}
