import GRDB
import MOCloneSQL

/// Indexes that are dropped before many rows are written and made again behind them, which takes a fraction of the time
/// that keeping them up would.
///
/// Unique ones stay: they refuse rows.
final class BulkIndexes: BulkLoading {
  /// Fewer rows are not worth it.
  private static let least = 10_000
  private let db: Database
  private var statements: [String] = []
  private var seen: Set<String> = []

  init(_ db: Database) {
    self.db = db
  }

  /// Drops the indexes of a table where it is to get more rows than it has.
  func prepare(_ table: TableSchema, for rows: () throws -> Int) throws {
    let indexes = table.indexes.filter { !$0.isUnique }
    guard !indexes.isEmpty, seen.insert(table.name).inserted else { return }
    let rows = try rows()
    guard rows >= Self.least else { return }
    let stored = try Int.fetchOne(
      db, sql: "SELECT count(*) FROM (SELECT 1 FROM \(Dialect.sqlite.table(table.name)) LIMIT ?)",
      arguments: [rows])
    guard stored! < rows else { return }
    for index in indexes {
      let sql = try String.fetchOne(
        db, sql: "SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND name = ?",
        arguments: [index.name])
      guard let sql else { continue }
      try db.execute(sql: "DROP INDEX \(Dialect.sqlite.table(index.name))")
      statements.append(sql)
    }
  }

  func finish() throws {
    for statement in statements { try db.execute(sql: statement) }
    statements = []
  }
}
