/// A statement that inserts the rows of a query.
package struct Insert: Equatable, Sendable {
  package enum Conflict: Sendable {
    /// What the table says.
    case asDeclared
    case fail, skip
  }

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
