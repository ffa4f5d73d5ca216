/// A statement that removes rows.
package struct Delete: Sendable {
  var table: String
  var condition = Condition.always

  /// - Parameter table: with its schema, and with its alias where it has one.
  package init(_ table: String) {
    self.table = table
  }

  package func `where`(_ condition: Condition) -> Delete {
    var delete = self
    delete.condition = delete.condition && condition
    return delete
  }

  package var text: String {
    "DELETE FROM \(table)" + (condition == .always ? "" : " WHERE " + condition.text)
  }
}
