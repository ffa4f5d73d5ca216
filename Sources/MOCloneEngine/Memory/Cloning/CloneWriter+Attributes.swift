import Foundation
import MOCloneModel

/// What clones hold instead of a copy, column by column; the rows exist already as copies.
extension CloneWriter {
  /// The root comes first, since others follow it; then what needs no ancestor; then followers, parents first. Numbers
  /// within the other parts of a key are counted when these are known, and before anything follows them.
  func writeAttributes() throws {
    let rootWrites = plan.rootWrites[root.entity]
    try write(rootWrites.settled, in: root.table, places: RowRuns(0..<1))
    if workspace.counted.isEmpty {
      try writeTables { $0.settled }
    } else {
      try writeTables { $0.settled.filter { !$0.fill.follows } }
      try countNumbers()
      try writeTables { $0.settled.filter(\.fill.follows) }
    }
    if plan.followsPath { try follow() }
  }

  private func writeTables(_ settled: (RowPlan.Writes) -> [RowPlan.Settled]) throws {
    for table in plan.tables where table.isWritten {
      let first = table.number == root.table ? 1 : 0
      let count = count(in: table.number)
      if count > first { try write(table, first..<count, settled) }
    }
  }

  /// A number that the request sets for the root is no number to count.
  private func countNumbers() throws {
    for table in workspace.counted where count(in: table) > 0 {
      guard let numbers = KeyNumbers(table: table, in: graph) else { continue }
      let columns = store.spaces[table].valueColumns
      let isGiven =
        table == root.table
        && plan.rootWrites[root.entity].settled.contains { column, fill in
          fill.isValue && columns[column].attribute.name == numbers.column.attribute.name
        }
      let roots = (0..<copies).map { newRow(0, in: table, copy: $0) }
      try numbers.count(from: newRow(0, in: table, copy: 0), except: isGiven ? Set(roots) : [])
    }
  }

  private func write(
    _ table: RowPlan.Table, _ places: Range<Int>, _ settled: (RowPlan.Writes) -> [RowPlan.Settled]
  ) throws {
    if table.entities.count == 1 {
      return try write(
        settled(plan.writes[table.entities[0]]), in: table.number,
        places: RowRuns(Row(places.lowerBound)..<Row(places.upperBound)))
    }
    for entity in table.entities { workspace.places[entity] = RowRuns() }
    let entities = store.entities[table.number].cells.base
    let originals = workspace.closure.originals[table.number]
    for place in places { workspace.places[Int(entities[Int(originals[place])])].append(Row(place)) }
    for entity in table.entities {
      try write(settled(plan.writes[entity]), in: table.number, places: workspace.places[entity])
    }
  }

  private func write(_ settled: [RowPlan.Settled], in table: Int, places: RowRuns) throws {
    if places.isEmpty { return }
    for (column, fill) in settled {
      try store.spaces[table].withColumn(column) { try write(fill, $0, places) }
    }
  }

  /// The value of an attribute that others follow in a copy of an original.
  private func followed(_ slot: Int, place: Int, in table: Int, of entity: Int, copy: Int) -> AttributeValue {
    store.spaces[table].valueColumns[plan.followed[slot][entity]!].value(
      newRow(place, in: table, copy: copy))
  }

  private func write(_ fill: RowPlan.Fill, _ column: ValueColumn, _ places: RowRuns) throws {
    switch fill {
    case .value(let number): self.fill(column, places: places) { _ in plan.values[number] }
    case .rebuilt(.uuid):
      let type = column.attribute.type
      fillEach(column, places: places) { _ in .new(options.generator.uuid(), as: type) }
    case .rebuilt(.now): self.fill(column, places: places) { _ in .date(now) }
    case .number: fillEach(column, places: places) { .integer(Int64($0) + 1) }
    case .ofRoot(let slot):
      let root = root
      try checkRequired(
        column, value: followed(slot, place: 0, in: root.table, of: root.entity, copy: 0), places: places)
      self.fill(column, places: places) {
        followed(slot, place: 0, in: root.table, of: root.entity, copy: $0)
      }
    case .missing(let slot):
      let original = original(places.first!, column: column)
      throw CloneError([
        .missingAncestor(
          column.attribute.name, of: original.entity, slot: plan.plan.slots[slot], object: original)
      ])
    }
  }

  private func original(_ place: Int32, column: ValueColumn) -> ObjectID {
    workspace.closure.id(workspace.closure.originals[column.space][Int(place)], in: column.space)
  }

  /// Writes a value of its own into the cell of each new row. New rows need no journal.
  private func fillEach(_ column: ValueColumn, places: RowRuns, value: (Row) -> AttributeValue) {
    for copy in 0..<copies {
      column.fill(from: newRow(0, in: column.space, copy: copy), places, value)
    }
  }

  /// Writes one value into all cells of a copy; `value` gets the number of the copy.
  private func fill(_ column: ValueColumn, places: RowRuns, value: (Int) -> AttributeValue) {
    for copy in 0..<copies {
      column.fill(from: newRow(0, in: column.space, copy: copy), places, with: value(copy))
    }
  }

  private func checkRequired(_ column: ValueColumn, value: AttributeValue, places: RowRuns) throws {
    guard value.isNull, !column.attribute.isOptional else { return }
    throw CloneError.requiredLeftEmpty(column.attribute.name, of: original(places.first!, column: column))
  }
}

// MARK: - Values carried down the path

extension CloneWriter {
  private func follow() throws {
    for segment in workspace.closure.segments {
      let columns = store.spaces[segment.table].valueColumns
      for place in segment.positions {
        // The root has no ancestor.
        if place == 0, segment.table == root.table { continue }
        for (column, slot, fallback) in plan.writes[entity(place, in: segment.table)].carried {
          try follow(slot, fallback: fallback, column: columns[column], place: place)
        }
      }
    }
  }

  private func entity(_ place: Int, in table: Int) -> Int {
    workspace.closure.entity(workspace.closure.originals[table][place], in: table)
  }

  private func follow(_ slot: Int, fallback: RowPlan.Fill?, column: ValueColumn, place: Int) throws {
    let places = RowRuns(Row(place)..<Row(place + 1))
    guard let provider = workspace.closure.paths?.provider(slot, table: column.space, place: place) else {
      if let fallback { try write(fallback, column, places) }
      return
    }
    let entity = entity(provider.place, in: provider.table)
    for copy in 0..<copies {
      let value = followed(slot, place: provider.place, in: provider.table, of: entity, copy: copy)
      try checkRequired(column, value: value, places: places)
      store.set(column, newRow(place, in: column.space, copy: copy), value)
    }
  }
}
