import Foundation
import MOCloneModel

/// Writes what clones hold instead of a copy, column by column; the rows exist already as copies.
struct AttributeWriter {
  let writer: CloneWriter
  private var store: MemoryStore { writer.store }
  private var closure: Closure { writer.closure }
  private var plan: RowPlan { writer.plan }

  /// What needs no ancestor comes first, then numbers of keys, then followers: of the root, then others, parents first.
  func write() throws {
    let root = closure.root
    let rootEntity = closure.entity(root.row, in: root.table)
    let rootNode = plan.plan.root(of: store.layout.entities[rootEntity].name)!
    try write(rootNode, rootEntity, places: RowRuns(0..<1)) { _ in true }
    var written: [(node: PlanNode, entity: Int, places: RowRuns)] = []
    var carried: [Int: [AttributePlan]] = [:]
    for table in closure.originals.indices where needsWriting(table) {
      for (entity, places) in placesByEntity(table).enumerated() {
        guard !places.isEmpty, let node = plan.nodeOfEntity[entity] else { continue }
        written.append((plan.plan.nodes[node], entity, places))
        carried[entity] = plan.plan.nodes[node].attributes.filter { $0.rule.isCarried }
      }
    }
    for (node, entity, places) in written { try write(node, entity, places: places) { !$0.isFollowing } }
    try countKeys(rootNode)
    for (node, entity, places) in written { try write(node, entity, places: places) { $0.isFollowing } }
    if carried.values.contains(where: { !$0.isEmpty }) { try follow(carried) }
  }

  /// Whether a clone in a table can hold anything but a copy, the root aside.
  private func needsWriting(_ table: Int) -> Bool {
    guard !closure.originals[table].isEmpty else { return false }
    return plan.nodeOfEntity.contains { entity, node in
      store.layout.entities[entity].table == table
        && plan.plan.nodes[node].attributes.contains { $0.rule != .copy }
    }
  }

  /// The places of a table's originals by entity number, the root left out.
  private func placesByEntity(_ table: Int) -> [RowRuns] {
    let originals = closure.originals[table]
    let first = table == closure.root.table ? 1 : 0
    var places = Array(repeating: RowRuns(), count: store.layout.entities.count)
    let kinds = store.layout.entities.indices.filter { store.layout.entities[$0].table == table }
    if kinds.count == 1 {
      places[kinds[0]] = RowRuns(Row(first)..<Row(max(first, originals.count)))
      return places
    }
    let entities = store.entities[table].cells.base
    for place in first..<max(first, originals.count) {
      places[Int(entities[Int(originals[place])])].append(Row(place))
    }
    return places
  }

  /// Counts the numbers within the other parts of composite keys, whose references are there already.
  private func countKeys(_ root: PlanNode) throws {
    for table in closure.originals.indices where !closure.originals[table].isEmpty {
      guard let numbers = KeyNumbers(table: table, in: writer.graph) else { continue }
      let isGiven = root.attributes.contains { planned in
        if case .set = planned.rule { planned.attribute.name == numbers.column.attribute.name } else { false }
      }
      let roots = (0..<writer.copies).map { writer.newRow(0, in: table, copy: $0) }
      let given = isGiven && table == closure.root.table ? Set(roots) : []
      try numbers.count(from: Row(writer.bases[table]), except: given)
    }
  }

  private func write(
    _ node: PlanNode, _ entity: Int, places: RowRuns, where condition: (AttributeRule) -> Bool
  ) throws {
    for planned in node.attributes where condition(planned.rule) {
      let column = column(planned.attribute.name, entity)
      try write(planned.rule, planned.attribute, column, places)
    }
  }

  private func column(_ attribute: String, _ entity: Int) -> ValueColumn {
    let layout = store.layout.entities[entity]
    return store.spaces[layout.table].valueColumns[layout.columns[attribute]!]
  }

