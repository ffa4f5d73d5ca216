import MOCloneModel

/// The statements that keep ordered lists in order where members merge as their owners do: what stays in the list of an
/// owner that goes takes the place of its double in the list of the owner that stays.
package struct PlaceRenderer {
  private let merge: MergeRenderer
  private let reference: RowReference
  private let order: String
  private let owner: TablePlan
  /// The parts of the owner's key that the columns refer to.
  private let parts: [Int]
  private let places: MovedRows
  private var table: TablePlan { merge.table }

  /// One for each list that the merged rows are members of.
  package static func all(_ merge: MergeRenderer) -> [PlaceRenderer] {
    merge.layout.references.enumerated().compactMap { PlaceRenderer(merge, reference: $1, number: $0) }
  }

  private init?(_ merge: MergeRenderer, reference: RowReference, number: Int) {
    let (layout, table, key) = (merge.layout, merge.table, reference.key)
    let owner = layout.table(of: key.destination)
    guard layout.table(of: key.entity) == table, owner != table, merge.merged.contains(owner.index),
      let order = key.orderColumn, let parts = owner.keys.places(of: key.references),
      !table.isInKey(key.columns)
    else { return nil }
    (self.merge, self.reference, self.order, self.owner) = (merge, reference, order, owner)
    self.parts = parts
    places = MovedRows("places_\(number)", of: table, to: reference, dialect: merge.dialect)
  }

  /// Finds the places, before any list has changed.
  package var collect: [String] {
    let dialect = merge.dialect
    let own = dialect.columns("s", reference.key.columns)
    let taken = dialect.columns("l", reference.key.columns)
    let owners = merge.maps[owner.index]
    let from =
      merge.pairs(survivor: "s") + [
        .ordered("\(owners.sql) w", on: .equal(parts.map { "w.k\($0)" }, own))
      ]
    let found = Select(table.key("s") + taken + [dialect.column("l", order)], from: from)
      .where(.equal(parts.map { "w.n\($0)" }, taken)).ordered(by: ["m.rank"] + table.key("l"))
    return places.rows.setUp + [places.find(found)]
  }

  /// Takes them, once they are free.
  package var apply: [String] { places.write(merge.dates) + [places.rows.clear] }
}
