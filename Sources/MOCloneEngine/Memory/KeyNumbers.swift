import MOCloneModel

/// The numbers of a table that are counted within the other parts of a composite key, as the attribute on the counted
/// part shows them: the greatest there and one.
struct KeyNumbers {
  let column: ValueColumn
  private let table: Int
  private let entity: String
  private let others: [KeyCell]
  private let store: MemoryStore

  /// Nil where the table has none, or no attribute that shows them.
  init?(table: Int, in graph: MemoryGraph) {
    let store = graph.store
    entity = store.layout.tables[table].root
    let mapping = graph.mapping[entity]
    let layout = store.layout.entities[store.layout.number[entity]!]
    func column(ofPart part: Int) -> ValueColumn? {
      mapping.attributes.first { $0.value.keyPart == part }.flatMap { graph.column($0.key, of: layout) }
    }
    guard mapping.key.count > 1, let counted = mapping.key.firstIndex(where: { $0.source == .max }),
      let own = column(ofPart: counted)
    else { return nil }
    self.column = own
    self.table = table
    self.store = store
    others = mapping.key.indices.filter { $0 != counted }.compactMap { part in
      if case .relationship(let name, _) = mapping.key[part].source, let relation = layout.relations[name],
        case .reference(let reference) = store.layout.relations[relation].side
      {
        return .row(store.references[reference].list.owner)
      }
      return column(ofPart: part).map { .value($0) }
    }
  }

  /// Numbers the last rows of the table, one after another.
  ///
  /// - Parameter given: those among them that have their number already.
  /// - Throws: `CloneError` (`no-room-for-keys`).
  func count(from first: Row, except given: Set<Row> = []) throws {
    var greatest: [[AttributeValue]: Int64] = [:]
    let rows = 0..<Row(store.spaces[table].count)
    for row in rows where row < first || given.contains(row) { note(row, in: &greatest) }
    for row in rows where row >= first && !given.contains(row) {
      try store.set(column, row, next(row, in: &greatest))
    }
  }

  /// Numbers new rows that have no number yet.
  func number(_ rows: [Row], in graph: MemoryGraph) throws {
    let new = rows.filter { column.value($0).isNull }
    if new.isEmpty { return }
    var greatest: [[AttributeValue]: Int64] = [:]
    for row in 0..<Row(store.spaces[table].count) { note(row, in: &greatest) }
    for row in new { try graph.setCell(column, row: row, value: next(row, in: &greatest)) }
  }

  private func note(_ row: Row, in greatest: inout [[AttributeValue]: Int64]) {
    guard store.entities[table][row] != noRow, case .integer(let number) = column.value(row) else { return }
    greatest[group(row), default: 0] = max(greatest[group(row)] ?? 0, number)
  }

  private func next(_ row: Row, in greatest: inout [[AttributeValue]: Int64]) throws -> AttributeValue {
    let group = group(row)
    let (next, isTooGreat) = (greatest[group] ?? 0).addingReportingOverflow(1)
    guard !isTooGreat else {
      throw CloneError(
        .noRoomForKeys, "\(entity) has used the greatest possible key, so it has no room for new ones",
        entity: entity)
    }
    greatest[group] = next
    return .integer(next)
  }

  private func group(_ row: Row) -> [AttributeValue] { others.map { $0.value(row) } }
}

/// A column that holds a part of what tells rows apart: values, or the rows that a foreign key leads to.
enum KeyCell {
  case value(ValueColumn)
  case row(RowColumn)

  /// Null where the part is missing; a row counts as its key.
  func value(_ row: Row) -> AttributeValue {
    switch self {
    case .value(let column): column.value(row)
    case .row(let column): column[row] == noRow ? .null : .integer(Int64(column[row]) + 1)
    }
  }
}
