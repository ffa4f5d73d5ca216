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

  private let forgetsIdentity = Sabotage.isOn(.forgetsIdentity)
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
    enter(root.row, in: root.table, at: node.id)
    endGeneration()
    while !frontier.active.isEmpty {
      try report(count)
      for node in frontier.active {
        for edge in plan.edges[node] { expand(frontier.rows[node], over: edge) }
      }
      endGeneration()
    }
  }

  private func expand(_ rows: [Row], over edge: RowPlan.Edge) {
    switch edge.side {
    case .reference(let reference):
      let owner = store.references[reference].list.owner
      for row in rows where owner[row] != noRow { arrive(at: owner[row], over: edge, from: row) }
    case .members(let reference):
      let list = store.references[reference].list
      for row in rows {
        var member = list.first[row]
        while member != noRow {
          arrive(at: member, over: edge, from: row)
          member = list.next[member]
        }
      }
    case .links(let join, let fromSource):
      let (own, other) = store.joins[join].lists(fromSource: fromSource)
      for row in rows {
        var link = own.first[row]
        while link != noRow {
          arrive(at: other.owner[link], over: edge, from: row)
          link = own.next[link]
        }
      }
    }
  }

  private func arrive(at row: Row, over edge: RowPlan.Edge, from parent: Row) {
    if row == root.row, edge.table == root.table { return }
    // Only arrivals in the object's first generation decide who its parent is.
    if paths != nil, places[edge.table][row] == 0 {
      paths!.offer(parent, of: row, in: edge.table, over: edge)
    }
    enter(row, in: edge.table, at: edge.targets[entity(row, in: edge.table)])
  }

  private func enter(_ row: Row, in table: Int, at node: Int) {
    let old = reached[table][row]
    let new = ways.adding(node, to: old)
    if new == old { return }
    reached[table][row] = new
    nextFrontier.add(row, at: node)
    guard old == 0 else { return }
    if fresh[table].isEmpty { freshTables.append(table) }
    fresh[table].append(row)
  }

  /// Gives the objects of a generation their places, in the order of their keys.
  private func endGeneration() {
    swap(&frontier, &nextFrontier)
    nextFrontier.clear()
    for table in freshTables {
      fresh[table].sort()
      let start = originals[table].count
      originals[table].append(contentsOf: fresh[table])
      for (i, row) in fresh[table].enumerated() { places[table][row] = Int32(start + i + 1) }
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
