import GRDB
import GRDBSQLite
import MOCloneModel
import MOCloneSQL

/// Reads what a database says of some tables: three statements a table, one a column, and four for all of them.
package struct SchemaReader {
  let db: Database
  /// Where a model lies in the store; it tells what counts the keys of a Core Data store.
  private let mapping: SchemaMapping?

  package init(db: Database, mapping: SchemaMapping? = nil) {
    self.db = db
    self.mapping = mapping
  }

  package func schema(of tables: some Sequence<String>) throws -> StoreSchema {
    let asked = Set(tables).sorted()
    let texts = try SchemaTexts(of: asked, in: db)
    let found = try asked.compactMap { try table($0, texts) }
    let schema = StoreSchema(
      found, others: try found.count == asked.count ? [:] : others(), dialect: .sqlite)
    guard let coreData = mapping?.coreData, let entities = try CoreDataEntities(db) else { return schema }
    return schema.counting(entities, mapping: coreData)
  }

  /// What is no table with rows of its own, by name.
  private func others() throws -> [String: String] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type <> 'table'")
    let kinds = ["view": "a view", "virtual": "a virtual table", "shadow": "a part of a virtual table"]
    return Dictionary(
      rows.map { (($0["name"] as String).sqlName, kinds[$0["type"]] ?? $0["type"]) }, uniquingKeysWith: { $1 }
    )
  }

  func tableNames() throws -> [String] {
    try String.fetchAll(
      db,
      sql:
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
  }

  private func table(_ asked: String, _ texts: SchemaTexts) throws -> TableSchema? {
    guard let listed = texts.tables[asked.sqlName] else { return nil }
    let name: String = listed["name"]
    let text = texts.sql[name.sqlName]
    let rows = try answer(
      "SELECT name, type, \"notnull\" AS required, pk, hidden, dflt_value IS NOT NULL AS has_default "
        + "FROM pragma_table_xinfo(?, 'main')", table: name)
    let key = rows.map { (place: $0["pk"] as Int, name: $0["name"] as String) }
      .filter { $0.place > 0 }.sorted { $0.place < $1.place }.map(\.name)
    let metadata = try rows.map { try columnMetadata(name, column: $0["name"]) }
    let indexes = try indexes(of: name, texts)
    let triggers = (texts.triggers[name.sqlName] ?? []).map {
      let text = TriggerText($0["sql"])
      return TriggerSchema(name: $0["name"], event: text.event, text.body)
    }
    // A primary key that is the row's number is the only one that needs no index of its own.
    let isRowid = key.count == 1 && !indexes.contains { $0.isPrimaryKey } && listed["wr"] == 0
    let isGenerated = rows.contains { $0["hidden"] as Int > 1 }
    let generated = isGenerated ? GeneratedText(text ?? "", columns: rows.map { $0["name"] }) : nil
    let checked = checked(text ?? "")
    let filled = checked.isEmpty ? [] : CheckText(text ?? "").filledColumns
    return TableSchema(
      name: name,
      columns: zip(rows, metadata).map { row, metadata in
        var column = ColumnSchema(
          name: row["name"], type: row["type"], collation: metadata.collation,
          isRequired: row["required"], isGenerated: row["hidden"] as Int > 1, hasDefault: row["has_default"],
          inputs: generated?.inputs(of: row["name"]) ?? [])
        column.isChecked = checked.contains(column.name.sqlName)
        column.isRequired = column.isRequired || filled.contains(column.name.sqlName)
        return column
      },
      rowidColumn: isRowid ? key[0] : nil, isAutoincrement: metadata.contains { $0.isAutoincrement },
      isWithoutRowid: listed["wr"], isStrict: listed["strict"], foreignKeys: try foreignKeys(of: name),
      indexes: indexes, triggers: triggers,
      // Only the table's text shows a clause of its own that says what to do about conflicts.
      leavesConflictsToTriggers: !triggers.isEmpty && text?.uppercased().contains("CONFLICT") == false)
  }

  /// The names that the CHECKs of a table's text speak of.
  private func checked(_ sql: String) -> Set<String> {
    guard sql.uppercased().contains("CHECK") else { return [] }
    let tokens = SQLToken.all(in: sql)
    return tokens.indices.filter { tokens[$0].isWord("CHECK") }.reduce(into: []) { names, place in
      let condition = tokens[(place + 1)...].dropFirst().prefix { $0.depth > tokens[place].depth }
      names.formUnion(condition.map(\.name))
    }
  }

  /// The answer about one table; the same few statements ask about each, so they are kept.
  private func answer(_ sql: String, table: String) throws -> [Row] {
    try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [table])
  }

  private func indexes(of table: String, _ texts: SchemaTexts) throws -> [IndexSchema] {
    let rows = try answer(
      "SELECT l.seq, l.name AS index_name, l.\"unique\" AS is_unique, l.origin, x.name, x.coll "
        + "FROM pragma_index_list(?, 'main') l CROSS JOIN pragma_index_xinfo(l.name, 'main') x "
        + "WHERE x.key = 1 ORDER BY l.seq, x.seqno", table: table)
    return Dictionary(grouping: rows) { $0["seq"] as Int }.sorted { $0.key < $1.key }
      .map { index($1, texts) }
  }

  private func index(_ rows: [Row], _ texts: SchemaTexts) -> IndexSchema {
    let text = texts.sql[(rows[0]["index_name"] as String).sqlName].map { IndexText($0) }
    let columns = rows.enumerated().map { place, row in
      let name: String? = row["name"]
      let written = text.flatMap { place < $0.columns.count ? $0.columns[place] : nil }
      return IndexedColumn(name: name, text: written ?? name ?? "", collation: row["coll"] ?? "BINARY")
    }
    return IndexSchema(
      name: rows[0]["index_name"], isUnique: rows[0]["is_unique"], isPrimaryKey: rows[0]["origin"] == "pk",
      columns: columns, condition: text?.condition)
  }

  /// Every foreign key of the database, in no order.
  func foreignKeys() throws -> [ForeignKeySchema] {
    let rows = try Row.fetchAll(
      db,
      sql: "SELECT m.rowid AS number, id, \"table\", \"from\", \"to\", on_delete FROM main.sqlite_schema m, "
        + "pragma_foreign_key_list(m.name, 'main') WHERE m.type = 'table' ORDER BY m.rowid, id, seq")
    let keys = Dictionary(grouping: rows) { [$0["number"] as Int, $0["id"] as Int] }
    return keys.values.map { foreignKey($0) }
  }

  private func foreignKeys(of table: String) throws -> [ForeignKeySchema] {
    let rows = try answer(
      "SELECT id, \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?, 'main') "
        + "ORDER BY id, seq", table: table)
    let keys = Dictionary(grouping: rows) { $0["id"] as Int }.sorted { $0.key < $1.key }
    return keys.map { foreignKey($0.value) }
  }

  private func foreignKey(_ rows: [Row]) -> ForeignKeySchema {
    ForeignKeySchema(
      columns: rows.map { $0["from"] as String }, table: rows[0]["table"] as String,
      references: rows.compactMap { $0["to"] as String? }, onDelete: rows[0]["on_delete"] as String)
  }

  /// What no PRAGMA tells: the collation of a column, and whether its numbers are never used again.
  private func columnMetadata(
    _ table: String, column: String
  ) throws -> (collation: String, isAutoincrement: Bool) {
    var collation: UnsafePointer<CChar>?
    var isAutoincrement: Int32 = 0
    let code = sqlite3_table_column_metadata(
      db.sqliteConnection, "main", table, column, nil, &collation, nil, nil, &isAutoincrement)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    return (collation.map { String(cString: $0) } ?? "BINARY", isAutoincrement != 0)
  }
}

