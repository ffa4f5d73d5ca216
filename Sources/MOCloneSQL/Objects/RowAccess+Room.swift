import Foundation
import MOCloneEngine
import MOCloneModel

extension RowAccess {
  /// Refuses a decimal of which a column of numbers in SQLite would keep some digits only.
  ///
  /// - Throws: `CloneError` (`invalid-value`). The schema is read only where a value has more digits than such a column holds.
  package func checkRoom(for value: AttributeValue, in column: AttributeColumn, of entity: String) throws {
    guard case .decimal(let decimal) = value, !dialect.hasTypes, decimal.description.count > 15 else {
      return
    }
    let table = mapping[entity].table
    guard let schema = try db.schema(of: [table], mapping)[table]?.column(column.column),
      !schema.keeps(decimal)
    else { return }
    throw CloneError(
      .invalidValue,
      "'\(decimal)' of \(entity) does not fit the column '\(schema.name)' of the table '\(table)', which is \(schema.type); "
        + "SQLite keeps fifteen digits there, so change the value, or declare the column TEXT",
      entity: entity,
      property: column.column)
  }
}

extension ColumnSchema {
  /// Whether SQLite stores a decimal, which is written as a text, as one that is equal.
  fileprivate func keeps(_ decimal: Decimal) -> Bool {
    if ["TEXT", "BLOB"].contains(affinity) { return true }
    if affinity != "REAL", Int64(decimal.description) != nil { return true }
    return Double(decimal.description).flatMap { Decimal(string: "\($0)") } == decimal
  }
}
