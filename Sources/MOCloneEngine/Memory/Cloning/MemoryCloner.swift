import Foundation
import MOCloneModel

/// Runs a plan over the columns of a graph: sets of rows, never object by object.
struct MemoryCloner {
  let graph: MemoryGraph
  let plan: ClonePlan
  let run: CloneRun

  /// Clones each root in turn; the caller takes everything back where it throws.
  func clone(_ roots: [ObjectID]) throws -> CloneResult {
    let rowPlan = try checkedPlan(roots)
    let now = run.generator.now()
    var result = CloneResult()
    for root in roots {
      let closure = try closure(of: root, rowPlan)
      let writer = CloneWriter(graph: graph, closure: closure, plan: rowPlan, run: run, now: now)
      result.add(try writer.write())
    }
    return result
  }

  /// The objects that the roots bring along, each once.
  func originals(_ roots: [ObjectID]) throws -> [ObjectID] {
    let rowPlan = try checkedPlan(roots)
    var seen: Set<ObjectID> = []
    return try roots.flatMap { root in
      try closure(of: root, rowPlan).originals.enumerated().flatMap { table, rows in
        rows.map { graph.objectID($0, in: table) }.filter { seen.insert($0).inserted }
      }
    }
  }

  private func checkedPlan(_ roots: [ObjectID]) throws -> RowPlan {
    try plan.check(roots: roots.map { ObjectID(try graph.located($0).entity.name, key: $0.key) })
    return try RowPlan(plan, layout: graph.store.layout)
  }

  private func closure(of root: ObjectID, _ rowPlan: RowPlan) throws -> Closure {
    let closure = Closure(store: graph.store, plan: rowPlan, root: try place(of: root))
    try run.measure(.closure) {
      try closure.find { try run.report(CloneProgress(phase: .closure, objects: $0)) }
    }
    return closure
  }

  private func place(of root: ObjectID) throws -> (table: Int, row: Row) {
    let (entity, row) = try graph.located(root)
    return (entity.table, row)
  }
}

/// Writes the clones of one closure: all rows at once, then what differs, then their lists.
struct CloneWriter {
  let graph: MemoryGraph
  let closure: Closure
  let plan: RowPlan
  let run: CloneRun
  let now: Date
  /// Of each table: the first new row.
  let bases: [Int]
  var store: MemoryStore { graph.store }
  var copies: Int { plan.plan.request.count }

  init(graph: MemoryGraph, closure: Closure, plan: RowPlan, run: CloneRun, now: Date) {
    self.graph = graph
    self.closure = closure
    self.plan = plan
    self.run = run
    self.now = now
    bases = graph.store.layout.tables.indices.map { graph.store.spaces[$0].count }
  }

  func write() throws -> CloneResult {
    var linked = LinkedObjects(store: store)
    let given = try givenOwners()
    let references = try store.references.map {
      try ReferencePairs($0, closure: closure, given: given, linked: &linked)
    }
    let joins = try store.joins.map { try LinkPairs($0, closure: closure, linked: &linked) }
    for index in store.indexes where !closure.originals[index.table].isEmpty { index.refresh() }
    try run.measure(.write) {
      try makeRows()
      for pairs in references { chain(pairs) }
      try AttributeWriter(writer: self).write()
    }
    try run.report(CloneProgress(phase: .joins, objects: closure.count * copies))
    try run.measure(.joins) {
      for pairs in joins { chain(pairs) }
      try enterUniqueValues()
    }
    return result(linked)
  }

  /// The row of a copy of the original at a place.
  func newRow(_ place: Int, in table: Int, copy: Int) -> Row {
    Row(bases[table] + copy * closure.originals[table].count + place)
  }

  private func makeRows() throws {
    for (table, originals) in closure.originals.enumerated() where !originals.isEmpty {
      try run.report(CloneProgress(phase: .write, objects: closure.count * copies))
      guard bases[table] + originals.count * copies < Int(Row.max) else {
        throw CloneError(
          .noRoomForKeys, "\(store.layout.tables[table].root) has no room for so many objects in memory")
      }
      store.appendCopies(of: originals, to: table, times: copies)
    }
  }

  private func enterUniqueValues() throws {
    for index in store.indexes {
      let table = index.table
      for copy in 0..<copies {
        for place in closure.originals[table].indices {
          let row = newRow(place, in: table, copy: copy)
          guard index.insert(row) != nil else { continue }
          throw CloneError.notMadeUnique(
            index.constraint, of: index.entity, value: index.text(row),
            original: graph.objectID(closure.originals[table][place], in: table))
        }
      }
    }
  }

  private func result(_ linked: LinkedObjects) -> CloneResult {
    var result = CloneResult()
    result.roots = (0..<copies).map { id(0, in: closure.root.table, copy: $0) }
    if run.countsLinks { result.linked = linked.counts }
    for (table, originals) in closure.originals.enumerated() {
      var counts = Array(repeating: 0, count: store.layout.entities.count)
      let entities = store.entities[table].cells.base
      for row in originals { counts[Int(entities[Int(row)])] += copies }
      for (entity, count) in counts.enumerated() where count > 0 {
        result.cloned[store.layout.entities[entity].name] = count
      }
    }
    if run.keepsMapping { result.mapping = (0..<copies).flatMap { mapping(copy: $0) } }
    return result
  }

  private func mapping(copy: Int) -> [CloneResult.Pair] {
    closure.originals.enumerated().flatMap { table, originals in
      originals.enumerated().map { place, row in
        CloneResult.Pair(original: graph.objectID(row, in: table), clone: id(place, in: table, copy: copy))
      }
    }
  }

  private func id(_ place: Int, in table: Int, copy: Int) -> ObjectID {
    graph.objectID(newRow(place, in: table, copy: copy), in: table)
  }
}

extension CloneError {
  /// A unique attribute that no rule makes new.
  public static func notMadeUnique(
    _ constraint: [String], of entity: String, value: String, original: ObjectID
  ) -> CloneError {
    let names = constraint.joined(separator: ", ")
    return CloneError(
      .uniqueValue,
      "\(names) of \(entity) is unique, and the clone of \(original) would hold \(value) again; give it "
        + "'rebuild' or 'exclude', or set it",
      entity: entity, property: constraint[0], object: original)
  }

  /// A required relationship that the clone of an original would leave empty.
  public static func requiredLeftEmpty(_ relationship: String, of original: ObjectID) -> CloneError {
    CloneError(
      .requiredLeftEmpty,
      "'\(relationship)' of \(original.entity) is required, but the clone of \(original) would leave it empty",
      property: relationship, object: original)
  }
}
