/// What the clones of one plan in one graph need beside the graph, kept from one clone to the next: numbers that were
/// looked up, and memory that is empty between two clones.
///
/// Nothing in it depends on what the graph holds. Its properties are not checked for overlapping accesses, which would
/// take a small clone a tenth of its time: a run takes the workspace out of the graph, so that it alone uses it, and no
/// property's methods see the workspace.
final class CloneWorkspace {
  let plan: RowPlan
  @exclusivity(unchecked) var closure: Closure
  @exclusivity(unchecked) var links: ClonedLinks
  @exclusivity(unchecked) var rows: NewRows
  /// Of each entity number, while attributes are written: the places of the running table's originals.
  @exclusivity(unchecked) var places: [RowRuns]
  /// Of each entity number: whether the request was checked for roots of the entity.
  @exclusivity(unchecked) var isChecked: [Bool]
  /// The uniqueness constraints that clones must keep.
  let indexes: [UniqueIndex]
  /// The tables whose numbers are counted within the other parts of their keys.
  let counted: [Int]
  private var greatest = 0

  /// - Throws: `CloneError` (`store-mismatch`).
  init(_ plan: ClonePlan, graph: MemoryGraph) throws {
    let store = graph.store
    let plan = try RowPlan(plan, layout: store.layout)
    self.plan = plan
    closure = Closure(store: store, plan: plan)
    links = ClonedLinks(store: store, plan: plan)
    rows = NewRows(tables: store.layout.tables.count, copies: plan.copies)
    places = Array(repeating: RowRuns(), count: store.layout.entities.count)
    isChecked = Array(repeating: false, count: store.layout.entities.count)
    indexes = store.indexes.filter { plan.holdsRows(of: $0.table) }
    counted = plan.tableNumbers.filter { KeyNumbers(table: $0, in: graph) != nil }
  }

  /// Empties the workspace for the next clone.
  func clear() {
    greatest = max(greatest, closure.count)
    closure.clear()
    links.linked.clear()
  }

  /// Whether what is kept is small enough to be kept.
  var isSmall: Bool {
    greatest <= 1 << 14 && closure.ways.count <= 1 << 10
  }
}

/// The workspaces of the plans that were run last.
///
/// A run takes its plan's workspace out and gives it back when it has gone well, so that what a failed one has left is not
/// met again.
struct CloneWorkspaces {
  private static let capacity = 8
  /// The one that was used last comes last.
  private var idle: [CloneWorkspace] = []

  mutating func take(for plan: ClonePlan.Identity) -> CloneWorkspace? {
    idle.lastIndex { $0.plan.identity === plan }.map { idle.remove(at: $0) }
  }

  mutating func give(_ workspace: CloneWorkspace) {
    guard workspace.isSmall else { return }
    if idle.count == Self.capacity { idle.removeFirst() }
    idle.append(workspace)
  }
}
