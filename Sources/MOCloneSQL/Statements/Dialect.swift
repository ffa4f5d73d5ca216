import Foundation
import MOCloneModel

/// How a database spells SQL: renderers ask it while they write, so that no code has to look into written text afterwards.
///
/// It is one reference, because the plan of every table holds it, and every renderer such plans.
@dynamicMemberLookup
package final class Dialect: Sendable {
  package let spelling: SQLSpelling

  package init(_ spelling: SQLSpelling) {
    self.spelling = spelling
  }

  package subscript<Part>(dynamicMember part: KeyPath<SQLSpelling, Part>) -> Part { spelling[keyPath: part] }

  /// The same where what would be temporary tables are queries of the statement.
  var inQueries: Dialect {
    var spelling = spelling
    spelling.schemas.temporary = ""
    return Dialect(spelling)
  }
}

extension Dialect: Equatable {
  package static func == (a: Dialect, b: Dialect) -> Bool { a === b || a.id == b.id }
}

extension Dialect {
  package func name(_ name: String) -> String {
    let (open, close) = self.quotes
    return open + (name.contains(close) ? name.replacing(close, with: close + close) : name) + close
  }

  package func column(_ alias: String, _ column: String) -> String { alias + "." + name(column) }

  package func columns(_ alias: String, _ columns: [String]) -> [String] {
    columns.map { column(alias, $0) }
  }

  /// A table of the store.
  package func table(_ table: String) -> String { self.schemas.store + newTable(table) }

  /// A table of the store in the statements that make it: with the name of its schema, where the database has schemas.
  package func newTable(_ table: String) -> String {
    guard self.hasTypes, let dot = table.firstIndex(of: ".") else { return name(table) }
    return name(String(table[..<dot])) + "." + name(String(table[table.index(after: dot)...]))
  }

  /// A table of the store that rows come from.
  package func source(_ table: String) -> String { self.schemas.source + name(table) }

  package func temporary(_ table: String) -> String { self.schemas.temporary + name(table) }

  package func parameter(_ name: String) -> String { self.parameterSign + name }

  package func text(_ text: String) -> String {
    // SQLite takes the text of a statement for ended there; others hold no such text.
    if text.utf8.contains(0) {
      return "(CAST(X'" + text.utf8.map { String(format: "%02X", $0) }.joined() + "' AS TEXT))"
    }
    return "'" + text.replacing("'", with: "''") + "'"
  }

  /// A value of an attribute as its column holds it.
  package func value(_ value: AttributeValue, as column: AttributeColumn) -> String {
    self.literal(StorageForm(column).stored(value))
  }

  /// The definition of a column of a temporary table that holds what another column does, and compares as that does.
  package func definition(_ name: String, as column: ColumnSchema) -> String {
    self.collate("\(name) \(self.columnType(column))", column.collation)
  }

  /// The same where a database without types needs none, and gives values their own.
  package func plainDefinition(_ name: String, as column: ColumnSchema) -> String {
    self.hasTypes ? definition(name, as: column) : name
  }

  /// Whether two values of a column differ, also where the column takes them for equal, as its collation may.
  ///
  /// - Parameter column: nil for a column that no attribute is mapped to, and for a reference.
  package func differentBytes(_ a: String, b: String, column: AttributeColumn?) -> Condition {
    guard self.hasTypes else { return .sql(different(a, b).text + self.byBytes) }
    switch column?.type {
    // Some types, as json, cannot be compared.
    case .string, .uri, .transformable, nil:
      return different(cast(a, "text") + self.byBytes, cast(b, "text") + self.byBytes)
    default: return different(a, b)
    }
  }

  /// A value of a column that sorts and compares by its bytes.
  package func bytewise(_ value: String, column: ColumnSchema) -> String {
    if self.hasTypes {
      // Some types, as json, do not sort, and others, as enums, have an order of their own.
      return column.isNumeric ? value : "CAST(\(value) AS text)\(self.byBytes)"
    }
    return column.affinity == "TEXT" || column.collation != "BINARY" ? value + self.byBytes : value
  }

  /// The least value of a column among the rows of a group.
  package func least(_ value: String, column: ColumnSchema) -> String {
    "min(\(self.hasTypes ? bytewise(value, column: column) : value))"
  }

  /// Whether a text is empty; some types, as enums, have no empty value that it could be compared with.
  package func isEmpty(text: String) -> Condition { .sql("\(cast(text, "text")) = ''") }

  /// The number of a row among those that share some values.
  package func number(within group: [String], by order: [String]) -> String {
    "row_number() OVER (\(partition(by: group))ORDER BY \(order.list))"
  }

  /// The start of a window over the rows of one group; nothing where all rows are one.
  func partition(by group: [String]) -> String { group.isEmpty ? "" : "PARTITION BY \(group.list) " }

  /// What sorts the members of a list by their positions, those without one first, whatever the database.
  ///
  /// - Parameter column: what holds the positions; nil where nobody has looked.
  package func sorting(position: String, in column: ColumnSchema? = nil) -> String {
    self.hasTypes && column?.isRequired != true ? position + " NULLS FIRST" : position
  }

  /// A value as one of a type; in a database without types the value itself.
  package func cast(_ value: String, _ type: String?) -> String {
    guard self.hasTypes, let type, !type.isEmpty else { return value }
    return "CAST(\(value) AS \(type))"
  }

  /// A value as one of a column's type, as long as it is not written there.
  package func cast(_ value: String, as column: ColumnSchema?) -> String { cast(value, column?.plainType) }

  /// The statement that makes an index of a temporary table where it is not there yet.
  package func temporaryIndex(
    _ name: String, on table: String, columns: [String], isUnique: Bool = false
  ) -> String {
    let (index, rows) =
      self.qualifiesIndexes ? (temporary(name), self.name(table)) : (self.name(name), temporary(table))
    return "CREATE \(isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(index) ON \(rows)(\(columns.list))"
  }

  package func same(_ a: String, _ b: String) -> Condition { .sql("\(a) \(self.comparisons.same) \(b)") }

  package func different(_ a: String, _ b: String) -> Condition {
    .sql("\(a) \(self.comparisons.different) \(b)")
  }

  /// The greatest position in a list; `e` are the list's rows.
  ///
  /// - Parameter empty: what stands for it in an empty list.
  package func end(
    of column: String, in table: String, empty: Int = 0, where condition: Condition
  ) -> String {
    let last = "coalesce(max(\(self.column("e", column))), \(empty))"
    let rows = Select([last], from: From(self.table(table) + " e"))
    return "(\(rows.where(condition).text(self)))"
  }

  /// The statement that makes an index.
  ///
  /// - Parameter isTaken: whether the database has something of that name already.
  package func createIndex(
    on table: String, _ columns: [String], isTaken: (String) -> Bool = { _ in false }
  ) -> String {
    // An index is in the schema of its table.
    let title = self.hasTypes ? table.split(separator: ".").last.map(String.init) ?? table : table
    let plain = "\(title)_on_" + columns.joined(separator: "_")
    var name = plain
    var next = 2
    while isTaken(name) {
      name = "\(plain)_\(next)"
      next += 1
    }
    return "CREATE INDEX \(self.name(name)) ON \(newTable(table)) (\(columns.map(self.name).list))"
  }
}

extension [String] {
  /// The items of a list in SQL.
  package var list: String { joined(separator: ", ") }
}
