import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// SQL that writes what was found out: new rows, references of objects that were there, pairs.
struct CopyWrites {
  let layout: CopyLayout
  let keys: CopyKeys
  private var rules: CopyRules { layout.rules }

  /// The date of change of new objects, where they do not keep the source's.
  private let stamp: ModifiedRule?

  init(_ layout: CopyLayout, _ states: [CopyState], stamp: ModifiedRule? = nil) {
    self.stamp = stamp
    self.layout = layout
    keys = CopyKeys(layout: layout, states: states)
  }

  private func state(_ table: Int) -> CopyState { keys.states[table] }

  // MARK: New rows

  /// The rows of the source that become new ones; `s` is the row.
  func newRows(_ table: CopyTable) -> SourceRows {
    if table.newKey == .parts { return moved(table).and("m.is_new") }
    let key = table.key("s")[0]
    let isFound = "SELECT 1 FROM \(table.movedName) m WHERE m.o0 = \(key) AND NOT m.is_new"
    return keys.rows(table).and(state(table.index).hasMoved ? "NOT EXISTS (\(isFound))" : nil)
  }

  /// The rows of the source whose objects were there already; `m` is the pair of keys.
  func foundRows(_ table: CopyTable) -> SourceRows { moved(table).and("NOT m.is_new") }

  /// The same, with the object that was there as `t`.
  func foundPairs(_ table: CopyTable) -> SourceRows {
    foundRows(table).joined("\(table.targetName) t", on: SQL.equal(table.key("t"), table.new("m")))
  }

  private func moved(_ table: CopyTable) -> SourceRows {
    SourceRows("\(table.movedName) m").joined(
      "\(table.sourceName) s", on: SQL.equal(table.key("s"), table.old("m")))
  }

  func insert(into table: CopyTable) -> String {
    let columns = newColumns(table)
    return "\(table.target.insertInto)(\(SQL.list(columns.map { SQL.name($0.name) }))) SELECT "
      + "\(SQL.list(columns.map(\.value))) \(newRows(table).sql) ORDER BY \(SQL.list(table.key("s")))"
  }

  /// Gives new rows the values again that triggers have changed as other rows were written, such as a counter of
  /// members: it has counted them already.
  func restored(_ table: CopyTable) -> [String] {
    let written = layout.tables.map(\.target) + layout.joins.map(\.target)
    let changed = table.target.columns(changedByInsertsInto: written, key: table.map.keyColumns)
    guard !changed.isEmpty else { return [] }
    let new = newColumns(table)
    let keys = keyColumns(table).prefix(table.map.key.count)
    return changed.compactMap { column in
      guard let value = new.first(where: { $0.name.sqlName == column.name.sqlName })?.value else {
        return nil
      }
      let row = keys.enumerated().map { "\($1.value) AS k\($0)" } + ["\(value) AS v"]
      let target = SQL.column("t", column.name)
      return "UPDATE \(table.targetName) AS t SET \(SQL.name(column.name)) = x.v "
        + "FROM (SELECT \(SQL.list(row)) \(newRows(table).sql)) x WHERE "
        + "\(SQL.equal(table.key("t"), keys.indices.map { "x.k\($0)" })) "
        + "AND \(target) IS NOT x.v COLLATE BINARY"
    }
  }

  private typealias Column = (name: String, value: String)

  private func newColumns(_ table: CopyTable) -> [Column] {
    let converted = table.columnsOfOtherType(layout).map {
      (plain: SQL.column("s", $0.target.name), value: $0.value)
    }
    return plainColumns(table).map { column in
      (column.name, converted.first { $0.plain.sqlName == column.value.sqlName }?.value ?? column.value)
    }
  }

  private func plainColumns(_ table: CopyTable) -> [Column] {
    let columns =
      keyColumns(table) + attributes(table) + references(table)
      + SharedColumns(table.source, table.target, layout.model, layout.mapping).names.map {
        ($0, SQL.column("s", $0))
      }
    var seen: Set<String> = []
    return columns.filter { column in
      table.target.column(column.name)?.isGenerated != true && seen.insert(column.name.sqlName).inserted
    }
  }

  private func keyColumns(_ table: CopyTable) -> [Column] {
    var new = table.new("m")
    if table.newKey != .parts {
      let old = table.key("s")[0]
      let renewed = "ifnull((SELECT m.n0 FROM \(table.movedName) m WHERE m.o0 = \(old) AND m.is_new), \(old))"
      let isRenewed = if case .uuid = table.newKey { state(table.index).hasMoved } else { false }
      new = [isRenewed ? renewed : keys.shifted(table, old)]
    }
    return Array(zip(table.map.keyColumns, new))
      + [table.discriminator].compactMap { $0 }.map {
        ($0, SQL.column("s", $0))
      }
  }

