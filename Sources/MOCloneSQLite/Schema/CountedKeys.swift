import GRDB
import MOCloneEngine

extension TableSchema {
  /// Whether the keys in a column are numbers that can be counted on: the row's number, or another column of integers.
  func countsKeys(in name: String) -> Bool {
    isRowid(name) || column(name).map { ["INTEGER", "NUMERIC"].contains($0.affinity) } ?? false
  }

  /// The greatest number that a column of the key has had; 0 where it has had none above.
  ///
  /// - Throws: `CloneError` (`store-mismatch`) where the column holds anything but integers.
  func greatestNumber(in column: String, of entity: String, _ db: Database) throws -> Int64 {
    let greatest = try DatabaseValue.fetchOne(
      db.cachedStatement(sql: "SELECT max(\(SQL.name(column))) FROM \(SQL.main(name))"))
    let number: Int64
    switch greatest?.storage {
    case .int64(let found): number = found
    case .null, nil: number = 0
    default:
      throw CloneError(
        .storeMismatch,
        "the key '\(column)' of \(entity) holds \(greatest!.sqlLiteral), which is no integer, so there is no greatest "
          + "number to count on from", entity: entity)
    }
    guard isAutoincrement else { return Swift.max(number, 0) }
    let sequence = try db.cachedStatement(sql: "SELECT seq FROM main.sqlite_sequence WHERE name = ?")
    let used = try Int64.fetchOne(sequence, arguments: [name])
    return Swift.max(number, used ?? 0, 0)
  }
}
