import MOCloneModel

/// The objects that one root brings along, found generation by generation over the columns.
///
/// A closure is emptied and used again: what it costs depends on the objects it finds, not on the graph. It is never
/// copied, which would cost more than a small closure itself.
struct Closure: ~Copyable {
  let store: MemoryStore
  let plan: RowPlan
  private(set) var root: (table: Int, row: Row, entity: Int) = (0, noRow, 0)
  private(set) var ways: WaySets
  /// Of each table: the originals in the order of their clones' keys, which those of the running generation get at
  /// its end.
  private(set) var originals: [[Row]]
  /// The parts of `originals` in the order of generations.
  private(set) var segments: [Segment] = []
  private(set) var count = 0
  /// Where the values that followers take come from; nil where no attribute is carried.
  private(set) var paths: FollowPaths?

  struct Segment {
    var table: Int
    var positions: Range<Int>
  }

  /// Of each table and row: the set of ways in which it was reached.
  private var reached: [DenseMap]
  /// Of each table and row: its place in `originals`, from 1.
  private var places: [DenseMap]
  /// Of each table: how many originals there were before the running generation.
  private var placed: [Int]
  /// The tables in which the running generation has found originals.
  private var tablesWithNewRows: [Int] = []
  /// Of each table, join tables included, the first row that is left out; nil where none is.
  private var ends: [Row]?
  private var frontier: Frontier
  private var nextFrontier: Frontier

  init(store: MemoryStore, plan: RowPlan) {
    self.store = store
    self.plan = plan
    ways = WaySets(plan)
    let tables = store.layout.tables.indices
    reached = tables.map { _ in DenseMap() }
    places = tables.map { _ in DenseMap() }
    originals = Array(repeating: [], count: tables.count)
    placed = Array(repeating: 0, count: tables.count)
    frontier = Frontier(nodes: plan.nodeCount)
    nextFrontier = frontier
    if plan.followsPath { paths = FollowPaths(plan: plan) }
  }

  deinit {
    for map in reached + places { map.deallocate() }
    paths?.deallocate()
  }

  /// The place of an original from 0, nil outside the closure.
  func place(_ row: Row, in table: Int) -> Int? {
    let place = places[table][row]
    return place == 0 ? nil : Int(place) - 1
  }

  /// The set of ways in which a row was reached, 0 outside the closure.
  func waySet(_ row: Row, in table: Int) -> Int32 {
    reached[table][row]
  }

  /// The first row of a table that is left out, since an earlier root has made it.
  func end(of table: Int) -> Row { ends?[table] ?? .max }

  /// The sets of ways and the places from 1 of a table's rows.
  func cells(of table: Int) -> (ways: UnsafePointer<Int32>, places: UnsafePointer<Int32>) {
    (UnsafePointer(reached[table].cells), UnsafePointer(places[table].cells))
  }

  func entity(_ row: Row, in table: Int) -> Int {
    Int(store.entities[table][row])
  }

  func id(_ row: Row, in table: Int) -> ObjectID {
    ObjectID(store.layout.entities[entity(row, in: table)].name, key: ObjectKey([.integer(Int64(row) + 1)]))
  }
}

// MARK: - Generations

extension Closure {
  /// Finds every object; the closure must be empty.
  ///
  /// - Parameters:
  ///   - ends: of each table the first row that is left out; nil where none is.
  ///   - report: called before each generation with the number of objects so far.
  mutating func find(
    from row: Row, entity: Int, before ends: [Row]? = nil, report: (Int) throws -> Void
  ) throws {
    self.ends = ends
    root = (store.layout.entities[entity].table, row, entity)
    reserve()
    enterRoot(at: plan.rootNodes[entity])
    endGeneration()
    while !frontier.active.isEmpty {
      try report(count)
      for node in frontier.active {
        for edge in plan.edges(of: node) { expand(frontier.rows[node], over: edge) }
      }
      endGeneration()
    }
  }

