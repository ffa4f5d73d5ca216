/// A statement that changes rows.
package struct Update: Sendable {
  var table: String
  var assignments: [(column: String, value: String)]
  /// Columns that take what a query selects for the row.
  private var taken: [(columns: [String], query: Select)] = []
  var from: From?
  var condition = Condition.always
  private var conflict = Conflict.asDeclared

  /// - Parameters:
  ///   - table: with its schema, and with its alias where it has one.
  ///   - assignments: names as SQL writes them, and expressions.
  package init(_ table: String, assignments: [(column: String, value: String)] = [], from: From? = nil) {
    self.table = table
    self.assignments = assignments
    self.from = from
  }

  package func `where`(_ condition: Condition) -> Update { with { $0.condition = $0.condition && condition } }

  package func setting(_ assignments: [(column: String, value: String)]) -> Update {
    with { $0.assignments = assignments + $0.assignments }
  }

  /// Gives columns what a query selects for each row, in step.
  package func taking(_ columns: [String], from query: Select) -> Update {
    with { $0.taken.append((columns, query)) }
  }

  package func onConflict(_ conflict: Conflict) -> Update { with { $0.conflict = conflict } }

  private func with(_ change: (inout Update) -> Void) -> Update {
    var update = self
    change(&update)
    return update
  }

  package func text(_ dialect: Dialect) -> String {
    let verb =
      switch conflict {
      case .asDeclared: "UPDATE"
      case .fail: dialect.updateOrFail
      case .skip: dialect.updateOrSkip
      }
    let values =
      taken.map { "(\($0.columns.list)) = (\($0.query.text(dialect)))" }
      + assignments.map { "\($0) = \($1)" }
    var text = "\(verb) \(table) SET \(values.list)"
    if let from { text += " FROM " + from.text(dialect) }
    if condition != .always { text += " WHERE " + condition.text }
    return text
  }
}
