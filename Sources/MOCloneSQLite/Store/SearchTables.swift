import GRDB
import MOCloneSQL

/// The virtual tables of a store, such as those for full-text search, and what its triggers write to them.
///
/// In a store that gets a part of the rows, with other keys or values, such a table is filled by what fills it in the source:
/// the statements of its triggers, which run there while rows come in. Where they cannot, or fill it at other times, the
/// source's own rows come for those rows of the triggers' tables that are the same in both stores.
struct SearchTables {
  /// Where a table has its rows.
  private enum Content {
    /// For full-text search, by the numbers of the rows of other tables.
    case own
    /// In another table or view, from which it is built anew.
    case elsewhere
    /// For full-text search without rows, but what it was built from.
    case none
    /// A virtual table of another kind.
    case other
  }

  /// By their names as SQL compares names.
  private let tables: [String: (name: String, content: Content)]
  /// Triggers with those of their statements only that fill virtual tables.
  private let triggers: [(name: String, sql: String)]
  /// The tables whose triggers put rows into a virtual table, by its name.
  private let owners: [String: Set<String>]

  /// - Parameter triggers: those of the store's triggers that are not there while rows come in.
  init(_ db: Database, triggers: [(name: String, sql: String)]) throws {
    let rows = try Row.fetchAll(
      db,
      sql:
        "SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' AND rootpage = 0 AND sql LIKE 'create virtual%'"
    )
    let tables = Dictionary(
      rows.map { row -> (String, (name: String, content: Content)) in
        let name: String = row["name"]
        return (name.sqlName, (name, Self.content(of: row["sql"])))
      }, uniquingKeysWith: { first, _ in first })
    self.tables = tables
    let filled = Set(tables.filter { $1.content != .elsewhere }.keys)
    self.triggers = triggers.compactMap { name, sql in
      Self.part(of: sql, writing: filled).map { (name, $0) }
    }
    let all = try Row.fetchAll(
      db, sql: "SELECT tbl_name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND sql IS NOT NULL")
    owners = Dictionary(
      all.flatMap { row in
        Self.statements(of: row["sql"]).filter { $0.first?.isWord("DELETE") == false }
          .compactMap(Self.table).filter { tables[$0] != nil }
          .map { ($0, Set([row["tbl_name"] as String])) }
      }, uniquingKeysWith: { $0.union($1) })
  }

  func contains(_ table: String) -> Bool { tables[table.sqlName] != nil }

  /// Those that neither triggers fill nor a table that they are built from.
  var unfilled: Set<String> {
    Set(tables.filter { $1.content != .elsewhere && owners[$0] == nil }.keys)
  }

  /// `content = 'note'` of a table for full-text search has its rows in another one, `content = ''` keeps none.
  private static func content(of sql: String) -> Content {
    let tokens = SQLToken.all(in: sql)
    guard let module = tokens.firstIndex(where: { $0.isWord("USING") }).map({ tokens[$0 + 1].name }),
      module.hasPrefix("fts")
    else { return .other }
    guard let place = tokens.firstIndex(where: { $0.isWord("CONTENT") }) else { return .own }
    let content = tokens.dropFirst(place + 2).first?.text ?? ""
    return content.allSatisfy { "'\"".contains($0) } ? .none : .elsewhere
  }

  // MARK: Filling

  /// Makes the triggers in a new store, but for those with a function that only the app has, which would refuse each row.
  func makeTriggers(_ db: Database) throws {
    for (name, sql) in triggers {
      try db.execute(sql: sql)
      let table = try String.fetchOne(
        db, sql: "SELECT tbl_name FROM main.sqlite_schema WHERE type = 'trigger' AND name = ?",
        arguments: [name])
      let insert = "INSERT INTO main.\(Dialect.sqlite.name(table ?? "")) DEFAULT VALUES"
      do { _ = try db.makeStatement(sql: insert) } catch { try drop(name, db) }
    }
  }

  /// Takes the triggers away again, and brings what they did not fill, from the attached source.
  func complete(_ db: Database) throws {
    for (name, _) in triggers { try drop(name, db) }
    for (key, table) in tables.sorted(by: { $0.key < $1.key }) {
      let name = Dialect.sqlite.name(table.name)
      if table.content == .elsewhere {
        try db.execute(sql: "INSERT INTO main.\(name)(\(name)) VALUES ('rebuild')")
      }
      guard table.content == .own, try isEmpty(table.name, db) else { continue }
      for owner in (owners[key] ?? []).sorted() {
        if let fill = try fill(table.name, of: owner, db) { try db.execute(sql: fill) }
      }
    }
  }

