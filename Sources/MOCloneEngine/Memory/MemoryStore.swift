import MOCloneModel

/// The columns of a graph and every change of them; knows rows, not objects.
final class MemoryStore {
  let layout: GraphLayout
  /// The tables, then the joins.
  let spaces: [RowSpace]
  /// Of each table: the entity number of a row, none where it was deleted.
  let entities: [RowColumn]
  let references: [Reference]
  let joins: [Join]
  private(set) var indexes: [UniqueIndex] = []
  private let rowColumns: [RowColumn]
  private let valueColumns: [ValueColumn]
  /// Not checked for overlapping accesses: its methods call nobody back.
  @exclusivity(unchecked) private var journal = Journal()
  /// Whether a clone is under way, which reads and writes columns as they were when it began.
  private var isCloning = false
  /// How many operations run inside each other.
  private var depth = 0
  var metadata: [String: String] = [:]
  private var savedMetadata: [String: String] = [:]
  /// Whether something within the operation that is under way has saved.
  private var savesAtEnd = false

  /// - Parameter layout: the model's, where it is known.
  init(model: ObjectModel, layout: GraphLayout? = nil, checksUniqueValues: Bool = true) {
    self.layout = layout ?? GraphLayout(model)
    let layout = self.layout
    var columns = StoreColumns(layout: layout)
    entities = columns.addTables()
    references = columns.addReferences()
    joins = columns.addJoins()
    spaces = columns.spaces
    rowColumns = columns.rowColumns
    valueColumns = columns.valueColumns
    guard checksUniqueValues else { return }
    indexes = model.entities.flatMap { entity in
      entity.uniquenessConstraints.compactMap { UniqueIndex($0, of: entity.name, in: self) }
    }
  }
}

// MARK: - Operations

extension MemoryStore {
  /// Runs a clone, whose caller's closures can change nothing meanwhile.
  func cloning<Result>(_ operation: () throws -> Result) throws -> Result {
    try atomically {
      isCloning = true
      defer { isCloning = false }
      return try operation()
    }
  }

  /// Runs one operation; where it throws, the store is as it was.
  ///
  /// - Throws: `CloneError` (`invalid-value`) within a clone; what the operation throws.
  func atomically<Result>(_ operation: () throws -> Result) throws -> Result {
    try checkOutermost()
    let mark = journal.begin(spaces)
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { savesAtEnd = false }
    }
    let (metadata, saved) = (metadata, savesAtEnd)
    do {
      let result = try operation()
      // What an outer operation may have to take back stays apart from what was before it.
      if depth == 1 {
        journal.end(mark)
        if savesAtEnd { forget() }
      }
      return result
    } catch {
      undo(to: mark)
      self.metadata = metadata
      savesAtEnd = saved
      throw error
    }
  }

  /// Makes the changes permanent; within an operation at its end, since it may have to be taken back as a whole.
  func save() {
    if depth > 0 { savesAtEnd = true } else { forget() }
  }

  private func forget() {
    journal.clear()
    savedMetadata = metadata
  }

  /// - Throws: `CloneError` (`invalid-value`) within a clone.
  func rollback() throws {
    try checkOutermost()
    savesAtEnd = false
    undo(to: 0)
    journal.clear()
    metadata = savedMetadata
  }

  private func checkOutermost() throws {
    guard isCloning else { return }
    throw CloneError(
      .invalidValue, "a closure of a clone changed the graph that the clone is made in",
      help: "change the graph after the clone")
  }

  /// Removes all rows for good.
  func removeAll() {
    for space in spaces where space.count > 0 { space.truncate(to: 0) }
    for index in indexes { index.isStale = true }
    metadata = [:]
    forget()
  }

  private func undo(to mark: Int) {
    guard journal.entries.count > mark else { return }
    while journal.entries.count > mark {
      let (entry, value) = journal.removeLast()
      switch entry.kind {
      case .cell: rowColumns[Int(entry.column)].cells[entry.row] = entry.old
      case .value: valueColumns[Int(entry.column)].set(value!, entry.row)
      case .rows: spaces[Int(entry.column)].truncate(to: Int(entry.old))
      }
    }
    for index in indexes { index.isStale = true }
  }
}

// MARK: - Changes

extension MemoryStore {
  /// Adds rows without values.
  ///
  /// - Returns: the first of them.
  @discardableResult
  func appendRows(_ count: Int = 1, to space: Int) -> Row {
    let space = spaces[space]
    journal.willAppend(to: space.number, count: space.count)
    space.append(count)
    return Row(space.count - count)
  }

  /// Adds rows without links and with the values of other rows.
  func appendCopies(of rows: [Row], to table: Int, times: Int) {
    let space = spaces[table]
    journal.willAppend(to: table, count: space.count)
    space.appendCopies(of: RowRuns(rows), times: times)
  }

  func set(_ column: RowColumn, _ row: Row, _ value: Row) {
    journal.willSet(column, row: row)
    column.cells[row] = value
  }

  func set(_ column: ValueColumn, _ row: Row, _ value: AttributeValue) {
    journal.willSet(column, row: row)
    column.set(value, row)
  }

  /// Adds an element at the end of an owner's list.
  func attach(_ element: Row, to owner: Row, in list: RowList) {
    let last = list.last[owner]
    set(list.owner, element, owner)
    set(list.previous, element, last)
    set(list.next, element, noRow)
    if last == noRow { set(list.first, owner, element) } else { set(list.next, last, element) }
    set(list.last, owner, element)
  }

  /// Adds an element in front of another one.
  func attach(_ element: Row, before other: Row, in list: RowList) {
    let (owner, previous) = (list.owner[other], list.previous[other])
    set(list.owner, element, owner)
    set(list.previous, element, previous)
    set(list.next, element, other)
    set(list.previous, other, element)
    if previous == noRow { set(list.first, owner, element) } else { set(list.next, previous, element) }
  }

  func detach(_ element: Row, in list: RowList) {
    let owner = list.owner[element]
    let previous = list.previous[element]
    let next = list.next[element]
    if previous == noRow { set(list.first, owner, next) } else { set(list.next, previous, next) }
    if next == noRow { set(list.last, owner, previous) } else { set(list.previous, next, previous) }
    set(list.owner, element, noRow)
    set(list.previous, element, noRow)
    set(list.next, element, noRow)
  }
}
