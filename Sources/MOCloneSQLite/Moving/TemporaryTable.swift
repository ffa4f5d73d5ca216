import MOCloneSQL

/// A temporary table of a connection. Its name tells its shape, since a connection keeps it for the next operation.
struct TemporaryTable: Sendable, Equatable {
  let name: String
  private let columns: String
  private let ending: String

  /// - Parameters:
  ///   - columns: their definitions, and the constraints of the table.
  ///   - isOrdered: whether rows lie in the order of the primary key, without a number.
  init(_ purpose: String, _ columns: [String], isOrdered: Bool = false) {
    self.columns = SQL.list(columns)
    ending = isOrdered ? " WITHOUT ROWID" : ""
    let hash = self.columns.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    name = "moclone_\(purpose)_" + String(hash, radix: 36)
  }

  /// The table in a statement.
  var sql: String { SQL.temp(name) }

  /// The statements that make it where it is not there yet, and empty it.
  var setUp: [String] {
    ["CREATE TEMP TABLE IF NOT EXISTS \(SQL.name(name))(\(columns))\(ending)", clear]
  }

  var clear: String { "DELETE FROM \(sql)" }

  /// The statement that makes an index of some columns where it is not there yet.
  func index(_ columns: [String]) -> String {
    "CREATE INDEX IF NOT EXISTS temp.\(SQL.name(name + "_" + columns.joined())) "
      + "ON \(SQL.name(name))(\(SQL.list(columns)))"
  }
}
