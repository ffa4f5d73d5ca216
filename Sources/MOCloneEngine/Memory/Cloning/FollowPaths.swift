/// The parents of objects, and from them the nearest ancestor that has each followed attribute.
struct FollowPaths {
  private let plan: RowPlan
  /// Of each table and row found in the running generation: the best parent so far, from 1, and over what.
  private let parents: [DenseMap]
  private let ranks: [DenseMap]
  /// Of each rank: the table of the parents.
  private var tables: [Int32: Int] = [:]
  /// Of each slot and table: the original that provides the value, by place.
  private var providers: [[[Provider?]]]

  struct Provider {
    var table: Int
    var place: Int
  }

  init(plan: RowPlan, sizes: [Int]) {
    self.plan = plan
    parents = sizes.map { DenseMap(count: $0) }
    ranks = sizes.map { DenseMap(count: $0) }
    providers = plan.plan.slots.map { _ in sizes.map { _ in [] } }
    for edge in plan.edges.joined() { tables[edge.rank] = plan.layout.relations[edge.relation].table }
  }

  /// The first relationship by its name wins, then the least key.
  mutating func offer(_ parent: Row, of row: Row, in table: Int, over edge: RowPlan.Edge) {
    let rank = ranks[table][row]
    guard rank == 0 || (edge.rank, parent + 1) < (rank, parents[table][row]) else { return }
    ranks[table][row] = edge.rank
    parents[table][row] = parent + 1
  }

  /// Finds the providers of a generation; those of its parents are known.
  mutating func settle(_ rows: [Row], in table: Int, _ closure: Closure) {
    for row in rows {
      let rank = ranks[table][row]
      let parent = rank == 0 ? nil : (table: tables[rank]!, row: parents[table][row] - 1)
      for slot in providers.indices {
        providers[slot][table].append(parent.flatMap { provider(slot, parent: $0, closure) })
      }
    }
  }

  private func provider(_ slot: Int, parent: (table: Int, row: Row), _ closure: Closure) -> Provider? {
    let place = closure.place(parent.row, in: parent.table)!
    if plan.provides[slot][closure.entity(parent.row, in: parent.table)] {
      return Provider(table: parent.table, place: place)
    }
    return providers[slot][parent.table][place]
  }

  func provider(_ slot: Int, table: Int, place: Int) -> Provider? {
    providers[slot][table][place]
  }
}
