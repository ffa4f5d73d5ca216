import GRDB
import MOCloneEngine
import MOCloneSQL

extension TableSchema {
  /// The greatest number that a column of the key has had; 0 where it has had none above.
  ///
  /// - Throws: `CloneError` (`store-mismatch`) where the column holds anything but integers.
  func greatestNumber(in column: String, of entity: String, _ db: Database) throws -> Int64 {
    var statement = KeptStatement(greatestNumber(in: column, .sqlite))
    return try GreatestNumber(column: column, entity: entity).checked(statement.value(in: db))
  }
}

/// The greatest number of a key, as its store answers.
struct GreatestNumber {
  var column: String
  var entity: String

  /// - Throws: `CloneError` (`store-mismatch`) where the answer is no integer.
  func checked(_ value: RawValue) throws -> Int64 {
    switch value {
    case .integer(let number): return max(number, 0)
    case .null: return 0
    default:
      throw CloneError(
        .storeMismatch,
        "the key '\(column)' of \(entity) has the value \(value.databaseValue.sqlLiteral), which is not an integer, so "
          + "no new keys can follow it", entity: entity)
    }
  }
}
