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
    var failure = CloneError.Failure.noRoom(for: value, of: entity, in: schema, table: table)
    (failure.entity, failure.property) = (entity, column.column)
    throw CloneError([failure])
  }
}

extension CloneError.Failure {
  /// A value that a column would round, cut off or not take.
  static func noRoom(for value: AttributeValue, of owner: String, in column: ColumnSchema, table: String)
    -> Self
  {
    .init(
      .invalidValue,
      "'\(value)' of \(owner) does not fit the column '\(column.name)' of the table '\(table)', which is \(column.type); "
        + (column.base == nil
          ? "SQLite keeps fifteen digits there, so change the value, or declare the column TEXT"
          : "change the value, or widen the column"))
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
