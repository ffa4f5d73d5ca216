import MOCloneModel

/// Rows of one kind, the columns that have a cell for each, and how many there are.
final class RowSpace {
  let number: Int
  var count = 0
  var rowColumns: [RowColumn] = []
  var valueColumns: [ValueColumn] = []

  init(number: Int) {
    self.number = number
  }
}

/// The columns of a graph and every change of them; knows rows, not objects.
final class MemoryStore {
  let layout: GraphLayout
  /// The tables, then the joins.
  private(set) var spaces: [RowSpace] = []
  /// Of each table: the entity number of a row, none where it was deleted.
  private(set) var entities: [RowColumn] = []
  private(set) var references: [Reference] = []
  private(set) var joins: [Join] = []
  private(set) var indexes: [UniqueIndex] = []
  private var rowColumns: [RowColumn] = []
  private var valueColumns: [ValueColumn] = []
  private var journal = Journal()
  /// How many operations run inside each other.
  private var depth = 0
  var metadata: [String: String] = [:]
  private var savedMetadata: [String: String] = [:]

  init(model: ObjectModel) {
    layout = GraphLayout(model)
    for table in layout.tables {
      let space = addSpace()
      entities.append(addColumn(to: space.number))
      for attribute in table.attributes {
        let column = ValueColumn.column(id: valueColumns.count, space: space.number, attribute: attribute)
        valueColumns.append(column)
        space.valueColumns.append(column)
      }
    }
    references = layout.references.map { makeReference(forward: $0.forward, backward: $0.backward) }
    joins = layout.joins.map { makeJoin(source: $0.source, destination: $0.destination) }
    indexes = model.entities.flatMap { entity in
      entity.uniquenessConstraints.compactMap { UniqueIndex($0, of: entity.name, in: self) }
    }
  }

  private func addSpace() -> RowSpace {
    let space = RowSpace(number: spaces.count)
    spaces.append(space)
    return space
  }

  private func addColumn(to space: Int) -> RowColumn {
    let column = RowColumn(id: rowColumns.count, space: space)
    rowColumns.append(column)
    spaces[space].rowColumns.append(column)
    return column
  }

  private func addList(elements: Int, owners: Int) -> RowList {
    RowList(
      owner: addColumn(to: elements), next: addColumn(to: elements), previous: addColumn(to: elements),
      first: addColumn(to: owners), last: addColumn(to: owners))
  }

  private func makeReference(forward: Int?, backward: Int?) -> Reference {
    let relations = layout.relations
    let members = forward.map { relations[$0].table } ?? relations[backward!].destinationTable
    let owners = forward.map { relations[$0].destinationTable } ?? relations[backward!].table
    return Reference(
      list: addList(elements: members, owners: owners), memberTable: members, ownerTable: owners,
      forward: forward, backward: backward,
      isOneToOne: backward.map { !relations[$0].description.isToMany } ?? false)
  }

  private func makeJoin(source: Int, destination: Int?) -> Join {
    let relation = layout.relations[source]
    let space = addSpace().number
    return Join(
      space: space, sources: addList(elements: space, owners: relation.table),
      destinations: addList(elements: space, owners: relation.destinationTable),
      sourceTable: relation.table, destinationTable: relation.destinationTable,
      source: source, destination: destination)
  }
}

// MARK: - Operations

extension MemoryStore {
  /// Runs one operation; where it throws, the store is as it was.
  func atomically<Result>(_ operation: () throws -> Result) throws -> Result {
    let mark = journal.begin(counts: spaces.map(\.count))
    depth += 1
    defer { depth -= 1 }
    let metadata = metadata
    do {
      let result = try operation()
      // What an outer operation may have to take back stays apart from what was before it.
      if depth == 1 { journal.end(mark) }
      return result
    } catch {
      undo(to: mark)
      self.metadata = metadata
      throw error
    }
  }

  func save() {
    journal.clear()
    savedMetadata = metadata
  }

  func rollback() {
    undo(to: 0)
    journal.clear()
    metadata = savedMetadata
  }

  private func undo(to mark: Int) {
    guard journal.entries.count > mark else { return }
    while journal.entries.count > mark {
      let (entry, value) = journal.removeLast()
      switch entry.kind {
      case .cell: rowColumns[Int(entry.column)].cells[entry.row] = entry.old
      case .value: valueColumns[Int(entry.column)].set(value!, entry.row)
      case .rows: truncate(spaces[Int(entry.column)], to: Int(entry.old))
      }
    }
    for index in indexes { index.isStale = true }
  }

  private func truncate(_ space: RowSpace, to count: Int) {
    for column in space.rowColumns { column.cells.truncate(to: count) }
    for column in space.valueColumns { column.truncate(to: count) }
    space.count = count
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
    journal.willAppend(to: space)
    for column in space.rowColumns { column.cells.append(noRow, times: count) }
    for column in space.valueColumns { column.appendNulls(count) }
    space.count += count
    return Row(space.count - count)
  }

  /// Adds rows without links and with the values of other rows.
  func appendCopies(of rows: [Row], to table: Int, times: Int) {
    let space = spaces[table]
    let runs = RowRuns(rows)
    journal.willAppend(to: space)
    for column in space.rowColumns where column !== entities[table] {
      column.cells.append(noRow, times: rows.count * times)
    }
    entities[table].cells.appendCopies(of: runs, times: times)
    for column in space.valueColumns { column.appendCopies(of: runs, times: times) }
    space.count += rows.count * times
  }

  func set(_ column: RowColumn, _ row: Row, _ value: Row) {
    journal.willSet(column, row)
    column.cells[row] = value
  }

  func set(_ column: ValueColumn, _ row: Row, _ value: AttributeValue) {
    journal.willSet(column, row)
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
