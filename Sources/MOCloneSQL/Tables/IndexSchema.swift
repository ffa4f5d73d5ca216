/// An index of a table, those of its constraints included.
package struct IndexSchema: Sendable, Equatable {
  package var name: String
  package var isUnique: Bool
  package var isPrimaryKey: Bool
  package var columns: [IndexedColumn]
  /// What stands behind WHERE: the rows that the index holds; nil for all.
  package var condition: String?
  /// Whether it is that of an exclusion constraint, which keeps rows apart by other comparisons than equality.
  package var isExclusion: Bool
  /// Whether a transaction can have it checked at the end, or has only each whole statement checked.
  package var isDeferrable: Bool

  package init(
    name: String, isUnique: Bool, isPrimaryKey: Bool, columns: [IndexedColumn], condition: String? = nil,
    isExclusion: Bool = false, isDeferrable: Bool = false
  ) {
    self.isExclusion = isExclusion
    self.isDeferrable = isDeferrable
    self.name = name
    self.isUnique = isUnique
    self.isPrimaryKey = isPrimaryKey
    self.columns = columns
    self.condition = condition
  }

  /// The columns that decide whether two rows collide, by their names as SQL compares them: its own, those inside its
  /// expressions, and those that generated ones are computed from.
  func compared(in table: TableSchema) -> Set<String> {
    table.withInputs(columns.flatMap { column in column.name.map { [$0] } ?? table.columns(in: column.text) })
  }

  /// The columns that decide whether it holds a row.
  func selecting(in table: TableSchema) -> Set<String> {
    table.withInputs(condition.map { table.columns(in: $0) } ?? [])
  }

  /// Every column that decides which rows it refuses, where it is unique.
  func read(in table: TableSchema) -> Set<String> { compared(in: table).union(selecting(in: table)) }
}

/// One column of an index, or an expression.
package struct IndexedColumn: Sendable, Equatable {
  /// Nil for an expression.
  package var name: String?
  /// As the index's statement writes it; the name where there is no statement.
  package var text: String
  package var collation: String

  package init(name: String? = nil, text: String, collation: String) {
    self.name = name
    self.text = text
    self.collation = collation
  }
}

// What unique indexes keep apart.
extension TableSchema {
  /// Whether `ON CONFLICT` can name some columns: they keep every row apart from every other, and PostgreSQL takes no index
  /// for it that can wait until the end of the transaction.
  package func settlesConflicts(by columns: [String]) -> Bool {
    let columns = Set(columns)
    let canWait = indexes.contains { $0.isDeferrable && Set($0.columns.compactMap(\.name)) == columns }
    return !canWait && uniqueColumns.contains { Set($0) == columns }
  }

  /// Whether a unique index, of all rows or of some, compares them by a column or by what is computed from it.
  func keepsApart(by column: String) -> Bool {
    rowidColumn?.sqlName == column.sqlName
      || indexes.contains { $0.isUnique && $0.compared(in: self).contains(column.sqlName) }
  }

  /// Whether a column is one of a unique index itself, of all rows or of some.
  func isInUniqueIndex(_ column: String) -> Bool {
    rowidColumn?.sqlName == column.sqlName
      || indexes.contains { index in
        index.isUnique && index.columns.contains { $0.name?.sqlName == column.sqlName }
      }
  }

  /// Whether rows are kept apart by a column, and a database can compare its values: of what is computed from those of
  /// other types only the index can tell.
  func canTellApart(by column: String) -> Bool {
    let isComparable = self.column(column).map { $0.base == nil || $0.affinity != "BLOB" } ?? true
    return isInUniqueIndex(column) || isComparable && keepsApart(by: column)
  }

  /// The columns that decide which rows are in those unique indexes that compare rows by a column.
  func selecting(for column: String) -> Set<String> {
    indexes.filter { $0.isUnique && $0.compared(in: self).contains(column.sqlName) }
      .reduce(into: []) { $0.formUnion($1.selecting(in: self)) }
  }

  /// Some columns by their names as SQL compares them, with those that generated ones among them are computed from.
  fileprivate func withInputs(_ columns: [String]) -> Set<String> {
    Set(columns.flatMap { [$0] + (column($0)?.inputs ?? []) }.map(\.sqlName))
  }

  /// The columns of which an expression speaks.
  fileprivate func columns(in sql: String) -> [String] {
    let words = Set(SQLToken.all(in: sql).map(\.name))
    return columns.map(\.name).filter { words.contains($0.sqlName) }
  }
}