  private func attributes(_ table: CopyTable) -> [Column] {
    let all = table.entities.flatMap { entity in layout.model.attributes(of: entity) }
    var seen: Set<String> = []
    return all.compactMap { attribute -> Column? in
      guard let column = layout.mapping[attribute.entity].attributes[attribute.name], column.keyPart == nil,
        seen.insert(column.column.sqlName).inserted
      else { return nil }
      let holders = table.entities.filter { layout.model.isKind($0, of: attribute.entity) }
      let excluded = holders.filter { rules.excludes(attribute, of: $0) }
      var value = SQL.column("s", column.column)
      if let stamp, stamp.attribute(of: attribute.entity, in: layout.model) == attribute {
        let kind = table.kind(of: holders, "s", layout.mapping)
        let now = ValueCoding(column).literal(.date(stamp.instant))
        value = kind.map { "CASE WHEN \($0) THEN \(now) END" } ?? now
      }
      guard !excluded.isEmpty else { return (column.column, value) }
      let standard = ValueCoding(column).literal(attribute.defaultValue ?? .null)
      let kind = excluded == holders ? nil : table.kind(of: excluded, "s", layout.mapping)
      return (column.column, kind.map { "CASE WHEN \($0) THEN \(standard) ELSE \(value) END" } ?? standard)
    }
  }

  private func references(_ table: CopyTable) -> [Column] {
    let values = layout.references(in: table).flatMap { reference -> [(kind: String?, column: Column)] in
      let kind = layout.kind(reference, "s")
      return self.values(of: reference).map { (kind, $0) }
    }
    let shared = Dictionary(grouping: values) { $0.column.name.sqlName }
    var seen: Set<String> = []
    return values.compactMap { kind, column in
      guard seen.insert(column.name.sqlName).inserted else { return nil }
      let all = shared[column.name.sqlName]!
      guard all.count > 1, all.allSatisfy({ $0.kind != nil }) else { return column }
      // Siblings keep their own references in the column.
      let cases = all.map { "WHEN \($0.kind!) THEN \($0.column.value)" }
      return (column.name, "CASE \(cases.joined(separator: " ")) END")
    }
  }

  private func values(of reference: CopyReference) -> [Column] {
    let columns = reference.key.columns
    guard reference.isFormed else {
      return (columns + [reference.key.orderColumn].compactMap { $0 }).map { ($0, "NULL") }
    }
    var values = keys.reference(reference, "s")
    let order = order(reference, values)
    if let cut = layout.cut { values = cut.values(values, of: reference, layout) }
    if let free = isFree(reference, values) { values = values.map { "CASE WHEN \(free) THEN \($0) END" } }
    return Array(zip(columns, values)) + order
  }

  /// Whether a destination that was there already has no other partner; nil where that need not be asked.
  private func isFree(_ reference: CopyReference, _ new: [String]) -> String? {
    guard reference.isOneToOne, !reference.isRequired, !rules.overwrites,
      state(reference.destination).hasMoved
    else { return nil }
    let table = layout.tables[reference.table]
    return "NOT EXISTS (SELECT 1 FROM \(table.targetName) t WHERE "
      + "\(SQL.equal(reference.key.columns.map { SQL.column("t", $0) }, new)))"
  }

  /// The position in a list: that of the source, behind what the list held before.
  private func order(_ reference: CopyReference, _ new: [String]) -> [Column] {
    guard let column = reference.key.orderColumn else { return [] }
    return [(column, SQL.column("s", column) + end(ends(reference), new))]
  }

  // MARK: Objects that were there

  /// References that are written in rows that were there already.
  func updated(in table: CopyTable) -> [CopyReference] {
    layout.references(in: table).filter { reference in
      reference.isFormed && !reference.key.columns.contains { table.map.keyPart(of: $0) != nil }
    }
  }

  /// Sets a reference of the objects that were there: where it is empty, or differs and is to be overwritten.
  func update(_ reference: CopyReference, in table: CopyTable, modified: (column: String, value: String)?)
    -> String
  {
    let columns = reference.key.columns
    let there = columns.map { SQL.column("t", $0) }
    var conditions = [
      SQL.equal(table.key("t"), table.map.key.indices.map { "x.k\($0)" }), "x.v0 IS NOT NULL",
      rules.overwrites
        ? "(" + zip(there, columns.indices).map { "\($0) IS NOT x.v\($1)" }.joined(separator: " OR ") + ")"
        : there.map { "\($0) IS NULL" }.joined(separator: " AND "),
    ]
    if reference.isOneToOne && !rules.overwrites {
      let others = SQL.equal(columns.map { SQL.column("o", $0) }, columns.indices.map { "x.v\($0)" })
      conditions.append("NOT EXISTS (SELECT 1 FROM \(table.targetName) o WHERE \(others))")
    }
    var assignments = columns.indices.map { "\(SQL.name(columns[$0])) = x.v\($0)" }
    if let order = reference.key.orderColumn {
      let values = columns.indices.map { "x.v\($0)" }
      assignments.append("\(SQL.name(order)) = x.p" + end(ends(reference), values))
    }
    if let modified { assignments.append("\(SQL.name(modified.column)) = \(modified.value)") }
    return
      "UPDATE \(table.targetName) AS t SET \(SQL.list(assignments)) FROM (\(wanted(reference, table))) x WHERE "
      + conditions.joined(separator: " AND ")
  }

