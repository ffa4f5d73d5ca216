import MOCloneModel
import MOCloneSQL

/// What people should know of columns.
extension ModelAssembly {
  /// The columns of a table that the model does not name, and what becomes of them.
  func unnamedColumns(of table: DatabaseTable) -> [String] {
    let unnamed = table.schema.columns.filter {
      isAttribute($0.name, of: table) && type(of: $0, in: table) == nil && !$0.isGenerated
    }
    let counted = unnamed.filter { $0.sequence != nil }
    let others = unnamed.filter { $0.sequence == nil }
    func isUnique(_ column: ColumnSchema) -> Bool {
      table.schema.uniqueColumns.contains { $0.names == [column.name.sqlName] }
    }
    let reason =
      shape.contents.schema.dialect.hasTypes
      ? "since a model has no such types" : "since rows hold values of several kinds there"
    return Self.sentence(
      "Not named here, \(reason), and clones copy them as they are", columns: others.filter { !isUnique($0) })
      + Self.sentence(
        "Not named here, \(reason), and unique, so a clone of a row that has such a value is refused",
        columns: others.filter(isUnique))
      + Self.sentence(
        "Not named here, since a sequence counts them, and clones get the next numbers", columns: counted)
  }

  /// The columns of dates without values: SQLite declares no notation of dates, and one that is guessed wrong is read wrong.
  func unseenDates(of table: DatabaseTable) -> [String] {
    guard !shape.contents.schema.dialect.hasTypes else { return [] }
    let unseen = table.schema.columns.filter {
      isAttribute($0.name, of: table) && type(of: $0, in: table) == ColumnType(.date)
    }
    return Self.sentence(
      "No value shows how dates are written here, so look whether 'storage: \(store.dates.rawValue)' is right for",
      columns: unseen)
  }

  private static func sentence(_ text: String, columns: [ColumnSchema]) -> [String] {
    let list = columns.map { $0.base == nil ? "'\($0.name)'" : "'\($0.name)' (\($0.type))" }
    return list.isEmpty ? [] : ["\(text): \(list.joined(separator: ", "))."]
  }
}

extension ListedTable {
  /// The comments, as a model file can have them.
  var remarks: [String] { comments.map(\.withoutDirectives) }
}

extension ListedColumn {
  /// The comment, and the values of an enum.
  var remarks: [String] {
    let values = allowedValues.map { "'\($0)'" }.joined(separator: ", ")
    return [comment, allowedValues.isEmpty ? nil : "One of \(values)."].compactMap { $0?.withoutDirectives }
  }
}

extension String {
  /// A comment of a database is for people, and allows no findings.
  fileprivate var withoutDirectives: String { replacing("moclone:", with: "moclone ") }
}
