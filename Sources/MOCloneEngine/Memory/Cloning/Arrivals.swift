/// Enters the rows at which one relationship arrives.
struct Arrivals {
  var frontier = Frontier()
  var fresh: [Row] = []
  private let targets: [Int]
  private let reached: UnsafeMutablePointer<Int32>
  private let entities: UnsafeMutablePointer<Row>
  /// The step from one set of ways to the next that was made last; most rows make the same.
  private var last: (old: Int32, node: Int, new: Int32) = (-1, -1, 0)

  init(of edge: RowPlan.Edge, ways: UnsafeMutablePointer<Int32>, entities: RowColumn) {
    targets = edge.targets
    reached = ways
    self.entities = entities.cells.base
  }

  mutating func enter(_ row: Row, _ ways: inout WaySets) {
    let node = targets[Int(entities[Int(row)])]
    let old = reached[Int(row)]
    if old != last.old || node != last.node { last = (old, node, ways.adding(node, to: old)) }
    if last.new == old { return }
    reached[Int(row)] = last.new
    frontier.add(row, at: node)
    if old == 0 { fresh.append(row) }
  }
}
