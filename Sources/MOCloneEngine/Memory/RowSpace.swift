import MOCloneModel

/// Rows of one kind, the columns that have a cell for each, and how many there are.
final class RowSpace {
  let number: Int
  private(set) var count = 0
  let rowColumns: [RowColumn]
  let valueColumns: [ValueColumn]
  /// The same columns for loops, without counting references: the arrays above keep them.
  private let rowCells: [ColumnBuffer<Row>]
  private let values: [Unmanaged<ValueColumn>]

  init(number: Int, rowColumns: [RowColumn], valueColumns: [ValueColumn]) {
    self.number = number
    self.rowColumns = rowColumns
    self.valueColumns = valueColumns
    rowCells = rowColumns.map(\.cells)
    values = valueColumns.map(Unmanaged.passUnretained)
  }

  /// Hands out a column of values without counting references.
  func withColumn<Result>(_ number: Int, body: (ValueColumn) throws -> Result) rethrows -> Result {
    try values[number]._withUnsafeGuaranteedRef(body)
  }

  /// Adds rows without values.
  func append(_ more: Int) {
    for cells in rowCells { cells.append(noRow, times: more) }
    for column in values { column._withUnsafeGuaranteedRef { $0.appendNulls(more) } }
    count += more
  }

  /// Adds rows without links and with the values of other rows of a table, whose first column says of what entity
  /// they are.
  func appendCopies(of rows: RowRuns, times: Int) {
    rowCells[0].appendCopies(of: rows, times: times)
    for cells in rowCells.dropFirst() { cells.append(noRow, times: rows.count * times) }
    for column in values { column._withUnsafeGuaranteedRef { $0.appendCopies(of: rows, times: times) } }
    count += rows.count * times
  }

  func truncate(to count: Int) {
    for cells in rowCells { cells.truncate(to: count) }
    for column in valueColumns { column.truncate(to: count) }
    self.count = count
  }
}
