import GRDB
import MOCloneSQL

/// A statement that is asked for again and again on one connection.
///
/// GRDB owns it, and drops it where it must: when the schema changes, and before the connection closes.
struct KeptStatement {
  let sql: String
  private weak var statement: Statement?
  /// How often it was prepared because GRDB had dropped it.
  private(set) var preparations = 0

  init(_ sql: String) {
    self.sql = sql
  }

  mutating func raw(in db: Database) throws -> RawStatement {
    if let statement { return RawStatement(statement, in: db) }
    let made = try db.cachedStatement(sql: sql)
    // GRDB runs a statement only where it has been given something for each parameter.
    let raw = RawStatement(made, in: db)
    try made.setArguments(StatementArguments(raw.parameters.map { _ in DatabaseValue.null }))
    statement = made
    preparations += 1
    return raw
  }

  /// The first value of the first row, null where there is none.
  mutating func value(in db: Database) throws -> RawValue {
    let raw = try raw(in: db)
    guard try raw.step() else { return .null }
    defer { raw.reset() }
    return raw.value(0)
  }
}
