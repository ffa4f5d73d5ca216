import MOCloneEngine
import MOCloneModel

extension TableSchema {
  /// The greatest number that a column of the key has had; 0 where it has had none above.
  ///
  /// - Throws: `CloneError` (`store-mismatch`) where the column holds anything but integers.
  package func greatestNumber(
    in column: String, of entity: String, _ db: some SQLConnection
  ) throws -> Int64 {
    let greatest = try db.rows(greatestNumber(in: column, db.dialect), [:]).first?.first ?? .null
    return try GreatestNumber(column: column, entity: entity).checked(greatest, dialect: db.dialect)
  }
}

/// The greatest number of a key, as its store answers.
package struct GreatestNumber {
  var column: String
  var entity: String

  package init(column: String, entity: String) {
    self.column = column
    self.entity = entity
  }

  /// - Throws: `CloneError` (`store-mismatch`) where the answer is no integer.
  package func checked(_ value: StoredValue, dialect: Dialect) throws -> Int64 {
    switch value {
    case .integer(let number): return max(number, 0)
    case .null: return 0
    default:
      throw CloneError(
        .storeMismatch,
        "the key '\(column)' of \(entity) has the value \(dialect.literal(value)), which is not an integer, so "
          + "no new keys can follow it", entity: entity)
    }
  }
}
