import MOCloneModel

/// The values of one uniqueness constraint and the rows that hold them; null is equal to nothing.
final class UniqueIndex {
  let constraint: [String]
  let entity: String
  let table: Int
  /// Set where rows changed behind the index's back; it is then built anew before its next use.
  var isStale = true
  /// Set where nothing is looked at before all changes of an operation are done.
  var isDeferred = false
  private let parts: [KeyCell]
  private unowned let store: MemoryStore
  private let entityNumber: Int
  private var rows: [[AttributeValue]: Row] = [:]

  /// Nil where the constraint names what an index cannot hold; the validator has told so.
  init?(_ constraint: [String], of entity: String, in store: MemoryStore) {
    let layout = store.layout
    entityNumber = layout.number[entity]!
    let entityLayout = layout.entities[entityNumber]
    self.constraint = constraint
    self.entity = entity
    self.store = store
    table = entityLayout.table
    var parts: [KeyCell] = []
    for name in constraint {
      if let column = entityLayout.columns[name] {
        parts.append(.value(store.spaces[entityLayout.table].valueColumns[column]))
      } else if let relation = entityLayout.relations[name],
        case .reference(let reference) = layout.relations[relation].side
      {
        parts.append(.row(store.references[reference].list.owner))
      } else {
        return nil
      }
    }
    self.parts = parts
  }

  func covers(_ column: ValueColumn) -> Bool {
    parts.contains { if case .value(let own) = $0 { own === column } else { false } }
  }

  func covers(_ column: RowColumn) -> Bool {
    parts.contains { if case .row(let own) = $0 { own === column } else { false } }
  }

  func remove(_ row: Row) {
    if isDeferred {
      isStale = true
      return
    }
    refresh()
    guard let key = key(row), rows[key] == row else { return }
    rows[key] = nil
  }

  /// Enters a row.
  ///
  /// - Returns: the other row that holds the same values, if there is one; the row is then not entered.
  func insert(_ row: Row) -> Row? {
    if isDeferred {
      isStale = true
      return nil
    }
    refresh()
    guard let key = key(row) else { return nil }
    if let other = rows[key], other != row { return other }
    rows[key] = row
    return nil
  }

  /// The row that holds a key, each of whose parts is there.
  func row(_ key: [AttributeValue]) -> Row? {
    refresh()
    return rows[key]
  }

  /// Builds the index anew, where that is due.
  ///
  /// - Returns: rows that hold what another one holds, too.
  @discardableResult
  func refresh() -> [(row: Row, holder: Row)] {
    guard isStale, !isDeferred else { return [] }
    isStale = false
    rows = [:]
    var repeated: [(Row, Row)] = []
    for row in 0..<Row(store.spaces[table].count) {
      guard let key = key(row) else { continue }
      if let holder = rows.updateValue(row, forKey: key) { repeated.append((row, holder)) }
    }
    return repeated
  }

  /// What the constraint's attributes hold, as text for an error.
  func text(_ row: Row) -> String {
    (key(row) ?? []).map { "'\($0)'" }.joined(separator: ", ")
  }

  private func key(_ row: Row) -> [AttributeValue]? {
    let number = store.entities[table][row]
    guard number != noRow, store.layout.isKind(Int(number), of: entityNumber) else { return nil }
    var key: [AttributeValue] = []
    for part in parts {
      let value = part.value(row)
      if value.isNull { return nil }
      key.append(value)
    }
    return key
  }
}
