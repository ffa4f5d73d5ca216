import MOCloneModel

/// Lays out the columns of a graph: those of its tables first, then those of its lists.
struct StoreColumns {
  let layout: GraphLayout
  private(set) var rowColumns: [RowColumn] = []
  private(set) var valueColumns: [ValueColumn] = []
  /// How many kinds of rows there are.
  private var spaceCount = 0

  init(layout: GraphLayout) {
    self.layout = layout
  }

  var spaces: [RowSpace] {
    let rows = Dictionary(grouping: rowColumns, by: \.space)
    let values = Dictionary(grouping: valueColumns, by: \.space)
    return (0..<spaceCount).map { number in
      RowSpace(number: number, rowColumns: rows[number] ?? [], valueColumns: values[number] ?? [])
    }
  }

  /// The columns that hold the entities of the tables' rows: each is the first of its table.
  mutating func addTables() -> [RowColumn] {
    var entities: [RowColumn] = []
    for table in layout.tables {
      let space = addSpace()
      entities.append(addColumn(to: space))
      for attribute in table.attributes {
        valueColumns.append(.column(id: valueColumns.count, space: space, attribute: attribute))
      }
    }
    return entities
  }

  mutating func addReferences() -> [Reference] {
    layout.references.map { addReference(forward: $0.forward, backward: $0.backward) }
  }

  mutating func addJoins() -> [Join] {
    layout.joins.map { addJoin(source: $0.source, destination: $0.destination) }
  }

  private mutating func addSpace() -> Int {
    spaceCount += 1
    return spaceCount - 1
  }

  private mutating func addColumn(to space: Int) -> RowColumn {
    let column = RowColumn(id: rowColumns.count, space: space)
    rowColumns.append(column)
    return column
  }

  private mutating func addList(elements: Int, owners: Int) -> RowList {
    RowList(
      owner: addColumn(to: elements), next: addColumn(to: elements), previous: addColumn(to: elements),
      first: addColumn(to: owners), last: addColumn(to: owners))
  }

  private mutating func addReference(forward: Int?, backward: Int?) -> Reference {
    let relations = layout.relations
    let members = forward.map { relations[$0].table } ?? relations[backward!].destinationTable
    let owners = forward.map { relations[$0].destinationTable } ?? relations[backward!].table
    return Reference(
      list: addList(elements: members, owners: owners), memberTable: members, ownerTable: owners,
      forward: forward, backward: backward,
      isOneToOne: backward.map { !relations[$0].description.isToMany } ?? false,
      isRequired: forward.map { relations[$0].isRequired } ?? false,
      isOrdered: backward.map { relations[$0].description.isOrdered } ?? false)
  }

  private mutating func addJoin(source: Int, destination: Int?) -> Join {
    let relation = layout.relations[source]
    let space = addSpace()
    return Join(
      space: space, sources: addList(elements: space, owners: relation.table),
      destinations: addList(elements: space, owners: relation.destinationTable),
      sourceTable: relation.table, destinationTable: relation.destinationTable,
      source: source, destination: destination)
  }
}
