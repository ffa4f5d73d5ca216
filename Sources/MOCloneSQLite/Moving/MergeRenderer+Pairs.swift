import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Tables of pairs.
extension MergeRenderer {
  /// The ends of tables of pairs that lie in this table.
  var ends: [JoinTableMapping] {
    layout.joins.flatMap { join in
      let source = layout.table(of: join.relationship.entity).index
      let destination = layout.table(of: join.relationship.destination).index
      return (source == table.index ? [join.mapping] : [])
        + (destination == table.index ? [join.mapping.inverted] : [])
    }
  }

  /// How many pairs of what goes there are.
  func countPairs(_ join: JoinTableMapping) -> String {
    let way = way(join.references)
    return "SELECT count(*) FROM \(way.from) CROSS JOIN \(SQL.main(join.table)) j ON "
      + SQL.equal(join.columns.map { SQL.column("j", $0) }, way.old)
  }

  /// Leads pairs from what goes to what stays; a pair that is there already, or of one object, is dropped.
  func movePairs(_ join: JoinTableMapping, isOwn: Bool) -> [String] {
    let found = way(join.references)
    let (from, old, new) = (found.from, found.old, found.new)
    let own = join.columns.indices.map { "a\($0)" }
    let other = join.destinationColumns.indices.map { "b\($0)" }
    let values = join.columns.indices.map { "c\($0)" }
    let pairs = TemporaryTable(
      "pairs", own + other + values + ["p INTEGER", "kept INTEGER", "UNIQUE (\(SQL.list(own + other)))"])
    let target = SQL.main(join.table)
    let others = join.destinationColumns.map { SQL.column("j", $0) }
    let isThere =
      "EXISTS (SELECT 1 FROM \(target) z WHERE "
      + SQL.equal((join.columns + join.destinationColumns).map { SQL.column("z", $0) }, new + others) + ")"
    let isSelf = isOwn ? way(join.destinationReferences).new : nil
    let refused = [isThere] + (isSelf.map { [SQL.equal(others, $0)] } ?? [])
    let place = join.orderColumn.map { order in
      "coalesce((SELECT max(z.\(SQL.name(order))) FROM \(target) z WHERE "
        + SQL.equal(join.columns.map { SQL.column("z", $0) }, new)
        + "), 0) + row_number() OVER (PARTITION BY "
        + "\(SQL.list(new)) ORDER BY \(SQL.list(["m.rank", SQL.column("j", order)] + others)))"
    }
    let kept =
      "row_number() OVER (PARTITION BY \(SQL.list(new + others)) ORDER BY m.rank) = 1 AND NOT ("
      + refused.joined(separator: " OR ") + ")"
    let ownColumns = join.columns.map { SQL.column("j", $0) }
    let names = SQL.list((join.columns + join.destinationColumns).map { SQL.column("j", $0) })
    let assigned = join.columns + [join.orderColumn].compactMap { $0 }
    let taken = values + (join.orderColumn == nil ? [] : ["p"])
    // The own end can be looked up by other columns than the key's only where they are selected as well.
    let start =
      from
      + (isSelf == nil || from.contains(" t ON ") || table.keyPlaces(of: join.destinationReferences) != nil
        ? "" : " CROSS JOIN \(table.sql) t ON \(SQL.equal(table.key("t"), table.keys("m.n")))")
    return pairs.setUp + [
      "INSERT OR IGNORE INTO \(pairs.sql) SELECT \(SQL.list(ownColumns + others + new)), \(place ?? "NULL"), \(kept) "
        + "FROM \(start) CROSS JOIN \(target) j ON \(SQL.equal(ownColumns, old))",
      "DELETE FROM \(target) AS j WHERE (\(names)) IN (SELECT \(SQL.list(own + other)) FROM \(pairs.sql) WHERE NOT kept)",
      "UPDATE \(target) AS j SET (\(SQL.list(assigned.map(SQL.name)))) = (SELECT \(SQL.list(taken.map { "v." + $0 })) "
        + "FROM \(pairs.sql) v WHERE \(SQL.equal(own.map { "v." + $0 } + other.map { "v." + $0 }, ownColumns + others))) "
        + "WHERE (\(names)) IN (SELECT \(SQL.list(own + other)) FROM \(pairs.sql) WHERE kept)",
      pairs.clear,
    ]
  }
}
