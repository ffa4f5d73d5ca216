import GRDB
import GRDBSQLite

/// Reads what a database says of some tables: six statements a table.
struct SchemaReader {
  let db: Database

  func schema(of tables: some Sequence<String>) throws -> StoreSchema {
    StoreSchema(try Set(tables).sorted().compactMap(table))
  }

  func tableNames() throws -> [String] {
    try String.fetchAll(
      db,
      sql:
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
  }

  private func table(_ asked: String) throws -> TableSchema? {
    let listed = try Row.fetchOne(
      db,
      sql:
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND lower(name) = lower(?)",
      arguments: [asked])
    guard let listed else { return nil }
    let name: String = listed["name"]
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, type, \"notnull\" AS required, pk, hidden FROM pragma_table_xinfo(?, 'main')",
      arguments: [name])
    let key = rows.map { (place: $0["pk"] as Int, name: $0["name"] as String) }
      .filter { $0.place > 0 }.sorted { $0.place < $1.place }.map(\.name)
    let metadata = try rows.map { try columnMetadata(name, $0["name"]) }
    let indexes = try uniqueIndexes(of: name)
    // A primary key that is the row's number is the only one that needs no index of its own.
    let isRowid = key.count == 1 && !indexes.contains { $0.isPrimary } && listed["wr"] == 0
    return TableSchema(
      name: name,
      columns: zip(rows, metadata).map { row, metadata in
        ColumnSchema(
          name: row["name"], type: row["type"], collation: metadata.collation,
          isRequired: row["required"], isGenerated: row["hidden"] as Int > 1)
      },
      rowidColumn: isRowid ? key[0] : nil, isAutoincrement: metadata.contains { $0.isAutoincrement },
      isWithoutRowid: listed["wr"], foreignKeys: try foreignKeys(of: name),
      uniqueColumns: indexes.map(\.columns) + (isRowid ? [key] : []),
      hasTriggers: try hasTriggers(name), hasConflictClause: try hasConflictClause(name))
  }

  private func hasTriggers(_ table: String) throws -> Bool {
    let triggers = ["main", "temp"].map {
      "SELECT 1 FROM \($0).sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(:table)"
    }
    return try Bool.fetchOne(
      db, sql: "SELECT EXISTS (\(triggers.joined(separator: " UNION ALL ")))", arguments: ["table": table]
    )!
  }

  /// Only the table's text shows one; a word alike makes no harm.
  private func hasConflictClause(_ table: String) throws -> Bool {
    try Bool.fetchOne(
      db,
      sql:
        "SELECT instr(upper(sql), 'CONFLICT') > 0 FROM main.sqlite_schema WHERE type = 'table' AND name = ?",
      arguments: [table]) ?? false
  }

  private func uniqueIndexes(of table: String) throws -> [(columns: [String], isPrimary: Bool)] {
    try Row.fetchAll(
      db, sql: "SELECT name, origin FROM pragma_index_list(?, 'main') WHERE \"unique\" = 1 AND partial = 0",
      arguments: [table]
    ).map { index in
      let columns = try Optional<String>.fetchAll(
        db, sql: "SELECT name FROM pragma_index_info(?, 'main') ORDER BY seqno", arguments: [index["name"]])
      return (columns.compactMap { $0 }, index["origin"] == "pk")
    }
  }

  private func foreignKeys(of table: String) throws -> [ForeignKeySchema] {
    let rows = try Row.fetchAll(
      db,
      sql: "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq",
      arguments: [table])
    return Dictionary(grouping: rows) { $0["id"] as Int }.sorted { $0.key < $1.key }.map { _, rows in
      ForeignKeySchema(
        columns: rows.map { $0["from"] }, table: rows[0]["table"],
        references: rows.compactMap { $0["to"] as String? })
    }
  }

  /// What no PRAGMA tells: the collation of a column, and whether its numbers are never used again.
  private func columnMetadata(
    _ table: String, _ column: String
  ) throws -> (collation: String, isAutoincrement: Bool) {
    var collation: UnsafePointer<CChar>?
    var isAutoincrement: Int32 = 0
    let code = sqlite3_table_column_metadata(
      db.sqliteConnection, "main", table, column, nil, &collation, nil, nil, &isAutoincrement)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    return (collation.map { String(cString: $0) } ?? "BINARY", isAutoincrement != 0)
  }
}
