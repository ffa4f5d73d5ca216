import GRDB
import MOCloneEngine
import MOCloneSQL

/// What is known of a table while objects are copied, which decides how its new keys are written in SQL.
struct CopyState {
  /// What is added to a number to make the new key.
  var shift: Int64 = 0
  /// Whether the temporary table of written down keys holds any.
  var hasMoved = false
  var hasSkipped = false
  /// Whether only some of the source's objects are copied.
  var isPartial = false
  /// Whether several objects of the source may become one.
  var joins = false
  /// Whether some reference of the source leads to a row that does not exist.
  var hasDangling = false
}

/// SQL for the new keys of objects of the source.
struct CopyKeys {
  let layout: CopyLayout
  let states: [CopyState]

  /// The new key of an object, null where it is not copied.
  ///
  /// - Parameter old: the old key, part by part, or the columns of a reference to it.
  func moved(_ table: CopyTable, _ old: [String]) -> [String] {
    let state = states[table.index]
    if table.newKey == .parts {
      return table.new("m").map { part in
        "(SELECT \(part) FROM \(table.movedName) m WHERE \(SQL.equal(table.old("m"), old)))"
      }
    }
    var new = shifted(table, old[0])
    if state.hasMoved {
      new = "ifnull((SELECT m.n0 FROM \(table.movedName) m WHERE m.o0 = \(old[0])), \(new))"
    }
    guard let condition = copied(table, old) else { return [new] }
    return ["CASE WHEN \(condition) THEN \(new) END"]
  }

  /// The new key of an object that is not written down.
  func shifted(_ table: CopyTable, _ old: String) -> String {
    let shift = states[table.index].shift
    return table.newKey == .number && shift != 0 ? "\(old) + \(shift)" : old
  }

  /// Whether an object is among those that are copied; nil where all are.
  func copied(_ table: CopyTable, _ old: [String]) -> String? {
    let state = states[table.index]
    var conditions: [String] = []
    if state.isPartial {
      conditions.append(CopyReach.contains(table, old))
    } else if state.hasDangling {
      let isRow = SQL.equal(table.key("x"), old)
      conditions.append("EXISTS (SELECT 1 FROM \(table.sourceName) x WHERE \(isRow))")
    }
    if let isIdentified = isIdentified(table, old) { conditions.append(isIdentified) }
    return conditions.isEmpty ? nil : conditions.joined(separator: " AND ")
  }

  private func isIdentified(_ table: CopyTable, _ old: [String]) -> String? {
    guard states[table.index].hasSkipped else { return nil }
    return "NOT EXISTS (SELECT 1 FROM \(table.skippedName) k WHERE \(SQL.equal(table.old("k"), old)))"
  }

  /// The rows `s` of the source that are copied.
  func rows(_ table: CopyTable) -> SourceRows {
    let isPartial = states[table.index].isPartial
    return SourceRows(isPartial ? CopyReach.each(of: table, "s") : "\(table.sourceName) s")
      .and(isIdentified(table, table.key("s")))
  }

  /// Whether every object of a table has a new key.
  func isTotal(_ table: CopyTable) -> Bool {
    copied(table, table.key("s")) == nil && table.newKey != .parts
  }

  /// What the foreign key of a row of the source becomes.
  func reference(_ reference: CopyReference, _ alias: String) -> [String] {
    let destination = layout.tables[reference.destination]
    let columns = reference.key.columns.map { SQL.column(alias, $0) }
    if let order = Self.places(of: destination.map.keyColumns, in: reference.key.references) {
      let new = moved(destination, order.map { columns[$0] })
      return columns.indices.map { i in new[order.firstIndex(of: i)!] }
    }
    return columns.indices.map { i in value(reference, destination, columns, part: i) }
  }

  /// Where the key columns stand among referenced columns; nil where it is not the key that is referenced.
  static func places(of key: [String], in references: [String]) -> [Int]? {
    guard key.count == references.count else { return nil }
    let lowered = references.map(\.sqlName)
    let places = key.compactMap { lowered.firstIndex(of: $0.sqlName) }
    return places.count == key.count ? places : nil
  }

  /// A reference to a unique value: it is kept, unless the object that is there already has another one.
  private func value(
    _ reference: CopyReference, _ destination: CopyTable, _ columns: [String], part: Int
  ) -> String {
    let state = states[destination.index]
    let tie = SQL.equal(reference.key.references.map { SQL.column("d", $0) }, columns)
    var new = columns[part]
    if state.hasMoved {
      let there = SQL.column("t", reference.key.references[part])
      new =
        "ifnull((SELECT \(there) FROM \(destination.sourceName) d CROSS JOIN \(destination.movedName) m ON "
        + "\(SQL.equal(destination.old("m"), destination.key("d"))) CROSS JOIN \(destination.targetName) t ON "
        + "\(SQL.equal(destination.key("t"), destination.new("m"))) WHERE \(tie)), \(new))"
    }
    guard let condition = copied(destination, destination.key("d")) else { return new }
    return
      "CASE WHEN EXISTS (SELECT 1 FROM \(destination.sourceName) d WHERE \(tie) AND \(condition)) THEN \(new) END"
  }
}
