/// A temporary table of a connection. Its name tells its shape, since a connection keeps it for the next operation.
package struct TemporaryTable: Sendable, Equatable {
  package let name: String
  private let columns: String
  private let ending: String
  private let dialect: Dialect

  /// - Parameters:
  ///   - columns: their definitions, and the constraints of the table.
  ///   - isOrdered: whether rows are in the order of the primary key, without a number.
  package init(_ purpose: String, _ columns: [String], isOrdered: Bool = false, _ dialect: Dialect) {
    self.columns = columns.list
    self.dialect = dialect
    ending = (isOrdered ? dialect.orderedTable : "") + dialect.endOfTemporaryTable
    let hash = self.columns.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    name = "moclone_\(purpose)_" + String(hash, radix: 36)
  }

  /// The table in a statement.
  package var sql: String { dialect.temporary(name) }

  /// The table with an alias.
  package func rows(_ alias: String) -> From { From("\(sql) \(alias)") }

  /// The statement that makes it where it is not there yet.
  package var create: String { "\(dialect.createTemporaryTable) \(dialect.name(name))(\(columns))\(ending)" }

  /// The statements that make it where it is not there yet, and empty it.
  package var setUp: [String] { [create, clear] }

  /// The statement by which the database learns how many rows it holds; none where plans do not depend on that.
  package var analyze: [String] { dialect.hasTypes ? ["ANALYZE \(sql)"] : [] }

  package var clear: String { "DELETE FROM \(sql)" }

  /// The statement that makes an index of some columns where it is not there yet.
  ///
  /// - Parameter purpose: its name, where the columns are not plain ones.
  package func index(_ columns: [String], named purpose: String? = nil) -> String {
    dialect.temporaryIndex(name + "_" + (purpose ?? columns.joined()), on: name, columns)
  }

  package func dropIndex(named purpose: String) -> String {
    "DROP INDEX IF EXISTS \(dialect.temporary(name + "_" + purpose))"
  }
}