  /// Keys of objects that were there, with what the reference is to become.
  private func wanted(_ reference: CopyReference, _ table: CopyTable) -> String {
    let new = keys.reference(reference, "s")
    var columns =
      table.new("m").enumerated().map { "\($1) AS k\($0)" } + new.enumerated().map { "\($1) AS v\($0)" }
    if let order = reference.key.orderColumn { columns.append("\(SQL.column("s", order)) AS p") }
    let rows = foundRows(table).and(reference.key.columns.map { "\(SQL.column("s", $0)) IS NOT NULL" })
      .and(layout.kind(reference, "s")).sql
    guard state(table.index).joins else {
      return "SELECT \(SQL.list(columns)) \(rows)"
    }
    // Of several objects that are one here the first counts, or the last where it overwrites the others.
    let place = rules.overwrites ? "max(m.o0)" : "min(m.o0)"
    return "SELECT \(SQL.list(columns + [place])) \(rows) GROUP BY \(SQL.list(table.new("m")))"
  }

  /// Takes a partner away from the object that had it, where a one-to-one is overwritten.
  func release(
    _ reference: CopyReference, in table: CopyTable, modified: (column: String, value: String)?
  ) -> String? {
    guard reference.isOneToOne, rules.overwrites, reference.isFormed, state(reference.destination).hasMoved
    else {
      return nil
    }
    let new = keys.reference(reference, "s")
    let own = keys.moved(table, table.key("s"))
    let columns = reference.key.columns
    let x =
      "SELECT \(SQL.list(new.enumerated().map { "\($1) AS v\($0)" } + own.enumerated().map { "\($1) AS k\($0)" })) "
      + keys.rows(table).and("\(SQL.column("s", columns[0])) IS NOT NULL", layout.kind(reference, "s")).sql
    let differs = table.key("t").enumerated().map { "\($1) IS NOT x.k\($0)" }.joined(separator: " OR ")
    let assignments =
      columns.map { SQL.name($0) + " = NULL" }
      + [modified].compactMap { $0 }.map { "\(SQL.name($0.column)) = \($0.value)" }
    return
      "UPDATE \(table.targetName) AS t SET \(SQL.list(assignments)) FROM (\(x)) x "
      + "WHERE \(SQL.equal(columns.map { SQL.column("t", $0) }, columns.indices.map { "x.v\($0)" })) "
      + "AND x.k0 IS NOT NULL AND (\(differs))"
  }

  // MARK: Pairs

  /// Writes the pairs of objects that both are in the other store now, none twice.
  func insert(_ join: CopyJoin) -> String {
    let (own, other) = pair(join)
    let map = join.mapping
    var columns = Array(zip(map.columns, own)) + Array(zip(map.destinationColumns, other))
    for (list, new) in zip(ends(join), [own, other]) {
      guard let column = list.column else { continue }
      columns.append((column, SQL.column("j", column) + end(list.name, new)))
    }
    columns += join.unmapped.map { ($0, SQL.column("j", $0)) }
    let mayRepeat = state(join.table).joins || state(join.destination).joins
    let grouping = mayRepeat ? " GROUP BY \(SQL.list(own + other))" : ""
    return "\(join.target.insertInto)(\(SQL.list(columns.map { SQL.name($0.0) }))) "
      + "SELECT \(SQL.list(columns.map(\.1))) \(newPairs(join))\(grouping)"
  }

  /// The pairs of the source that the other store does not have.
  func newPairs(_ join: CopyJoin) -> String {
    let (own, other) = pair(join)
    let map = join.mapping
    var conditions: [String] = []
    for (table, part) in [(join.table, own[0]), (join.destination, other[0])]
    where !keys.isTotal(layout.tables[table]) {
      conditions.append("\(part) IS NOT NULL")
    }
    if let cut = layout.cut { conditions.append(cut.condition(on: join, layout)) }
    if state(join.table).hasMoved && state(join.destination).hasMoved {
      let columns = (map.columns + map.destinationColumns).map { SQL.column("t", $0) }
      conditions.append(
        "NOT EXISTS (SELECT 1 FROM \(SQL.main(join.target.name)) t WHERE \(SQL.equal(columns, own + other)))")
    }
    return "FROM \(CopySource.name(join.source.name)) j"
      + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  private func pair(_ join: CopyJoin) -> (own: [String], other: [String]) {
    let map = join.mapping
    return (
      keys.moved(layout.tables[join.table], map.columns.map { SQL.column("j", $0) }),
      keys.moved(layout.tables[join.destination], map.destinationColumns.map { SQL.column("j", $0) })
    )
  }
}
