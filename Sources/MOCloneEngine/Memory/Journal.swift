import MOCloneModel

/// What has changed since the last save, in order, so that it can be taken back.
///
/// An entry holds what one cell held before, or how many rows there were. Cells of rows that the running operation
/// has made itself need no entry: they go with their rows.
struct Journal {
  enum Kind: Int32 {
    case cell, value, rows
  }

  struct Entry {
    var kind: Kind
    /// The column, or the space of `rows`.
    var column: Int32
    var row: Row
    /// The row in the cell, the place in `values`, or the number of rows.
    var old: Int32
  }

  private static let capacity = 1 << 12
  private(set) var entries: [Entry] = []
  private(set) var values: [AttributeValue] = []
  /// Rows of each space from here on were made by the running operation.
  private var floors: [Int] = []

  /// Where an operation begins.
  mutating func begin(_ spaces: [RowSpace]) -> Int {
    floors.removeAll(keepingCapacity: true)
    for space in spaces { floors.append(space.count) }
    return entries.count
  }

  /// A sequence of operations that only add rows to one table is one entry.
  mutating func end(_ mark: Int) {
    guard mark > 0, entries.count == mark + 1, entries[mark].kind == .rows else { return }
    let last = entries[mark - 1]
    if last.kind == .rows, last.column == entries[mark].column { entries.removeLast() }
  }

  mutating func willSet(_ column: RowColumn, row: Row) {
    guard row < floors[column.space] else { return }
    entries.append(Entry(kind: .cell, column: column.id, row: row, old: column[row]))
  }

  mutating func willSet(_ column: ValueColumn, row: Row) {
    guard row < floors[column.space] else { return }
    entries.append(Entry(kind: .value, column: column.id, row: row, old: Int32(values.count)))
    values.append(column.value(row))
  }

  mutating func willAppend(to space: Int, count: Int) {
    entries.append(Entry(kind: .rows, column: Int32(space), row: 0, old: Int32(count)))
  }

  mutating func removeLast() -> (Entry, AttributeValue?) {
    let entry = entries.removeLast()
    return (entry, entry.kind == .value ? values.removeLast() : nil)
  }

  /// Forgets everything; memory that is small stays for what comes next.
  mutating func clear() {
    entries.removeAll(keepingCapacity: entries.count <= Self.capacity)
    values.removeAll(keepingCapacity: values.count <= Self.capacity)
  }
}
