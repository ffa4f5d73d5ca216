import MOCloneModel

/// The join rows of one join table that the clones hold, settled before anything is written.
struct ClonedJoinRows {
  let join: Join
  private(set) var joinRows: [JoinRow] = []
  /// The order in which the new links enter the lists of either end; nil where it is that of the join rows.
  private(set) var sourceOrder: [Int]?
  private(set) var destinationOrder: [Int]?
  private let listOrder: ListOrder
  private let source: Side
  private let destination: Side?

  /// An end: the place of an original whose clone takes its place, or a row outside the closure; in four bytes.
  struct End {
    private let number: Int32

    static func clone(_ place: Int) -> End { End(number: Int32(place)) }
    static func same(_ row: Row) -> End { End(number: ~row) }

    var place: Int? { number >= 0 ? Int(number) : nil }
    /// Meaningful where there is no place.
    var row: Row { ~number }
  }

  struct JoinRow {
    /// The link of the originals.
    var link: Row
    var source: End
    var destination: End
  }

  /// The relationship of one side.
  private struct Side {
    let relation: Int
    let description: RelationshipDescription
    let least: Int
    let isOrdered: Bool
    /// Whether several objects can hold one destination; one that can have a single owner would change hands.
    let isShared: Bool

    init(_ relation: Int, relations: [RelationLayout]) {
      let layout = relations[relation]
      self.relation = relation
      description = layout.description
      least = description.leastCount
      isOrdered = layout.description.isOrdered
      isShared = layout.inverse.map { relations[$0].description.isToMany } ?? true
    }
  }

  init(_ join: Join, relations: [RelationLayout], order: ListOrder) {
    self.join = join
    listOrder = order
    source = Side(join.source, relations: relations)
    destination = join.destination.map { Side($0, relations: relations) }
  }

  /// - Throws: `CloneError` (`required-left-empty`).
  mutating func settle(_ closure: borrowing Closure, linked: inout LinkedObjects) throws {
    joinRows.removeAll(keepingCapacity: true)
    addFromSources(closure, linked: &linked)
    addFromDestinations(closure, linked: &linked)
    try checkRequired(source, list: join.sources, table: join.sourceTable, closure) { $0.source }
    try checkRequired(destination, list: join.destinations, table: join.destinationTable, closure) {
      $0.destination
    }
    sourceOrder = order(in: join.sources, of: source)
    destinationOrder = order(in: join.destinations, of: destination)
  }

  private mutating func addFromSources(_ closure: borrowing Closure, linked: inout LinkedObjects) {
    let rules = closure.ways.rules
    let (next, others) = (join.sources.next.cells.base, join.destinations.owner.cells.base)
    let end = closure.end(of: join.space)
    for (place, row) in closure.originals[join.sourceTable].enumerated() {
      let ways = closure.waySet(row, in: join.sourceTable)
      let asks = rules.asks(ways, join.source)
      let links = source.isShared && rules[ways, join.source] == .link
      var link = join.sources.first[row]
      // New links stand behind the others in every list.
      while link != noRow, link < end {
        let other = others[Int(link)]
        if let otherPlace = closure.place(other, in: join.destinationTable) {
          if asks || rules.asks(closure.waySet(other, in: join.destinationTable), join.destination) {
            joinRows.append(JoinRow(link: link, source: .clone(place), destination: .clone(otherPlace)))
          }
        } else if links {
          linked.add(other, over: join.source)
          joinRows.append(JoinRow(link: link, source: .clone(place), destination: .same(other)))
        }
        link = next[Int(link)]
      }
    }
  }

  private mutating func addFromDestinations(_ closure: borrowing Closure, linked: inout LinkedObjects) {
    guard let destination else { return }
    let rules = closure.ways.rules
    let (next, others) = (join.destinations.next.cells.base, join.sources.owner.cells.base)
    let end = closure.end(of: join.space)
    for (place, row) in closure.originals[join.destinationTable].enumerated() {
      let ways = closure.waySet(row, in: join.destinationTable)
      let links = destination.isShared && rules[ways, destination.relation] == .link
      var link = join.destinations.first[row]
      while link != noRow, link < end {
        let other = others[Int(link)]
        if links, closure.place(other, in: join.sourceTable) == nil {
          linked.add(other, over: destination.relation)
          joinRows.append(JoinRow(link: link, source: .same(other), destination: .clone(place)))
        }
        link = next[Int(link)]
      }
    }
  }

  /// A required relationship has too few links where its original has more than its clone.
  private func checkRequired(
    _ side: Side?, list: RowList, table: Int, _ closure: borrowing Closure, end: (JoinRow) -> End
  ) throws {
    guard let side, side.least > 0 else { return }
    let originals = closure.originals[table]
    var counts = Array(repeating: 0, count: originals.count)
    for joinRow in joinRows {
      if let place = end(joinRow).place { counts[place] += 1 }
    }
    for (place, row) in originals.enumerated()
    where list.hasMore(than: counts[place], upTo: side.least, of: row, before: closure.end(of: join.space)) {
      throw CloneError.tooFewLeft(side.description, of: closure.id(row, in: table))
    }
  }

  private func order(in list: RowList, of side: Side?) -> [Int]? {
    guard let side, side.isOrdered, joinRows.count > 1 else { return nil }
    let links = joinRows.map(\.link)
    return listOrder.order(of: links, owners: links.map { list.owner[$0] }, in: list)
  }
}

// MARK: - Writing

extension ClonedJoinRows {
  /// Makes the links and enters them in the lists of either end.
  mutating func write(_ rows: NewRows, in store: MemoryStore) {
    guard !joinRows.isEmpty else { return }
    let base = store.appendRows(joinRows.count * rows.copies, to: join.space)
    for copy in 0..<rows.copies {
      let start = base + Row(copy * joinRows.count)
      let source = rows.row(0, in: join.sourceTable, copy: copy)
      attach(sourceOrder, from: start, to: source, in: join.sources, store: store) { $0.source }
      let destination = rows.row(0, in: join.destinationTable, copy: copy)
      attach(destinationOrder, from: start, to: destination, in: join.destinations, store: store) {
        $0.destination
      }
    }
  }

  private func attach(
    _ order: [Int]?, from start: Row, to first: Row, in list: RowList, store: MemoryStore,
    end: (JoinRow) -> End
  ) {
    let cells = list.cells
    for i in joinRows.indices {
      let i = order?[i] ?? i
      let end = end(joinRows[i])
      if let place = end.place {
        cells.attach(start + Row(i), to: first + Row(place))
      } else {
        store.attach(start + Row(i), to: end.row, in: list)
      }
    }
  }
}
