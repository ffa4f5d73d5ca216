/// A temporary table of a connection. Its name tells its shape, since a connection keeps it for the next operation.
package struct TemporaryTable: Sendable, Equatable {
  package let name: String
  private let columns: String
  private let key: [String]
  private let ending: String
  private let parts: Int
  private let dialect: Dialect

  /// - Parameters:
  ///   - columns: their definitions, and the constraints of the table.
  ///   - key: the columns of the primary key, where no constraint tells them.
  ///   - isOrdered: whether rows are in the order of the primary key, without a number.
  ///   - parts: how many numbers, from 0, the first column can hold, by which rows lie apart where a database counts them
  ///     for its plans: what it knows of all rows together misleads it.
  package init(
    _ purpose: String, columns: [String], key: [String] = [], isOrdered: Bool = false, parts: Int = 0,
    dialect: Dialect
  ) {
    self.columns = columns.list
    self.key = key
    self.dialect = dialect
    self.parts = dialect.hasTypes && parts <= Self.mostParts ? parts : 0
    ending = (isOrdered ? dialect.orderedTable : "") + dialect.endOfTemporaryTable
    name = "moclone_\(purpose)_" + self.columns.fingerprint
  }

  /// The table in a statement.
  package var sql: String { dialect.temporary(name) }

  /// The table with an alias.
  package func rows(_ alias: String) -> From { From("\(sql) \(alias)") }

  /// More cost more than they save.
  private static let mostParts = 64

  /// The statement that makes it where it is not there yet; the key is an index of its own where it can be made later.
  package var create: String {
    let constraint = key.isEmpty || dialect.hasTypes ? [] : ["PRIMARY KEY (\(key.list))"]
    let division = parts > 0 ? " PARTITION BY LIST (t)" : ""
    let definitions = ([columns] + constraint).list
    return "\(dialect.createTemporaryTable) \(dialect.name(name))(\(definitions))\(division)\(ending)"
  }

  /// The statements that make it where it is not there yet, and empty it.
  package var setUp: [String] { setUpWithoutKey + addKey }

  /// The same where `addKey` may follow behind the first rows: an index of many rows is made faster than kept up.
  package var setUpWithoutKey: [String] {
    let parts = (0..<parts).map { part in
      "\(dialect.createTemporaryTable) \(dialect.name("\(name)_\(part)")) PARTITION OF \(sql) "
        + "FOR VALUES IN (\(part))\(ending)"
    }
    return [create] + parts + [clear]
  }

  /// The statement that makes the key where it is not there yet; none where the table has it from the beginning.
  package var addKey: [String] {
    guard dialect.hasTypes, !key.isEmpty else { return [] }
    return [dialect.temporaryIndex(name + "_key", on: name, columns: key, isUnique: true)]
  }

  /// The statement by which the database learns how many rows it holds; none where plans do not depend on that.
  package var analyze: [String] { dialect.hasTypes ? ["ANALYZE \(sql)"] : [] }

  /// The same for the rows of one number.
  package func analyze(part: Int) -> [String] {
    parts > 0 ? ["ANALYZE \(dialect.temporary("\(name)_\(part)"))"] : analyze
  }

  package var clear: String { "DELETE FROM \(sql)" }

  /// The statement that adds what a query selects.
  ///
  /// - Parameter columns: names as SQL writes them.
  package func insert(_ columns: [String], _ rows: Select, conflict: Conflict = .asDeclared) -> String {
    insert(columns, rows: rows.text(dialect), conflict: conflict)
  }

  package func insert(_ columns: [String], rows: String, conflict: Conflict = .asDeclared) -> String {
    Insert(into: sql, columns, rows: rows, conflict: conflict).text(dialect)
  }

  /// The statement that makes an index of some columns where it is not there yet.
  ///
  /// - Parameter purpose: its name, where the columns are not plain ones.
  package func index(_ columns: [String], named purpose: String? = nil) -> String {
    dialect.temporaryIndex(name + "_" + (purpose ?? columns.joined()), on: name, columns: columns)
  }

  package func dropIndex(named purpose: String) -> String {
    "DROP INDEX IF EXISTS \(dialect.temporary(name + "_" + purpose))"
  }
}

extension String {
  /// A short name that differs where the text does.
  var fingerprint: String {
    String(utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 36)
  }
}
