import GRDB
import MOCloneEngine

extension TableSchema {
  /// Whether the keys in a column are numbers that can be counted on: the row's number, or another column of integers.
  func countsKeys(in name: String) -> Bool {
    isRowid(name) || column(name).map { ["INTEGER", "NUMERIC"].contains($0.affinity) } ?? false
  }

  /// Selects the greatest number that a column of the key has had.
  func greatestNumber(in column: String) -> String {
    let greatest = "SELECT max(\(SQL.name(column))) AS number FROM \(SQL.main(name))"
    guard isAutoincrement else { return greatest }
    let used = "SELECT seq FROM main.sqlite_sequence WHERE name = \(SQL.text(name))"
    return "SELECT max(number) FROM (\(greatest) UNION ALL \(used))"
  }

  /// The greatest number that a column of the key has had; 0 where it has had none above.
  ///
  /// - Throws: `CloneError` (`store-mismatch`) where the column holds anything but integers.
  func greatestNumber(in column: String, of entity: String, _ db: Database) throws -> Int64 {
    var statement = KeptStatement(greatestNumber(in: column))
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
        "the key '\(column)' of \(entity) holds \(value.databaseValue.sqlLiteral), which is no integer, so there is "
          + "no greatest number to count on from", entity: entity)
    }
  }
}
