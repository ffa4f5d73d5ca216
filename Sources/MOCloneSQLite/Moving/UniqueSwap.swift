import GRDB
import MOCloneSQL

/// Unique values that objects swap: SQLite compares them row by row, so one update cannot do it.
extension StatementRunner {
  /// Runs an update; where a unique value is in its way, again after the values that are to change have made room.
  ///
  /// - Parameter parking: the statement that makes room; nil where no unique value changes.
  func swapping<T>(_ parking: String?, _ update: () throws -> T) throws -> T {
    guard let parking else { return try update() }
    do {
      return try db.inKeptSavepoint(update)
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
      guard db.isInsideTransaction else { throw error }
      return try db.inKeptSavepoint {
        do { try execute(parking) } catch is DatabaseError { throw error }
        return try update()
      }
    }
  }
}

extension ColumnSchema {
  /// An assignment of a value that no other row has, as long as the statement after it has not run.
  var parking: String {
    let value =
      if !isRequired {
        "NULL"
      } else if affinity == "TEXT" {
        "'moclone ' || hex(randomblob(16))"
      } else {
        affinity == "BLOB" ? "randomblob(16)" : "random()"
      }
    return "\(SQL.name(name)) = \(value)"
  }
}
