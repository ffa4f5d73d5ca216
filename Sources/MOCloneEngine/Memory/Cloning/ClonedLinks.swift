/// What the clones of one closure refer to, and what refers to them.
struct ClonedLinks: ~Copyable {
  private var references: [ClonedReferences]
  private var joins: [ClonedJoinRows]
  var linked: LinkedObjects

  init(store: MemoryStore, plan: RowPlan) {
    let (relations, order) = (plan.layout.relations, ListOrder())
    references = store.references.filter {
      plan.holdsRows(of: $0.memberTable) || plan.holdsRows(of: $0.ownerTable)
    }.map { ClonedReferences($0, relations: relations, order: order) }
    joins = store.joins.filter {
      plan.holdsRows(of: $0.sourceTable) || plan.holdsRows(of: $0.destinationTable)
    }.map { ClonedJoinRows($0, relations: relations, order: order) }
    linked = LinkedObjects(store: store)
  }

  /// Finds the links, and with them everything that forbids the clones; nothing is written yet.
  ///
  /// - Throws: `CloneError` (`required-left-empty`).
  mutating func settle(_ closure: borrowing Closure, given: [GivenOwner]) throws {
    for i in references.indices { try references[i].settle(closure, given: given, linked: &linked) }
    for i in joins.indices { try joins[i].settle(closure, linked: &linked) }
  }

  /// Enters the clones' rows in their lists.
  mutating func write(_ rows: NewRows, in store: MemoryStore) {
    for i in references.indices { references[i].write(rows, in: store) }
    for i in joins.indices { joins[i].write(rows, in: store) }
  }
}