  private mutating func reserve() {
    for table in plan.tableNumbers {
      let rows = store.spaces[table].count
      reached[table].reserve(rows)
      places[table].reserve(rows)
      paths?.reserve(rows, in: table)
    }
  }

  /// Empties the closure for the next one.
  mutating func clear() {
    for table in plan.tableNumbers where !originals[table].isEmpty {
      let (ways, places) = (reached[table].cells, places[table].cells)
      for row in originals[table] {
        ways[Int(row)] = 0
        places[Int(row)] = 0
      }
      paths?.clear(originals[table], in: table)
      originals[table].removeAll(keepingCapacity: true)
      placed[table] = 0
    }
    segments.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Enters what a relationship leads to. The lists are walked with bare pointers.
  private mutating func expand(_ rows: [Row], over edge: RowPlan.Edge) {
    var steps = AccessSteps(edge, reached: reached[edge.table], entities: store.entities[edge.table])
    let rootRow = edge.table == root.table ? root.row : noRow
    let end = end(of: edge.table)
    // An array of its own is appended to faster than one among others.
    var found: [Row] = []
    swap(&found, &originals[edge.table])
    let isFirst = found.count == placed[edge.table]
    let followsPath = plan.followsPath
    func reach(_ row: Row, from parent: Row) {
      if row == rootRow || row >= end { return }
      // Only access paths of the object's first generation decide who its parent is.
      if followsPath, places[edge.table][row] == 0 {
        paths!.offer(parent, of: row, in: edge.table, over: edge)
      }
      guard let step = steps.step(to: row, &ways) else { return }
      nextFrontier.add(row, at: step.node)
      if step.isFirst { found.append(row) }
    }
    switch edge.side {
    case .reference(let reference):
      let owners = store.references[reference].list.owner.cells.base
      for row in rows where owners[Int(row)] != noRow { reach(owners[Int(row)], from: row) }
    case .members(let reference):
      let list = store.references[reference].list
      let (first, next) = (list.first.cells.base, list.next.cells.base)
      for row in rows {
        var member = first[Int(row)]
        while member != noRow {
          reach(member, from: row)
          member = next[Int(member)]
        }
      }
    case .links(let join, let fromSource):
      let (own, other) = store.joins[join].lists(fromSource: fromSource)
      let (first, next, owners) = (own.first.cells.base, own.next.cells.base, other.owner.cells.base)
      for row in rows {
        var link = first[Int(row)]
        while link != noRow {
          reach(owners[Int(link)], from: row)
          link = next[Int(link)]
        }
      }
    }
    if isFirst, found.count > placed[edge.table] { tablesWithNewRows.append(edge.table) }
    swap(&found, &originals[edge.table])
  }

  private mutating func enterRoot(at node: Int) {
    reached[root.table][root.row] = ways.adding(node, to: 0)
    nextFrontier.add(root.row, at: node)
    originals[root.table].append(root.row)
    tablesWithNewRows.append(root.table)
  }

  /// Gives the objects of a generation their places, in the order of their keys.
  private mutating func endGeneration() {
    swap(&frontier, &nextFrontier)
    nextFrontier.clear()
    for table in tablesWithNewRows {
      let positions = placed[table]..<originals[table].count
      place(positions, in: table)
      placed[table] = positions.upperBound
      segments.append(Segment(table: table, positions: positions))
      count += positions.count
    }
    if plan.followsPath {
      for segment in segments.suffix(tablesWithNewRows.count) { settlePaths(segment) }
    }
    tablesWithNewRows.removeAll(keepingCapacity: true)
  }

  private mutating func place(_ positions: Range<Int>, in table: Int) {
    let cells = places[table].cells
    originals[table].withUnsafeMutableBufferPointer { rows in
      if positions.count > 1 { rows[positions].sort() }
      for i in positions { cells[Int(rows[i])] = Int32(truncatingIfNeeded: i + 1) }
    }
  }

  /// Finds the providers of a generation's followers.
  private mutating func settlePaths(_ segment: Segment) {
    guard var paths = paths.take() else { return }
    paths.settle(segment, closure: self)
    self.paths = paths
  }
}
