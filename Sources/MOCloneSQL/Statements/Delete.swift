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

  /// One statement that runs several deletions, after which foreign keys are checked.
  package static func together(_ deletions: [String]) -> String {
    "WITH \(deletions.enumerated().map { "d\($0) AS (\($1) RETURNING 1)" }.list) SELECT 1"
  }
}
