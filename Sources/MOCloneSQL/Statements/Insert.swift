/// What becomes of rows that would repeat what is unique.
package enum Conflict: Sendable {
  /// What the table says.
  case asDeclared
  case fail
  /// They are left out, or stay as they are, where the database can tell; else they fail.
  case skip
}

/// A statement that inserts the rows of a query.
package struct Insert: Equatable, Sendable {
  var table: String
  var columns: [String]
  /// The query, without or with clauses of its own.
  var rows: String
  var conflict = Conflict.asDeclared

  /// - Parameters:
  ///   - table: with its schema.
  ///   - columns: names as SQL writes them.
  package init(into table: String, _ columns: [String], rows: String, conflict: Conflict = .asDeclared) {
    self.table = table
    self.columns = columns
    self.rows = rows
    self.conflict = conflict
  }

  /// One statement that runs several insertions, and selects how many rows each inserted; all of them see the tables as
  /// they were, and foreign keys are checked at the end.
  ///
  /// ```sql
  /// WITH w0 AS (INSERT INTO ... RETURNING 1), w1 AS (...) SELECT (SELECT count(*) FROM w0), (SELECT count(*) FROM w1)
  /// ```
  package static func together(_ insertions: [String]) -> String {
    let parts = insertions.enumerated().map { "w\($0) AS (\($1) RETURNING 1)" }
    return "WITH \(parts.list) SELECT \(insertions.indices.map { "(SELECT count(*) FROM w\($0))" }.list)"
  }

  package func text(_ dialect: Dialect) -> String {
    let verb =
      switch conflict {
      case .asDeclared: "INSERT INTO"
      case .fail: dialect.insertOrFail
      case .skip: dialect.insertOrSkip.verb
      }
    return "\(verb) \(table)(\(columns.list)) \(dialect.overriding)\(rows)"
      + (conflict == .skip ? dialect.insertOrSkip.ending : "")
  }
}
