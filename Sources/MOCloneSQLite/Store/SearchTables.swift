import GRDB
import MOCloneSQL

/// The virtual tables of a store, such as those for full-text search, and what its triggers write to them.
///
/// In a store that gets a part of the rows, with other keys or values, such a table can only be filled by what fills it in
/// the source: the statements of its triggers, which run there while rows come in.
struct SearchTables {
  private let names: Set<String>
  /// Those that are built anew from another table or view.
  private let rebuilt: [String]
  /// Triggers with those of their statements only that write to virtual tables.
  let triggers: [(name: String, sql: String)]

  /// - Parameter triggers: the triggers of the store, as they were made.
  init(_ db: Database, triggers: [(name: String, sql: String)]) throws {
    let rows = try Row.fetchAll(
      db,
      sql:
        "SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' AND rootpage = 0 AND sql LIKE 'create virtual%'"
    )
    let names = Set(rows.map { ($0["name"] as String).sqlName })
    self.names = names
    rebuilt = rows.filter { Self.hasContent($0["sql"]) }.map { $0["name"] }
    self.triggers = triggers.compactMap { name, sql in
      Self.part(of: sql, writing: names).map { (name, $0) }
    }
  }

  /// What fills them after all rows came, but for what triggers did.
  var rebuilding: [String] {
    rebuilt.map(Dialect.sqlite.name).map { "INSERT INTO main.\($0)(\($0)) VALUES ('rebuild')" }
  }

  func contains(_ table: String) -> Bool { names.contains(table.sqlName) }

  /// Those that neither triggers fill nor a table that they are built from.
  var unfilled: Set<String> {
    let written = triggers.flatMap { Self.statements(of: $0.sql).compactMap(Self.table) }
    return names.subtracting(written).subtracting(rebuilt.map(\.sqlName))
  }

  /// `content = 'note'` of a table for full-text search, but not `content = ''`, which keeps no rows.
  private static func hasContent(_ sql: String) -> Bool {
    let tokens = SQLToken.all(in: sql)
    let isFullText = tokens.contains { $0.name.hasPrefix("fts") }
    guard isFullText, let place = tokens.firstIndex(where: { $0.isWord("CONTENT") }) else { return false }
    let content = tokens.dropFirst(place + 2).first?.text ?? ""
    return !content.filter { !"'\"".contains($0) }.isEmpty
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