  private func write(
    _ rule: AttributeRule, _ attribute: AttributeDescription, _ column: ValueColumn, _ places: RowRuns
  ) throws {
    switch rule {
    case .copy: break
    case .exclude(let value), .set(let value): fill(column, places) { _ in value }
    case .rebuild(.uuid), .key(.uuid):
      let uuid = writer.run.generator.uuid
      fillEach(column, places) { _ in .new(uuid(), as: attribute.type) }
    case .rebuild(.now): fill(column, places) { _ in .date(writer.now) }
    case .key(.rowid), .key(.max), .key(.automatic):
      // Those within other parts are counted when these are known.
      guard attribute.type.isInteger, !isCountedWithin(column) else { break }
      fillEach(column, places) { .integer(Int64($0) + 1) }
    case .key(.relationship), .key(.copied), .key(.given): break
    case .followParent(let slot, .root, _):
      let root = closure.entity(closure.root.row, in: closure.root.table)
      let source = self.column(plan.plan.slots[slot].attribute, root)
      try checkRequired(
        attribute, source.value(writer.newRow(0, in: closure.root.table, copy: 0)), places, column)
      fill(column, places) { copy in source.value(writer.newRow(0, in: closure.root.table, copy: copy)) }
    case .followParent(let slot, .none, let fallback):
      try write(fallback, slot, attribute, column, places)
    case .followParent(_, .carried, _): break
    }
  }

  private func isCountedWithin(_ column: ValueColumn) -> Bool {
    KeyNumbers(table: column.space, in: writer.graph)?.column === column
  }

  private func write(
    _ fallback: FollowFallback, _ slot: Int, _ attribute: AttributeDescription, _ column: ValueColumn,
    _ places: RowRuns
  ) throws {
    switch fallback {
    case .rule(let rule): try write(rule, attribute, column, places)
    case .error:
      let original = original(places.first!, column)
      throw CloneError([
        .missingAncestor(attribute.name, of: original.entity, slot: plan.plan.slots[slot], object: original)
      ])
    }
  }

  private func original(_ place: Int32, _ column: ValueColumn) -> ObjectID {
    closure.id(closure.originals[column.space][Int(place)], in: column.space)
  }

  /// Writes a value of its own into the cell of each new row. New rows need no journal.
  private func fillEach(_ column: ValueColumn, _ places: RowRuns, _ value: (Row) -> AttributeValue) {
    for copy in 0..<writer.copies {
      column.fill(from: writer.newRow(0, in: column.space, copy: copy), places, value)
    }
  }

  /// Writes one value into all cells of a copy; `value` gets the number of the copy.
  private func fill(_ column: ValueColumn, _ places: RowRuns, _ value: (Int) -> AttributeValue) {
    for copy in 0..<writer.copies {
      column.fill(from: writer.newRow(0, in: column.space, copy: copy), places, with: value(copy))
    }
  }

  private func checkRequired(
    _ attribute: AttributeDescription, _ value: AttributeValue, _ places: RowRuns, _ column: ValueColumn
  ) throws {
    guard value.isNull, !attribute.isOptional else { return }
    throw CloneError.requiredLeftEmpty(attribute.name, of: original(places.first!, column))
  }
}

// MARK: - Values carried down the path

extension AttributeWriter {
  private func follow(_ carried: [Int: [AttributePlan]]) throws {
    for segment in closure.segments {
      for place in segment.positions {
        let row = closure.originals[segment.table][place]
        // The root has no ancestor.
        if place == 0, segment.table == closure.root.table { continue }
        let entity = closure.entity(row, in: segment.table)
        for planned in carried[entity] ?? [] { try follow(planned, entity, place) }
      }
    }
  }

  private func follow(_ planned: AttributePlan, _ entity: Int, _ place: Int) throws {
    guard case .followParent(let slot, _, let fallback) = planned.rule else { return }
    let column = column(planned.attribute.name, entity)
    guard let provider = closure.paths?.provider(slot, table: column.space, place: place) else {
      return try write(fallback, slot, planned.attribute, column, RowRuns(Row(place)..<Row(place + 1)))
    }
    let providerRow = closure.originals[provider.table][provider.place]
    let source = self.column(
      plan.plan.slots[slot].attribute, closure.entity(providerRow, in: provider.table))
    for copy in 0..<writer.copies {
      let value = source.value(writer.newRow(provider.place, in: provider.table, copy: copy))
      try checkRequired(planned.attribute, value, RowRuns(Row(place)..<Row(place + 1)), column)
      store.set(column, writer.newRow(place, in: column.space, copy: copy), value)
    }
  }
}
