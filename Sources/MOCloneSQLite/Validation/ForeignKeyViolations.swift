import GRDB
import MOCloneModel
import MOCloneSQL

/// References that SQLite has let in while foreign keys were not enforced.
extension StoreRows<Database> {
  /// Counted by table and foreign key, with the keys of the first rows.
  func violations() throws -> [Diagnostic] {
    try validator.schema.names.compactMap { validator.schema[$0] }.filter { !$0.foreignKeys.isEmpty }
      .flatMap { table -> [Diagnostic] in
        // SQLite cannot look where the referenced columns are not unique, which is another finding.
        let broken = try? Row.fetchAll(
          db,
          sql:
            "SELECT fkid, parent, count(*) AS count FROM pragma_foreign_key_check(?, 'main') GROUP BY fkid, parent",
          arguments: [table.name])
        return try (broken ?? []).map { try violation($0, table: table) }
      }
  }

  private func violation(_ row: Row, table: TableSchema) throws -> Diagnostic {
    let columns = try String.fetchAll(
      db, sql: "SELECT \"from\" FROM pragma_foreign_key_list(?, 'main') WHERE id = ? ORDER BY seq",
      arguments: [table.name, row["fkid"] as Int])
    let key = validator.expectedKeys.first { $0.table.name == table.name && Set($0.columns) == Set(columns) }
    let entity = validator.homes.first { $0.table.name == table.name }?.root.name
    let first = try firstRows(table, fkid: row["fkid"])
    return .foreignKeyViolation(
      table.name, columns: columns, parent: row["parent"], count: row["count"], first: first,
      at: key?.path ?? entity.map { .entity($0) } ?? .model)
  }

  /// A table without rowid does not tell which rows they are.
  private func firstRows(_ table: TableSchema, fkid: Int) throws -> [String] {
    let rows = try Int64?.fetchAll(
      db, sql: "SELECT rowid FROM pragma_foreign_key_check(?, 'main') WHERE fkid = ? LIMIT 3",
      arguments: [table.name, fkid])
    return try rows.compactMap { $0 }.map { try firstKey(table, where: "rowid = \($0)") }
  }
}

extension Diagnostic {
  fileprivate static func foreignKeyViolation(
    _ table: String, columns: [String], parent: String, count: Int, first: [String], at path: ModelPath
  ) -> Diagnostic {
    let names = columns.map { "'\($0)'" }.joined(separator: ", ")
    let shown =
      first.isEmpty ? "" : " of \(first.joined(separator: "; "))\(count > first.count ? " ..." : "")"
    return Diagnostic(
      .foreignKeyViolation, at: path,
      count == 1
        ? "1 row of '\(table)' references a missing '\(parent)'."
        : "\(count) rows of '\(table)' reference a missing '\(parent)'.",
      help: "fix \(names)\(shown), or delete these rows: a clone that would hold such a reference is refused")
  }
}