/// What is read once for all tables: SQLite finds no name there without reading all of them.
private struct SchemaTexts {
  /// The ordinary tables, by their names as SQL compares them.
  private(set) var tables: [String: Row] = [:]
  /// The texts of tables and indexes, whose names differ.
  private(set) var sql: [String: String] = [:]
  /// The triggers of each table, but for those that note rows for a Core Data store and change none.
  private(set) var triggers: [String: [Row]] = [:]

  init(of asked: [String], in db: Database) throws {
    let names = StatementArguments(asked)
    // A database can have thousands of tables of which a model names one.
    func isAsked(_ column: String) -> String {
      "\(column) COLLATE NOCASE IN (\(databaseQuestionMarks(count: asked.count)))"
    }
    for row in try Row.fetchAll(
      db,
      sql: "SELECT name, wr, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
        + "AND \(isAsked("name"))", arguments: names)
    {
      tables[(row["name"] as String).sqlName] = row
    }
    for row in try Row.fetchAll(
      db,
      sql: "SELECT name, sql FROM main.sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL "
        + "AND \(isAsked("tbl_name"))", arguments: names)
    {
      sql[(row["name"] as String).sqlName] = row["sql"] as String
    }
    for schema in ["main", "temp"] {
      let rows = try Row.fetchAll(
        db,
        sql: "SELECT name, tbl_name, sql FROM \(schema).sqlite_schema WHERE type = 'trigger' "
          + "AND name NOT LIKE 'moclone\\_core\\_data\\_%' ESCAPE '\\' AND \(isAsked("tbl_name"))",
        arguments: names)
      for row in rows { triggers[(row["tbl_name"] as String).sqlName, default: []].append(row) }
    }
  }
}
