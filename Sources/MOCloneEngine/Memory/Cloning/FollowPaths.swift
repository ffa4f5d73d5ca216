/// The parents of objects, and from them the nearest ancestor that has each followed attribute.
struct FollowPaths {
  private let plan: RowPlan
  /// Of each table and row found in the running generation: the best parent so far, from 1, and over what.
  private var parents: [DenseMap]
  private var ranks: [DenseMap]
  /// Of each rank: the table of the parents.
  private var tables: [Int32: Int] = [:]
  /// Of each slot and table: the original that provides the value, by place.
  private var providers: [[[Provider?]]]

  struct Provider {
    var table: Int
    var place: Int
  }

  init(plan: RowPlan) {
    self.plan = plan
    let layout = plan.layout.tables
    parents = layout.map { _ in DenseMap() }
    ranks = layout.map { _ in DenseMap() }
    providers = plan.plan.slots.map { _ in layout.map { _ in [] } }
    for (rank, relation) in zip(plan.layout.ranks, plan.layout.relations) { tables[rank] = relation.table }
  }

  func deallocate() {
    for map in parents + ranks { map.deallocate() }
  }

  mutating func reserve(_ rows: Int, in table: Int) {
    parents[table].reserve(rows)
    ranks[table].reserve(rows)
  }

  /// Forgets a table's originals.
  mutating func clear(_ rows: [Row], in table: Int) {
    for row in rows {
      parents[table][row] = 0
      ranks[table][row] = 0
    }
    for slot in providers.indices { providers[slot][table].removeAll(keepingCapacity: true) }
  }

  /// The first relationship by its name wins, then the least key.
  mutating func offer(_ parent: Row, of row: Row, in table: Int, over edge: RowPlan.Edge) {
    let rank = ranks[table][row]
    guard rank == 0 || (edge.rank, parent + 1) < (rank, parents[table][row]) else { return }
    ranks[table][row] = edge.rank
    parents[table][row] = parent + 1
  }

  /// Finds the providers of a generation; those of its parents are known.
  mutating func settle(_ segment: Closure.Segment, closure: borrowing Closure) {
    let table = segment.table
    for place in segment.positions {
      let row = closure.originals[table][place]
      let rank = ranks[table][row]
      let parent = rank == 0 ? nil : (table: tables[rank]!, row: parents[table][row] - 1)
      for slot in providers.indices {
        var found: Provider?
        if let parent { found = provider(slot, parent: parent, closure: closure) }
        providers[slot][table].append(found)
      }
    }
  }

  private func provider(_ slot: Int, parent: (table: Int, row: Row), closure: borrowing Closure)
    -> Provider?
  {
    let place = closure.place(parent.row, in: parent.table)!
    if plan.followed[slot][closure.entity(parent.row, in: parent.table)] != nil {
      return Provider(table: parent.table, place: place)
    }
    return providers[slot][parent.table][place]
  }

  func provider(_ slot: Int, table: Int, place: Int) -> Provider? {
    providers[slot][table][place]
  }
}
