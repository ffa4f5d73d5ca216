import MOCloneModel

/// The pairs of one join that the clones hold, settled before anything is written.
struct LinkPairs {
  let join: Join
  private(set) var pairs: [Pair] = []
  /// The order in which the new links enter the lists of either end.
  private(set) var sourceOrder: [Int] = []
  private(set) var destinationOrder: [Int] = []
  private let closure: Closure

  /// An end: the place of an original whose clone takes its place, or a row outside the closure; in four bytes.
  struct End {
    private let number: Int32

    static func clone(_ place: Int) -> End { End(number: Int32(place)) }
    static func same(_ row: Row) -> End { End(number: ~row) }

    var place: Int? { number >= 0 ? Int(number) : nil }
    /// Meaningful where there is no place.
    var row: Row { ~number }
  }

  struct Pair {
    /// The link of the originals.
    var link: Row
    var source: End
    var destination: End
  }

  /// - Throws: `CloneError` (`required-left-empty`).
  init(_ join: Join, closure: Closure, linked: inout LinkedObjects) throws {
    self.join = join
    self.closure = closure
    try addFromSources(&linked)
    try addFromDestinations(&linked)
    sourceOrder = order(join.sources, isOrdered: isOrdered(join.source))
    destinationOrder = order(join.destinations, isOrdered: isOrdered(join.destination))
  }

  private mutating func addFromSources(_ linked: inout LinkedObjects) throws {
    let (asks, otherAsks) = (closure.ways.asking(join.source), closure.ways.asking(join.destination))
    let links = linking(join.source)
    let (next, others) = (join.sources.next.cells.base, join.destinations.owner.cells.base)
    for (place, row) in closure.originals[join.sourceTable].enumerated() {
      let ways = Int(closure.waySet(row, in: join.sourceTable))
      var link = join.sources.first[row]
      while link != noRow {
        let other = others[Int(link)]
        if let otherPlace = closure.cloneOf(other, in: join.destinationTable) {
          if asks[ways] || otherAsks[Int(closure.waySet(other, in: join.destinationTable))] {
            pairs.append(Pair(link: link, source: .clone(place), destination: .clone(otherPlace)))
          } else {
            try checkRequired(join.source, row, join.sourceTable)
            try checkRequired(join.destination, other, join.destinationTable)
          }
        } else if links[ways] {
          linked.add(other, over: join.source)
          pairs.append(Pair(link: link, source: .clone(place), destination: .same(other)))
        } else {
          try checkRequired(join.source, row, join.sourceTable)
        }
        link = next[Int(link)]
      }
    }
  }

  private mutating func addFromDestinations(_ linked: inout LinkedObjects) throws {
    guard let destination = join.destination else { return }
    let links = linking(destination)
    let (next, others) = (join.destinations.next.cells.base, join.sources.owner.cells.base)
    for (place, row) in closure.originals[join.destinationTable].enumerated() {
      let ways = Int(closure.waySet(row, in: join.destinationTable))
      var link = join.destinations.first[row]
      while link != noRow {
        let other = others[Int(link)]
        if closure.place(other, in: join.sourceTable) == nil {
          if links[ways] {
            linked.add(other, over: destination)
            pairs.append(Pair(link: link, source: .same(other), destination: .clone(place)))
          } else {
            try checkRequired(destination, row, join.destinationTable)
          }
        }
        link = next[Int(link)]
      }
    }
  }

  /// Of each set of ways: whether a relationship links to objects outside. One that can have a single owner would
  /// change hands.
  private func linking(_ relation: Int) -> [Bool] {
    let relations = closure.store.layout.relations
    let isShared = relations[relation].inverse.map { relations[$0].description.isToMany } ?? true
    return closure.ways.sets.map { isShared && closure.ways.rule($0, relation) == .link }
  }

  private func checkRequired(_ relation: Int?, _ row: Row, _ table: Int) throws {
    guard let relation, closure.store.layout.relations[relation].isRequired else { return }
    let name = closure.store.layout.relations[relation].description.name
    throw CloneError.requiredLeftEmpty(name, of: closure.id(row, in: table))
  }

  private func isOrdered(_ relation: Int?) -> Bool {
    relation.map { closure.store.layout.relations[$0].description.isOrdered } ?? false
  }

  private func order(_ list: RowList, isOrdered: Bool) -> [Int] {
    guard isOrdered else { return Array(pairs.indices) }
    let links = pairs.map(\.link)
    return list.order(of: links, owners: links.map { list.owner[$0] })
  }
}

// MARK: - Writing

extension CloneWriter {
  func chain(_ pairs: LinkPairs) {
    guard !pairs.pairs.isEmpty else { return }
    let join = pairs.join
    let base = Int(store.appendRows(pairs.pairs.count * copies, to: join.space))
    for copy in 0..<copies {
      let start = Row(base + copy * pairs.pairs.count)
      attach(pairs.sourceOrder, from: start, in: join.sources, join.sourceTable, copy) {
        pairs.pairs[$0].source
      }
      attach(pairs.destinationOrder, from: start, in: join.destinations, join.destinationTable, copy) {
        pairs.pairs[$0].destination
      }
    }
  }

  private func attach(
    _ order: [Int], from start: Row, in list: RowList, _ table: Int, _ copy: Int,
    _ end: (Int) -> LinkPairs.End
  ) {
    let first = newRow(0, in: table, copy: copy)
    let cells = list.cells
    for i in order {
      let end = end(i)
      if let place = end.place {
        cells.attach(start + Row(i), to: first + Row(place))
      } else {
        store.attach(start + Row(i), to: end.row, in: list)
      }
    }
  }
}
