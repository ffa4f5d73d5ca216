import Foundation
import MOCloneModel

/// Writes the clones of one closure: all rows at once, then what differs, then their lists.
struct CloneWriter {
  let graph: MemoryGraph
  let workspace: CloneWorkspace
  let options: CloneOptions
  let now: Date
  var store: MemoryStore { graph.store }
  var plan: RowPlan { workspace.plan }
  var copies: Int { workspace.plan.copies }
  var root: (table: Int, row: Row, entity: Int) { workspace.closure.root }

  func write(into result: inout CloneResult) throws {
    try workspace.links.settle(workspace.closure, given: givenOwners())
    for index in workspace.indexes where count(in: index.table) > 0 { index.refresh() }
    try options.measure(.write, makeRows)
    try options.report(CloneProgress(phase: .joins, objects: total, total: total))
    // Numbers are counted within what the new rows refer to.
    options.measure(.joins) { workspace.links.write(workspace.rows, in: store) }
    try options.measure(.write) {
      try writeAttributes()
      try enterUniqueValues()
    }
    add(to: &result)
  }

  /// How many originals there are in a table.
  func count(in table: Int) -> Int {
    workspace.closure.originals[table].count
  }

  func newRow(_ place: Int, in table: Int, copy: Int) -> Row {
    workspace.rows.row(place, in: table, copy: copy)
  }

  private var total: Int { workspace.closure.count * copies }

  private func makeRows() throws {
    try checkRoom()
    var written = 0
    for table in plan.tableNumbers where count(in: table) > 0 {
      try options.report(CloneProgress(phase: .write, objects: written, total: total))
      written += count(in: table) * copies
      let (first, count) = (store.spaces[table].count, count(in: table))
      workspace.rows.set(first: Row(first), count: Row(count), in: table)
      store.appendCopies(of: workspace.closure.originals[table], to: table, times: copies)
    }
  }

  /// Asked before any row is made, which takes long where there are so many.
  private func checkRoom() throws {
    for table in plan.tableNumbers {
      guard store.spaces[table].count + count(in: table) * copies < Int(Row.max) else {
        throw CloneError(
          .noRoomForKeys, "\(store.layout.tables[table].root) has no room in memory for so many objects")
      }
    }
  }

  private func enterUniqueValues() throws {
    for index in workspace.indexes {
      let table = index.table
      for copy in 0..<copies {
        for place in 0..<count(in: table) {
          let row = newRow(place, in: table, copy: copy)
          guard index.insert(row) != nil else { continue }
          throw CloneError.notMadeUnique(
            index.constraint, of: index.entity, value: index.text(row),
            original: graph.objectID(workspace.closure.originals[table][place], in: table),
            help: plan.plan.generates(index.constraint, of: index.entity)
              ? ValueGenerator.adviceAgainstRepetition
              : graph.model.advice(
                repeating: index.constraint, of: index.entity, canBeRoot: table == root.table))
        }
      }
    }
  }

  private func add(to result: inout CloneResult) {
    for copy in 0..<copies { result.roots.append(id(0, in: root.table, copy: copy)) }
    if options.countsLinks { result.linked.merge(workspace.links.linked.counts, uniquingKeysWith: +) }
    if options.countsObjects { result.cloned.merge(counts(), uniquingKeysWith: +) }
    if options.keepsMapping {
      for copy in 0..<copies { addMapping(copy: copy, to: &result) }
    }
  }

  private func counts() -> [String: Int] {
    var counts = Array(repeating: 0, count: store.layout.entities.count)
    for table in plan.tableNumbers {
      let entities = store.entities[table].cells.base
      for row in workspace.closure.originals[table] { counts[Int(entities[Int(row)])] += copies }
    }
    let named = zip(store.layout.entities, counts).filter { $1 > 0 }.map { ($0.name, $1) }
    return Dictionary(uniqueKeysWithValues: named)
  }

  private func addMapping(copy: Int, to result: inout CloneResult) {
    for table in plan.tableNumbers {
      for (place, row) in workspace.closure.originals[table].enumerated() {
        result.mapping.append(
          CloneResult.Pair(original: graph.objectID(row, in: table), clone: id(place, in: table, copy: copy)))
      }
    }
  }

  private func id(_ place: Int, in table: Int, copy: Int) -> ObjectID {
    graph.objectID(newRow(place, in: table, copy: copy), in: table)
  }
}

/// Where the clones of a closure lie: in each table the copies one after another.
struct NewRows {
  let copies: Int
  /// Of each table: the first new row, and how many rows a copy has.
  private var tables: [(first: Row, count: Row)]

  init(tables: Int, copies: Int) {
    self.copies = copies
    self.tables = Array(repeating: (0, 0), count: tables)
  }

  mutating func set(first: Row, count: Row, in table: Int) {
    tables[table] = (first, count)
  }

  /// The row of a copy of the original at a place.
  func row(_ place: Int, in table: Int, copy: Int) -> Row {
    tables[table].first + Row(copy) * tables[table].count + Row(place)
  }
}

extension [String] {
  /// What is said of the properties of a uniqueness constraint.
  var areUnique: String { count > 1 ? "are unique together" : "is unique" }
}

extension CloneError {
  /// A unique attribute that no rule makes new.
  public static func notMadeUnique(
    _ constraint: [String], of entity: String, value: String, original: ObjectID, help: String
  ) -> CloneError {
    let names = constraint.joined(separator: ", ")
    return CloneError(
      .uniqueValue,
      "\(names) of \(entity) \(constraint.areUnique), but the clone of \(original) would repeat \(value)",
      help: help, entity: entity, property: constraint[0], object: original)
  }

  /// A required relationship that the clone of an original would leave empty.
  public static func requiredLeftEmpty(_ relationship: String, of original: ObjectID) -> CloneError {
    CloneError(
      .requiredLeftEmpty,
      "'\(relationship)' of \(original.entity) is required, but the clone of \(original) would leave it empty",
      property: relationship, object: original)
  }

  /// The same of a list in which the clone would have fewer objects than it must, and than its original has.
  package static func tooFewLeft(_ relationship: RelationshipDescription, of original: ObjectID) -> CloneError
  {
    let least = relationship.leastCount
    guard least > 1 else { return requiredLeftEmpty(relationship.name, of: original) }
    return CloneError(
      .requiredLeftEmpty,
      "'\(relationship.name)' of \(original.entity) has at least \(least) objects (minCount), but the clone of \(original) would "
        + "have fewer, because some are excluded, or lie outside the clone and cannot be shared",
      help: "leave out less, or lower the minCount",
      property: relationship.name, object: original)
  }
}
