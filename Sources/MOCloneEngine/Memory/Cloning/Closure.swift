import MOCloneModel

/// The objects that one root brings along, found generation by generation over the columns.
final class Closure {
  let store: MemoryStore
  let plan: RowPlan
  let root: (table: Int, row: Row)
  private(set) var ways: WaySets
  /// Of each table: the originals in the order of their clones' keys.
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

  let forgetsIdentity = Sabotage.isOn(.forgetsIdentity)
  /// Of each table and row: the set of ways in which it was reached.
  private let reached: [DenseMap]
  /// Of each table and row: its place in `originals`, from 1.
  private let places: [DenseMap]
  /// Of each table: rows found in the running generation.
  private var fresh: [[Row]]
  private var freshTables: [Int] = []
  private var frontier = Frontier()
  private var nextFrontier = Frontier()

  init(store: MemoryStore, plan: RowPlan, root: (table: Int, row: Row)) {
    self.store = store
    self.plan = plan
    self.root = root
    ways = WaySets(plan)
    let tables = store.layout.tables.indices
    let used = Set(plan.plan.nodes.map { store.layout.entities[store.layout.number[$0.entity]!].table })
    let sizes = tables.map { used.contains($0) ? store.spaces[$0].count : 0 }
    reached = sizes.map { DenseMap(count: $0) }
    places = sizes.map { DenseMap(count: $0) }
    originals = Array(repeating: [], count: tables.count)
    fresh = originals
    frontier = Frontier(nodes: plan.edges.count)
    nextFrontier = frontier
    if plan.followsPath { paths = FollowPaths(plan: plan, sizes: sizes) }
  }

  /// The place of an original from 0, nil outside the closure.
  func place(_ row: Row, in table: Int) -> Int? {
    let place = places[table][row]
    return place == 0 ? nil : Int(place) - 1
  }

  /// The place of the original whose clone a reference to a row is to lead to, nil outside the closure.
  func cloneOf(_ row: Row, in table: Int) -> Int? {
    forgetsIdentity ? nil : place(row, in: table)
  }

  /// The set of ways in which a row was reached, 0 outside the closure.
  func waySet(_ row: Row, in table: Int) -> Int32 {
    reached[table][row]
  }

  /// The sets of ways and the places from 1 of a table's rows.
  func cells(of table: Int) -> (ways: UnsafePointer<Int32>, places: UnsafePointer<Int32>) {
    (UnsafePointer(reached[table].cells), UnsafePointer(places[table].cells))
  }

  func entity(_ row: Row, in table: Int) -> Int {
    Int(store.entities[table][row])
  }
}

/// Rows to expand next, by the node at which they were reached.
struct Frontier {
  private(set) var rows: [[Row]] = []
  private(set) var active: [Int] = []

  init() {}

  init(nodes: Int) {
    rows = Array(repeating: [], count: nodes)
  }

  mutating func add(_ row: Row, at node: Int) {
    if rows[node].isEmpty { active.append(node) }
    rows[node].append(row)
  }

  mutating func clear() {
    for node in active { rows[node].removeAll(keepingCapacity: true) }
    active.removeAll(keepingCapacity: true)
  }
}

// MARK: - Generations

extension Closure {
  /// Finds every object.
  ///
  /// - Parameter report: called before each generation with the number of objects so far.
  func find(report: (Int) throws -> Void) throws {
    let node = plan.plan.roots.first { store.layout.number[$0.entity] == entity(root.row, in: root.table) }!
    enterRoot(at: node.id)
    endGeneration()
    while !frontier.active.isEmpty {
      try report(count)
      for node in frontier.active {
        for edge in plan.edges[node] { expand(frontier.rows[node], over: edge) }
      }
      endGeneration()
    }
  }

  /// Enters what a relationship leads to. The lists are walked with bare pointers and arrays that are taken out of the
  /// closure meanwhile: each access to a property of an object is checked, which costs more than the step itself.
  private func expand(_ rows: [Row], over edge: RowPlan.Edge) {
    var arrivals = Arrivals(of: edge, ways: reached[edge.table].cells, entities: store.entities[edge.table])
    let rootRow = edge.table == root.table ? root.row : noRow
    swap(&arrivals.frontier, &nextFrontier)
    swap(&arrivals.fresh, &fresh[edge.table])
    let wasEmpty = arrivals.fresh.isEmpty
    let followsPath = paths != nil
    func arrive(at row: Row, from parent: Row) {
      if row == rootRow { return }
      // Only arrivals in the object's first generation decide who its parent is.
      if followsPath, places[edge.table][row] == 0 {
        paths!.offer(parent, of: row, in: edge.table, over: edge)
      }
      arrivals.enter(row, &ways)
    }
    switch edge.side {
    case .reference(let reference):
      let owners = store.references[reference].list.owner.cells.base
      for row in rows where owners[Int(row)] != noRow { arrive(at: owners[Int(row)], from: row) }
    case .members(let reference):
      let list = store.references[reference].list
      let (first, next) = (list.first.cells.base, list.next.cells.base)
      for row in rows {
        var member = first[Int(row)]
        while member != noRow {
          arrive(at: member, from: row)
          member = next[Int(member)]
        }
      }
    case .links(let join, let fromSource):
      let (own, other) = store.joins[join].lists(fromSource: fromSource)
      let (first, next, owners) = (own.first.cells.base, own.next.cells.base, other.owner.cells.base)
      for row in rows {
        var link = first[Int(row)]
        while link != noRow {
          arrive(at: owners[Int(link)], from: row)
          link = next[Int(link)]
        }
      }
    }
    if wasEmpty, !arrivals.fresh.isEmpty { freshTables.append(edge.table) }
    swap(&arrivals.fresh, &fresh[edge.table])
    swap(&arrivals.frontier, &nextFrontier)
  }

  private func enterRoot(at node: Int) {
    reached[root.table][root.row] = ways.adding(node, to: 0)
    nextFrontier.add(root.row, at: node)
    fresh[root.table].append(root.row)
    freshTables.append(root.table)
  }

  /// Gives the objects of a generation their places, in the order of their keys.
  private func endGeneration() {
    swap(&frontier, &nextFrontier)
    nextFrontier.clear()
    for table in freshTables {
      fresh[table].sort()
      let start = originals[table].count
      originals[table].append(contentsOf: fresh[table])
      let cells = places[table].cells
      for (i, row) in fresh[table].enumerated() { cells[Int(row)] = Int32(truncatingIfNeeded: start + i + 1) }
      segments.append(Segment(table: table, positions: start..<originals[table].count))
      count += fresh[table].count
    }
    for table in freshTables {
      if paths != nil { paths!.settle(fresh[table], in: table, self) }
      fresh[table].removeAll(keepingCapacity: true)
    }
    freshTables.removeAll(keepingCapacity: true)
  }
}
