import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The statements that fill nulls of what stays with the values of what goes, the best one's first.
struct FillRenderer {
  let layout: MoveLayout
  let table: ObjectTable
  let maps: [TemporaryTable]
  let merged: Set<Int>
  let modified: ModifiedRule
  let fills: TemporaryTable
  private let dates: DatesBefore
  private let columns: [Fill]

  /// Columns that are filled together, and where their values come from.
  private struct Fill {
    var columns: [String]
    /// Values in a row `l` of what goes, with what has to be joined to it.
    var values: [String]
    var joins = ""
    var condition: String
    /// Whether at most one row may hold the value.
    var isAlone = false
    var orderColumn: String?
  }

  init(_ merge: MergeRenderer) {
    layout = merge.layout
    table = merge.table
    maps = merge.maps
    merged = merge.merged
    modified = merge.modified
    dates = merge.dates
    columns =
      Self.attributes(merge.layout, merge.table) + Self.unmapped(merge.layout, merge.table)
      + Self.references(merge)
    let count = columns.reduce(0) { $0 + $1.columns.count }
    fills = TemporaryTable(
      "fills", table.uniqueKeyDefinitions("k") + (0..<count).map { "f\($0)" } + table.uniqueKeyConstraint("k")
    )
  }

  private static func attributes(_ layout: MoveLayout, _ table: ObjectTable) -> [Fill] {
    let entities = layout.model.concreteEntities(of: table.root)
    let columns = entities.flatMap { entity in
      layout.model.attributes(of: entity).compactMap { attribute -> String? in
        guard !attribute.isDerived, let column = layout.mapping[entity].attributes[attribute.name],
          column.keyPart == nil, let schema = table.schema.column(column.column),
          !schema.isGenerated && !schema.isRequired
        else { return nil }
        return column.column
      }
    }
    return Set(columns).sorted().map {
      Fill(columns: [$0], values: [SQL.column("l", $0)], condition: "\(SQL.column("l", $0)) IS NOT NULL")
    }
  }

  /// Columns that the model does not name; those of one foreign key belong together.
  private static func unmapped(_ layout: MoveLayout, _ table: ObjectTable) -> [Fill] {
    let mapped = MappedColumns(table: table.schema, model: layout.model, mapping: layout.mapping)
    let free = table.schema.columns.filter {
      !mapped.contains($0.name) && !$0.isGenerated && !$0.isRequired && !table.schema.isRowid($0.name)
    }
    var rest = free.map(\.name)
    let keys = table.schema.foreignKeys.map(\.columns).filter { columns in
      columns.count > 1 && columns.allSatisfy { rest.contains($0) }
    }
    var groups: [[String]] = []
    for key in keys where key.allSatisfy(rest.contains) {
      groups.append(key)
      rest.removeAll(where: key.contains)
    }
    return (groups + rest.map { [$0] }).map { columns in
      let values = columns.map { SQL.column("l", $0) }
      return Fill(columns: columns, values: values, condition: "\(values[0]) IS NOT NULL")
    }
  }

  private static func references(_ merge: MergeRenderer) -> [Fill] {
    let (layout, table) = (merge.layout, merge.table)
    return layout.references.compactMap { reference in
      let key = reference.key
      guard layout.table(of: key.entity).index == table.index,
        !key.columns.contains(where: { column in
          table.keyColumns.contains { $0.name.sqlName == column.sqlName }
        })
      else { return nil }
      let destination = layout.table(of: key.destination)
      let plain = key.columns.map { SQL.column("l", $0) }
      var fill = Fill(
        columns: key.columns, values: plain, condition: "\(plain[0]) IS NOT NULL",
        isAlone: reference.backward?.isToMany == false, orderColumn: reference.orderColumn)
      guard merge.merged.contains(destination.index) else { return fill }
      let map = merge.maps[destination.index].sql
      fill.joins =
        " LEFT JOIN \(destination.sql) r ON \(SQL.equal(key.references.map { SQL.column("r", $0) }, plain))"
        + " LEFT JOIN \(map) w ON \(SQL.equal(destination.keys("w.o"), destination.key("r")))"
        + " LEFT JOIN \(destination.sql) t ON \(SQL.equal(destination.key("t"), destination.keys("w.n")))"
      fill.values = zip(plain, key.references).map {
        "CASE WHEN w.o0 IS NULL THEN \($0) ELSE \(SQL.column("t", $1)) END"
      }
      if destination.index == table.index {
        let settled = zip(destination.keys("w.n"), destination.key("r")).map { "coalesce(\($0), \($1))" }
        fill.condition += " AND NOT (\(SQL.equal(settled, table.key("s"))))"
      }
      return fill
    }
  }