  private func isEmpty(_ table: String, _ db: Database) throws -> Bool {
    try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM main.\(Dialect.sqlite.name(table)))") == true
  }

  /// Brings a virtual table as a whole, which somebody asks for, from the attached source; one that keeps no rows, or
  /// those of another table, is filled all the same.
  func copyWhole(_ table: String, _ db: Database) throws {
    guard let content = tables[table.sqlName]?.content, [.own, .other].contains(content) else { return }
    let name = Dialect.sqlite.name(table)
    let columns = try (content == .own ? ["rowid"] : []) + columns(of: table, db)
    try db.execute(sql: "DELETE FROM main.\(name)")
    try db.execute(
      sql:
        "INSERT INTO main.\(name)(\(columns.list)) SELECT \(columns.list) FROM \(CopySource.schema).\(name)")
  }

  private func columns(of table: String, _ db: Database) throws -> [String] {
    try String.fetchAll(
      db, sql: "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0", arguments: [table]
    ).map(Dialect.sqlite.name)
  }

  private func drop(_ trigger: String, _ db: Database) throws {
    try db.execute(sql: "DROP TRIGGER IF EXISTS main.\(Dialect.sqlite.name(trigger))")
  }

  /// Brings the rows with the numbers of rows that are the same in both stores; nil where rows have no numbers.
  private func fill(_ table: String, of owner: String, _ db: Database) throws -> String? {
    let isNumbered = try Bool.fetchOne(
      db,
      sql: "SELECT NOT wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name = ?",
      arguments: [owner])
    guard isNumbered == true else { return nil }
    let (name, own) = (Dialect.sqlite.name(table), Dialect.sqlite.name(owner))
    let same = try columns(of: owner, db).map { "n.\($0) IS o.\($0)" }.joined(separator: " AND ")
    let all = try columns(of: table, db)
    return "INSERT INTO main.\(name)(rowid, \(all.list)) SELECT f.rowid, \(all.map { "f." + $0 }.list) "
      + "FROM \(CopySource.schema).\(name) f WHERE f.rowid NOT IN (SELECT rowid FROM main.\(name)) AND f.rowid IN "
      + "(SELECT n.rowid FROM main.\(own) n JOIN \(CopySource.schema).\(own) o ON o.rowid = n.rowid AND \(same))"
  }

  // MARK: Parts of triggers

  private static func part(of sql: String, writing tables: Set<String>) -> String? {
    let all = statements(of: sql)
    let own = all.filter { table($0).map(tables.contains) ?? false }
    guard !own.isEmpty, let first = all.first?.first else { return nil }
    let texts = own.map { sql[$0[$0.startIndex].text.startIndex..<$0[$0.endIndex - 1].text.endIndex] + ";" }
    return sql[..<first.text.startIndex] + texts.joined(separator: " ") + " END"
  }

  /// The statements between BEGIN and END.
  private static func statements(of sql: String) -> [ArraySlice<SQLToken>] {
    let tokens = SQLToken.all(in: sql)
    guard let begin = tokens.firstIndex(where: { $0.isWord("BEGIN") && $0.depth == 0 }),
      let end = tokens.lastIndex(where: { $0.isWord("END") }), begin < end
    else { return [] }
    return tokens[(begin + 1)..<end].split { $0.text == ";" && $0.depth == 0 }
  }

  /// The table that a statement writes to: `INSERT OR IGNORE INTO main.words`, `DELETE FROM words`, `UPDATE words`.
  private static func table(_ statement: ArraySlice<SQLToken>) -> String? {
    guard let word = statement.first else { return nil }
    var rest = statement.dropFirst()
    if word.isWord("SELECT") { return nil }
    if rest.first?.isWord("OR") == true { rest = rest.dropFirst(2) }
    if rest.first?.isWord("INTO") == true || rest.first?.isWord("FROM") == true { rest = rest.dropFirst() }
    if rest.dropFirst().first?.text == "." { rest = rest.dropFirst(2) }
    return rest.first?.name
  }
}
