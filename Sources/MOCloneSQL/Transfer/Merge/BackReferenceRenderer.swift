import MOCloneEngine
import MOCloneModel

/// A reference that holds its row's own key and leads to what belongs to the row, as to the main one of its contacts: no key
/// ever follows it.
package struct BackReference: Sendable {
  let reference: RowReference
  /// The places of its columns that are no parts of the row's key.
  let places: [Int]
  /// The rows that it leads from in the end, with what these columns are to hold.
  let rows: RowSet

  init(_ reference: RowReference, number: Int, in layout: StoreLayout) {
    let (table, key) = (layout.table(of: reference.entity), reference.key)
    let emptied = layout.mapping[reference.entity].columns(emptying: key)
    let places = key.columns.indices.filter {
      emptied.contains(key.columns[$0]) && !table.isInKey([key.columns[$0]])
    }
    self.reference = reference
    self.places = places
    rows = RowSet(
      "back_\(number)", of: table,
      noting: places.map {
        layout.dialect.definition("c\($0)", as: table.schema.columnOrRowid(key.columns[$0]))
      })
  }
}

/// The statements for such a reference: while rows become one and what belongs to them moves it references nothing,
/// then to what came of what it led to, where that belongs to the row.
package struct BackReferenceRenderer {
  let merge: MergeRenderer
  private let back: BackReference
  private let destination: TablePlan
  private let fills: Bool
  private var dialect: Dialect { merge.dialect }
  var reference: RowReference { back.reference }
  private var key: ForeignKeyMapping { reference.key }

  /// - Returns: nil where neither end is merged.
  package init?(_ back: BackReference, of dedupe: DedupeRenderer, merged: Set<Int>) {
    let layout = dedupe.layout
    let table = layout.table(of: back.reference.entity)
    destination = layout.table(of: back.reference.key.destination)
    guard merged.contains(table.index) || merged.contains(destination.index) else { return nil }
    self.back = back
    merge = MergeRenderer(dedupe, table: table, merged: merged)
    fills = dedupe.request.fills
  }

  private var columns: [String] { back.places.map { key.columns[$0] } }
  private var noted: [String] { back.places.map { "c\($0)" } }

  /// Whether the reference always leads somewhere, so that nothing could be moved.
  package var isRequired: Bool {
    columns.contains { merge.table.schema.column($0)?.isRequired == true }
  }

  /// Whether rows are merged that each hold a reference of a one-to-one relationship.
  var joinsRelatedObjects: Bool { reference.isOneToOne && merge.merged.contains(merge.table.index) }

  // MARK: Before

  /// Notes where the reference is to lead, and empties it.
  package var release: [String] {
    let (table, rows) = (merge.table, back.rows)
    let isMeant = [rows.holds("x"), merge.map.holds("x")].any && merge.layout.holds(reference, "x")
    let empty = Update("\(table.sql) AS x", assignments: columns.map { (dialect.name($0), "NULL") })
      .where(isMeant && .isNotNull(dialect.column("x", columns[0]))).onConflict(table.schema.conflict)
    return ([led] + (fills ? [filled] : [])).map { rows.add($0, noting: noted) } + [empty.text(dialect)]
  }

  /// The rows `x` that stay and lead to what goes, with what stays of that.
  private var led: Select {
    let merged = merge.maps[destination.index].rows("w", with: "r")
    let rows =
      merged + [
        destination.row("t", of: destination.keys("w.n")),
        .ordered("\(merge.table.sql) x", on: leads(from: "x")),
      ]
    return Select(merge.table.key("x") + referenced("t"), from: rows).where(!merge.map.has("x"))
  }

  /// The rows `s` that stay and reference nothing, with what the best of those that go leads to.
  private var filled: Select {
    let (table, map) = (merge.table, merge.map)
    let way = merge.settled(destination, as: "r", survivor: "t", on: leads(from: "l"))
    let values = zip(referenced("r"), referenced("t")).map { old, new in
      let value = Condition.isNull("w.k0").choose(old, else: new)
      let best = Select([value], from: map.rows("m", with: "l") + way)
        .where(.equal(table.keys("m.n"), table.key("s"))).ordered(by: ["m.rank"]).limited(to: 1)
      return "(\(best.text(dialect)))"
    }
    return Select(table.key("s") + values, from: merge.survivors)
      .where(.isNull(dialect.column("s", columns[0])) && merge.layout.holds(reference, "s"))
  }

  private func leads(from alias: String) -> Condition {
    key.leads(from: alias, to: "r", in: dialect) && merge.layout.holds(reference, alias)
  }

  /// What the columns refer to, in a row of the destination.
  private func referenced(_ alias: String) -> [String] {
    dialect.columns(alias, back.places.map { key.references[$0] })
  }

  // MARK: After

  /// Leads the rows to what belongs to them by now.
  package var apply: [String] {
    let (table, rows) = (merge.table, back.rows)
    let own = key.columns.indices.filter { !back.places.contains($0) }
    let isNoted = Condition.equal(referenced("d"), noted.map { "v." + $0 })
    let belongs = Condition.equal(
      dialect.columns("d", own.map { key.references[$0] }), dialect.columns("x", own.map { key.columns[$0] }))
    let there = rows.rows("v") + [.ordered("\(destination.sql) d", on: isNoted && belongs)]
    let leads = Condition.exists(in: there, where: .equal(rows.key("v"), table.key("x")), dialect)
    return merge.dates.change(table, as: "x", where: rows.holds("x") && leads) {
      $0.taking(columns.map(dialect.name), from: rows.noted(noted.map { "v." + $0 }, for: "x"))
    } + [rows.clear]
  }
}
