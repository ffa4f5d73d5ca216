import GRDB
import GRDBSQLite

/// A statement that writes temporary tables and is run very often, past GRDB's bookkeeping.
struct RepeatedStatement {
  private let statement: Statement
  private let connection: SQLiteConnection
  private let willRun: () -> Void

  init(_ statement: Statement, in db: Database, willRun: @escaping () -> Void) {
    self.statement = statement
    connection = db.sqliteConnection!
    self.willRun = willRun
  }

  func parameter(_ name: String) -> Int32 {
    sqlite3_bind_parameter_index(statement.sqliteStatement, ":" + name)
  }

  func bind(_ number: Int, at parameter: Int32) {
    sqlite3_bind_int64(statement.sqliteStatement, parameter, Int64(number))
  }

  /// - Returns: how many rows changed.
  func execute() throws -> Int {
    try Task.checkCancellation()
    willRun()
    let code = sqlite3_step(statement.sqliteStatement)
    let message = code == SQLITE_DONE ? nil : String(cString: sqlite3_errmsg(connection))
    sqlite3_reset(statement.sqliteStatement)
    guard code == SQLITE_DONE else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }
    return Int(sqlite3_changes(connection))
  }
}
