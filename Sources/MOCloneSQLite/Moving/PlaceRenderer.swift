import MOCloneModel
import MOCloneSQL

/// The statements that keep ordered lists in order where members merge as their owners do: what stays in the list of an
/// owner that goes takes the place of its double in the list of the owner that stays.
struct PlaceRenderer {
  private let merge: MergeRenderer
  private let key: ForeignKeyMapping
  private let order: String
  private let owner: ObjectTable
  /// The parts of the owner's key that the columns refer to.
  private let parts: [Int]
  private let places: TemporaryTable
  private var table: ObjectTable { merge.table }

  /// One for each list that the merged rows are members of.
  static func all(_ merge: MergeRenderer) -> [PlaceRenderer] {
    merge.layout.references.enumerated().compactMap { PlaceRenderer(merge, $1, number: $0) }
  }

  private init?(_ merge: MergeRenderer, _ reference: RowReference, number: Int) {
    let (layout, table, key) = (merge.layout, merge.table, reference.key)
    let owner = layout.table(of: key.destination)
    guard layout.table(of: key.entity).index == table.index, owner.index != table.index,
      merge.merged.contains(owner.index), let order = key.orderColumn,
      let parts = owner.keyPlaces(of: key.references),
      !key.columns.contains(where: { column in
        table.keyColumns.contains { $0.name.sqlName == column.sqlName }
      })
    else { return nil }
    (self.merge, self.key, self.order, self.owner, self.parts) = (merge, key, order, owner, parts)
    places = TemporaryTable(
      "places_\(number)",
      table.uniqueKeyDefinitions("k") + key.columns.indices.map { "c\($0)" } + ["p INTEGER"]
        + table.uniqueKeyConstraint("k"))
  }

  /// Finds the places, while what goes is there.
  var collect: [String] {
    let own = key.columns.map { SQL.column("s", $0) }
    let taken = key.columns.map { SQL.column("l", $0) }
    let ways = [
      "CROSS JOIN \(table.sql) l ON \(SQL.equal(table.key("l"), table.keys("m.o")))",
      "CROSS JOIN \(table.sql) s ON \(SQL.equal(table.key("s"), table.keys("m.n")))",
      "CROSS JOIN \(merge.maps[owner.index].sql) w ON \(SQL.equal(parts.map { "w.o\($0)" }, own))",
    ]
    return places.setUp + [
      "INSERT OR IGNORE INTO \(places.sql) SELECT "
        + SQL.list(table.key("s") + taken + [SQL.column("l", order)])
        + " FROM \(merge.map.sql) m \(ways.joined(separator: " ")) "
        + "WHERE \(SQL.equal(parts.map { "w.n\($0)" }, taken)) ORDER BY \(SQL.list(["m.rank"] + table.key("l")))"
    ]
  }

  /// Takes them, once they are free.
  var apply: [String] {
    let isFound = "(\(SQL.list(table.key("x")))) IN (SELECT \(SQL.list(table.keys("k"))) FROM \(places.sql))"
    let taken =
      "(\(SQL.list((key.columns + [order]).map(SQL.name)))) = "
      + "(SELECT \(SQL.list(key.columns.indices.map { "v.c\($0)" } + ["v.p"])) FROM \(places.sql) v "
      + "WHERE \(SQL.equal(table.keys("v.k"), table.key("x"))))"
    let assignments = [taken] + merge.layout.touch(table, "x", merge.modified)
    return merge.dates.keep(table, "x", where: isFound) + [
      "UPDATE \(table.sql) AS x SET \(SQL.list(assignments)) WHERE \(isFound)", places.clear,
    ]
  }
}
