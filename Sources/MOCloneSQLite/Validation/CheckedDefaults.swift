import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Defaults that a table's CHECK constraints refuse.
extension StoreRows<Database> {
  /// What `exclude` and `withoutParent: blank` write, beside the conditions that are about its column alone.
  func checkedDefaults() throws -> [Diagnostic] {
    let written = validator.attributes.filter { stored in
      let annotations = validator.annotations(stored.attribute.userInfo)
      return (annotations.isExcluded || annotations.withoutParent == .blank) && !stored.attribute.blank.isNull
    }
    let tables = Dictionary(grouping: written, by: \.table.name)
    return try tables.sorted { $0.key < $1.key }.flatMap { table, attributes -> [Diagnostic] in
      let sql = try String.fetchOne(
        db, sql: "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?", arguments: [table])
      let checks = CheckText(sql ?? "")
      return attributes.compactMap { stored in
        checks.conditions(onlyOf: stored.column.name, among: stored.table.columns.map(\.name))
          .first { refuses(stored, condition: $0) }
          .map { .defaultRefused(stored, condition: $0) }
      }
    }
  }

  /// SQLite itself decides, in a table of that one column; a condition that asks for functions of the app's is not judged.
  private func refuses(_ stored: StoreValidator.StoredAttribute, condition: String) -> Bool {
    let (table, column) = (Dialect.sqlite.name(stored.table.name), Dialect.sqlite.name(stored.column.name))
    let value = ValueCoding(stored.use).encode(stored.attribute.blank).databaseValue
    let isRefused = try? DatabaseQueue().write { memory in
      try memory.execute(sql: "CREATE TABLE \(table)(\(column) \(stored.column.type))")
      try memory.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [value])
      return try Bool.fetchOne(memory, sql: "SELECT NOT (\(condition)) FROM \(table)")
    }
    return isRefused.flatMap { $0 } ?? false
  }
}

extension Diagnostic {
  fileprivate static func defaultRefused(
    _ stored: StoreValidator.StoredAttribute, condition: String
  ) -> Diagnostic {
    Diagnostic(
      .defaultOutsideLimits, at: .attribute(stored.attribute) / "default",
      "each clone writes the default of '\(stored.attribute.entity).\(stored.attribute.name)', '\(stored.attribute.blank)', "
        + "which CHECK (\(condition.shortened)) of the table '\(stored.table.name)' refuses",
      help: "write a 'default' that the table allows, or remove the annotation")
  }
}
