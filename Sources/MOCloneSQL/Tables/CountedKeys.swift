import MOCloneModel

extension TableSchema {
  /// The column of the primary key that the database counts by itself, so that rows are in the order in which they came;
  /// nil where there is none.
  package var countedKey: String? {
    guard primaryKey.count == 1 else { return nil }
    return countsItself(primaryKey[0]) ? primaryKey[0] : nil
  }

  /// Whether the database counts the values of a column by itself.
  package func countsItself(_ name: String) -> Bool { isRowid(name) || column(name)?.sequence != nil }

  /// Whether the keys in a column are numbers that can be counted on: the row's number, or another column of integers.
  package func countsKeys(in name: String) -> Bool {
    isRowid(name)
      || column(name).map { ["INTEGER", "NUMERIC"].contains($0.affinity) || $0.type.isEmpty } ?? false
  }

  /// Selects the greatest number that a column of the key has had.
  package func greatestNumber(in column: String, _ dialect: Dialect) -> String {
    let greatest = "SELECT max(\(dialect.name(column))) AS number FROM \(dialect.table(name))"
    let sequence = "SELECT seq FROM main.sqlite_sequence WHERE name = \(dialect.text(name))"
    guard let used = keyCounter ?? (isAutoincrement ? sequence : nil) else { return greatest }
    return "SELECT max(number) FROM (\(greatest) UNION ALL \(used))"
  }
}
