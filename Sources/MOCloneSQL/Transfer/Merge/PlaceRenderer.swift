import MOCloneEngine
import MOCloneModel

/// The statements that keep ordered lists in order where members merge: what stays takes the place of the first of its
/// doubles in the list, also in one that takes up other lists.
package struct PlaceRenderer {
  private let merge: MergeRenderer
  private let reference: RowReference
  private let order: String
  private let owner: TablePlan
  /// Whether what stays, and is in no list, comes into that of its best double.
  private let fills: Bool
  /// Whether owners are merged. What a key holds changes only as the owner is merged, which comes later.
  private let isOwnerMerged: Bool
  private let places: MovedRows
  private var table: TablePlan { merge.table }
  private var dialect: Dialect { merge.dialect }
  private var columns: [String] { reference.key.columns }

  /// One for each list that the merged rows are members of.
  package static func all(_ merge: MergeRenderer, fills: Bool) -> [PlaceRenderer] {
    merge.layout.references.enumerated().compactMap {
      PlaceRenderer(merge, reference: $1, number: $0, fills: fills)
    }
  }

  private init?(_ merge: MergeRenderer, reference: RowReference, number: Int, fills: Bool) {
    let (layout, table, key) = (merge.layout, merge.table, reference.key)
    guard layout.table(of: key.entity) == table, let order = key.orderColumn,
      !table.schema.isGenerated(order)
    else { return nil }
    (self.merge, self.reference, self.order) = (merge, reference, order)
    owner = layout.table(of: key.destination)
    let isInKey = table.isInKey(key.columns)
    self.fills = fills && !merge.isComputed(reference) && !isInKey
    isOwnerMerged = !isInKey && merge.merged.contains(owner.index)
    places = MovedRows("places_\(number)", of: table, to: reference, dialect: merge.dialect)
  }

  // MARK: Finding

  /// Finds the places, once what refers to the table's rows that go refers to those that stay.
  package var collect: [String] {
    let isFirst = Condition.equal(["y.place"], ["1"]) && .equal(owners("y.t"), owners("y.f"))
    let isDouble = !Condition.equal(table.keys("y.k"), table.keys("y.n"))
    let stays = Condition.equal(["y.best"], ["0"])
    let isOpen = stays || isOpen(to: columns.indices.map { "y.c\($0)" })
    let rows = From(members, as: "y", dialect: dialect) + [table.row("s", of: table.keys("y.n"))]
    let found = Select(table.keys("y.n") + columns.indices.map { "y.c\($0)" } + ["y.p"], from: rows)
      .where(isFirst && isDouble && isOpen)
    return places.rows.setUp + [places.find(found)]
  }

  /// Whether what stays, `s`, is in no list and can come into one; what it shares with other references it keeps.
  ///
  /// - Parameter values: what the reference would hold.
  private func isOpen(to values: [String]) -> Condition {
    guard fills else { return .never }
    let own = merge.ownColumns(of: reference)
    let fits = zip(columns, values).filter { !own.contains($0.0) }.map { column, value in
      let shared = dialect.column("s", column)
      return Condition.isNull(shared) || Condition.equal([shared], [value])
    }
    return .isNull(dialect.column("s", own[0])) && fits.all
  }

  /// What stays and can have another place: where it is in no list, or one of its doubles `l` may stand before it in its
  /// own. The others, which are most, need not be put in order.
  private var movable: Select {
    let (own, other) = (dialect.columns("s", columns), dialect.columns("l", columns))
    let isBehind = "NOT coalesce(\(dialect.column("s", order)) < \(dialect.column("l", order)), FALSE)"
    var isMovable = isOpen(to: other) || (Condition.equal(own, other) && .sql(isBehind))
    if isOwnerMerged {
      let isElsewhere = zip(own, other).map { dialect.different($0, $1) }.any
      let lists = [own, other].map { merge.settled(reference, columns: $0) }
      isMovable = isMovable || (isElsewhere && .equal(lists[0], lists[1]))
    }
    return Select(table.keys("m.n"), from: merge.pairs(survivor: "s"))
      .where(.isNotNull(other[0]) && isMovable)
  }

  /// What stays and its doubles, `m`: what each is merged into, its key, and its rank; that of what stays is 0.
  private var group: From {
    let (map, columns) = (From(merge.map.sql), table.keys("n") + table.keys("k") + ["rank"])
    let survivors = (table.keys("n") + table.keys("n") + ["0"]).list
    let all = Union(parts: [Select(columns, from: map), Select(["DISTINCT \(survivors)"], from: map)])
    let some = Select(columns, from: From(all, as: "g", dialect: dialect))
      .where(.among(table.keys("n"), query: movable, dialect: dialect))
    return From(some, as: "m", dialect: dialect)
  }

  /// Those that are in lists: what each is merged into (`n0...`), its key (`k0...`), its reference and position, what its
  /// owner is merged into (`t0...`) and which place it has there among those of its group; for each group the best rank,
  /// and what the owner of the best one is merged into (`f0...`).
  private var members: Select {
    let (map, own) = (merge.maps[owner.index], owner.key("o"))
    let tie = reference.key.leads(from: "x", to: "o", in: dialect) && merge.layout.holds(reference, "x")
    var rows = group + [table.row("x", of: table.keys("m.k")), .ordered("\(owner.sql) o", on: tie)]
    if isOwnerMerged { rows = rows + [.left("\(map.sql) w", on: .equal(map.key("w"), own))] }
    let settled = isOwnerMerged ? zip(owner.keys("w.n"), own).map { "coalesce(\($0), \($1))" } : own
    let position = dialect.column("x", order)
    let ranks = isOwnerMerged ? ["coalesce(w.rank, 0)"] : []
    let place = dialect.number(
      within: table.keys("m.n") + settled,
      by: ranks + [dialect.sorting(position: position, in: table.schema.column(order))] + table.key("x"))
    let byRank = "PARTITION BY \(table.keys("m.n").list) ORDER BY \((["m.rank"] + table.keys("m.k")).list)"
    let best = (settled + ["m.rank"]).map { "first_value(\($0)) OVER (\(byRank))" }
    var columns = table.keys("m.n").named(table.keys("n")) + table.keys("m.k").named(table.keys("k"))
    columns += dialect.columns("x", self.columns).named(self.columns.indices.map { "c\($0)" })
    columns += settled.named(owners("t")) + best.named(owners("f") + ["best"])
    columns += ["\(position) AS p", "\(place) AS place"]
    return Select(columns, from: rows).where(owner == table ? !isEnded(settled) : .always)
  }

  /// Whether a double refers to what stays in its place, which ends with the merge.
  private func isEnded(_ settled: [String]) -> Condition {
    .equal(settled, table.keys("m.n")) && !.equal(table.keys("m.k"), table.keys("m.n"))
  }

  private func owners(_ prefix: String) -> [String] { owner.keys(prefix) }

  // MARK: Writing

  /// Takes them, once they are free; a position alone is no change of an object.
  package var apply: [String] {
    let rows = places.rows
    let order = dialect.name(order)
    let move = Update("\(table.sql) AS x").taking([order], from: rows.noted(["v.p"], for: "x"))
      .where(rows.holds("x") && differs([self.order], ["v.p"])).onConflict(table.schema.conflict)
    let values = columns.indices.map { "v.c\($0)" }
    return places.write(merge.dates, where: differs(columns, values)) + [move.text(dialect), rows.clear]
  }

  /// Whether a row `x` holds something else than what is noted.
  private func differs(_ columns: [String], _ values: [String]) -> Condition {
    let isOther = zip(dialect.columns("x", columns), values).map { dialect.different($0, $1) }.any
    let rows = places.rows
    return .exists(in: rows.rows("v"), where: .equal(rows.key("v"), table.key("x")) && isOther, dialect)
  }
}
