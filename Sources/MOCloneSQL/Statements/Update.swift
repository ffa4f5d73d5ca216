/// A statement that changes rows.
package struct Update: Sendable {
  var table: String
  var assignments: [(column: String, value: String)]
  var from: From?
  var condition = Condition.always

  /// - Parameters:
  ///   - table: with its schema, and with its alias where it has one.
  ///   - assignments: names as SQL writes them, and expressions.
  package init(_ table: String, _ assignments: [(column: String, value: String)], from: From? = nil) {
    self.table = table
    self.assignments = assignments
    self.from = from
  }

  package func `where`(_ condition: Condition) -> Update {
    var update = self
    update.condition = update.condition && condition
    return update
  }

  package func text(_ dialect: Dialect) -> String {
    var text = "UPDATE \(table) SET \(assignments.map { "\($0) = \($1)" }.list)"
    if let from { text += " FROM " + from.text(dialect) }
    if condition != .always { text += " WHERE " + condition.text }
    return text
  }
}