  /// Gathers what can be filled, before anything is deleted.
  var collect: [String] {
    guard !columns.isEmpty else { return fills.setUp }
    let map = maps[table.index].sql
    let values = columns.flatMap { fill in
      fill.values.map { value in
        "CASE WHEN \(SQL.column("s", fill.columns[0])) IS NULL THEN (SELECT \(value) FROM \(map) m CROSS JOIN \(table.sql) l "
          + "ON \(SQL.equal(table.key("l"), table.keys("m.o")))\(fill.joins) WHERE "
          + "\(SQL.equal(table.keys("m.n"), table.key("s"))) AND \(fill.condition) ORDER BY m.rank LIMIT 1) END"
      }
    }
    let isOpen = columns.map { "\(SQL.column("s", $0.columns[0])) IS NULL" }.joined(separator: " OR ")
    let isEmpty = values.indices.map { "f\($0) IS NULL" }.joined(separator: " AND ")
    return fills.setUp + [
      "INSERT INTO \(fills.sql) SELECT \(SQL.list(table.key("s") + values)) "
        + "FROM (SELECT DISTINCT \(SQL.list(table.keys("n"))) FROM \(map)) q CROSS JOIN \(table.sql) s "
        + "ON \(SQL.equal(table.key("s"), table.keys("q.n"))) WHERE \(isOpen)",
      "DELETE FROM \(fills.sql) WHERE \(isEmpty)",
    ]
  }

  /// How many objects of each entity are filled.
  var count: String {
    guard table.discriminator != nil else { return "SELECT NULL, count(*) FROM \(fills.sql)" }
    return
      "SELECT \(layout.discriminator(table, "s")), count(*) FROM \(fills.sql) v CROSS JOIN \(table.sql) s "
      + "ON \(SQL.equal(table.key("s"), table.keys("v.k"))) GROUP BY 1"
  }

  /// Writes what was gathered, after the deletion.
  var apply: [String] {
    guard !columns.isEmpty else { return [] }
    let dates = Set(layout.touch(table, "s", modified).map { String($0.prefix { $0 != "=" }.dropLast()) })
    var names: [String] = []
    var values: [String] = []
    var next = 0
    for fill in columns {
      let taken = fill.columns.indices.map { "v.f\(next + $0)" }
      next += fill.columns.count
      let others = SQL.equal(fill.columns.map { SQL.column("y", $0) }, taken)
      for (column, value) in zip(fill.columns, taken) where !dates.contains(SQL.name(column)) {
        let free =
          "CASE WHEN EXISTS (SELECT 1 FROM \(table.sql) y WHERE \(others)) THEN NULL ELSE \(value) END"
        names.append(SQL.name(column))
        values.append("coalesce(\(SQL.column("s", column)), \(fill.isAlone ? free : value))")
      }
      guard let order = fill.orderColumn else { continue }
      let end = "(SELECT coalesce(max(y.\(SQL.name(order))), 0) + 1 FROM \(table.sql) y WHERE \(others))"
      names.append(SQL.name(order))
      values.append(
        "CASE WHEN \(SQL.column("s", fill.columns[0])) IS NULL AND \(taken[0]) IS NOT NULL "
          + "THEN \(end) ELSE \(SQL.column("s", order)) END")
    }
    let assignments =
      (names.isEmpty
        ? []
        : [
          "(\(SQL.list(names))) = (SELECT \(SQL.list(values)) FROM \(fills.sql) v "
            + "WHERE \(SQL.equal(table.keys("v.k"), table.key("s"))))"
        ]) + layout.touch(table, "s", modified)
    let isFilled =
      "(\(SQL.list(table.key("s")))) IN (SELECT \(SQL.list(table.keys("k"))) FROM \(fills.sql))"
    return self.dates.keep(table, "s", where: isFilled)
      + ["UPDATE \(table.sql) AS s SET \(SQL.list(assignments)) WHERE \(isFilled)"]
  }

  /// How many rows are to be filled, of those that are still there.
  var total: String {
    "SELECT count(*) FROM \(fills.sql) v CROSS JOIN \(table.sql) s ON \(SQL.equal(table.key("s"), table.keys("v.k")))"
  }
}
