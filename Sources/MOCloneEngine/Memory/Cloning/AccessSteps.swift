/// The steps of rows that one relationship reaches, from one set of access paths to the next.
struct AccessSteps {
  private let targets: UnsafePointer<Int32>
  private let reached: UnsafeMutablePointer<Int32>
  private let entities: UnsafeMutablePointer<Row>
  /// The step that was made last; most rows make the same.
  private var last: (old: Int32, node: Int32, new: Int32) = (-1, -1, 0)

  /// Where a row is reached, if that is new.
  struct Step {
    var node: Int
    /// Whether the row was not in the closure.
    var isFirst: Bool
  }

  init(_ edge: RowPlan.Edge, reached: DenseMap, entities: RowColumn) {
    targets = edge.targets
    self.reached = reached.cells
    self.entities = entities.cells.base
  }

  /// Notes that a row was reached; nil where it was in the same way before.
  mutating func step(to row: Row, _ ways: inout WaySets) -> Step? {
    let node = targets[Int(entities[Int(row)])]
    let old = reached[Int(row)]
    if old != last.old || node != last.node { last = (old, node, ways.adding(Int(node), to: old)) }
    if last.new == old { return nil }
    reached[Int(row)] = last.new
    return Step(node: Int(node), isFirst: old == 0)
  }
}

/// Rows to expand next, by the node at which they were reached.
struct Frontier {
  private(set) var rows: [[Row]] = []
  private(set) var active: [Int] = []

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
