import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Runs the statements of a program with the parameters that they name.
final class StatementRunner: StatementRunning {
  let db: Database
  private let watch: RunWatch?
  private var arguments: [String: StoredValue] = [:]
  private(set) var count = 0
  var dialect: Dialect { db.dialect }

  init(_ db: Database, watch: RunWatch? = nil) {
    self.db = db
    self.watch = watch
  }

  /// - Parameter entity: the one whose objects the statement goes through, for the watch.
  /// - Returns: how many rows changed.
  @discardableResult
  func execute(_ sql: String, scanning entity: String?) throws -> Int {
    let statement = try prepared(sql)
    try statement.bind(arguments)
    let run = { try statement.execute() }
    guard let watch, let entity else {
      try run()
      return db.changesCount
    }
    let passed = { Int(sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_FULLSCAN_STEP, $0)) }
    _ = passed(1)
    // SQLite counts the rows that a statement has passed in going through a table or index.
    try watch.scanning(entity, passed: { passed(0) }, body: run)
    return db.changesCount
  }

  func bind(_ parameter: String, _ value: StoredValue) {
    arguments[parameter] = value
  }

  func bound(_ parameter: String) -> StoredValue { arguments[parameter] ?? .null }

  @discardableResult
  func execute(_ sql: String) throws -> Int { try execute(sql, scanning: nil) }

  func answers(_ sql: String) throws -> [[StoredValue]] {
    let statement = try prepared(sql)
    return try statement.stored(arguments)
  }

  func eachAnswer(_ sql: String, _ body: ([StoredValue]) throws -> Void) throws {
    let statement = try prepared(sql)
    try statement.eachStored(arguments, body: body)
  }

  func repeated(_ expansion: SQLProgram.Expansion) throws -> ([Int], [Int]) throws -> Int {
    let step = try GenerationStep(expansion, statements: self)
    return { try step.run(after: $0, to: $1) }
  }

  /// A statement that keeps its parameters from run to run but for those that are bound anew.
  func repeated(_ sql: String) throws -> RawStatement {
    let statement = try prepared(sql)
    try statement.bind(arguments)
    return RawStatement(statement, in: db)
  }

  /// Counts a run of a statement that was prepared before.
  func begin() { count += 1 }

  /// Writes changed pages to the log or the file ahead of the commit: SQLite else lets them fill nine tenths of its
  /// cache, and reads what does not lie together page by page again and again. Where another connection is in the way it
  /// does nothing.
  func releasePages() {
    sqlite3_db_cacheflush(db.sqliteConnection)
  }

  private func prepared(_ sql: String) throws -> Statement {
    try watch?.options.checkCancellation() ?? Cancellation.check()
    count += 1
    return try db.cachedStatement(sql: sql)
  }
}
