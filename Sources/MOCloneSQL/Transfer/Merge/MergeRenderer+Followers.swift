import MOCloneEngine
import MOCloneModel

extension Referrer {
  /// Whether the database itself leads the reference along, or lets nobody do so: it does not wait for the rows that it
  /// refers to.
  fileprivate var isStrict: Bool { table.foreignKeys.contains { !$0.isDeferrable && $0.isOn(columns) } }

  /// Those of its columns that refer to some columns; nil where not all of these are referred to.
  fileprivate func leading(to changed: [String]) -> [String]? {
    let places = changed.compactMap { name in references.firstIndex { $0.sqlName == name.sqlName } }
    return places.count == changed.count ? places.map { columns[$0] } : nil
  }
}

/// Rows whose key holds a reference to what goes, as that of a part of an owner and of a number: it becomes another key.
extension MergeRenderer {
  /// Columns that hold what a reference to what goes holds, and whether those of a row are to change with it.
  private struct Change {
    var table: TablePlan
    var columns: [String]
    var changes: (_ alias: String) -> Condition
  }

  /// Leads what refers to the rows that hold a reference to what goes, by columns that the reference lies in, to what
  /// these are about to hold. Nothing refers to another object than before, so no date of change is set.
  ///
  /// - Parameter schema: every table of the database.
  package func followers(of reference: RowReference, in schema: StoreSchema) -> [String] {
    let rows = Change(
      table: layout.table(of: reference.entity), columns: reference.key.columns,
      changes: { layout.holds(reference, $0) })
    return followers(of: [rows], way: way(reference.key.references), in: schema)
  }

  /// - Parameter path: the rows in question come last, behind those that they refer to.
  private func followers(of path: [Change], way: Way, in schema: StoreSchema) -> [String] {
    guard let change = path.last else { return [] }
    return referrers(to: change.table, in: schema).flatMap { referrer -> [String] in
      // What leads back to its own row is led anew where the key of that changes.
      guard let columns = referrer.leading(to: change.columns),
        !(referrer.leadsBack && referrer.plan?.isInKey(columns) == true)
      else { return [] }
      let isFollowing = follows(change, referrer: referrer, columns: columns, depth: path.count)
      let rows = "\(dialect.table(referrer.table.name)) AS x"
      let condition = isFollowing("x") && refers(columns, way: way)
      let isKnown = path.contains { $0.table == referrer.plan && $0.columns == columns }
      guard condition != .never, !isKnown else { return [] }
      // What refers to these rows in turn is found as long as they are what they were.
      let further = referrer.plan.map { plan in
        followers(
          of: path + [Change(table: plan, columns: columns, changes: isFollowing)], way: way, in: schema)
          + renewals(of: plan, columns, where: condition, way: way)
          + renewals(ofNotesOf: referrer, columns, way: way)
      }
      if referrer.isStrict || columns.allSatisfy(referrer.table.isGenerated) { return further ?? [] }
      let update = redirect(Update(rows), columns, of: referrer.table, way).where(condition)
        .onConflict(referrer.table.conflict)
      return (further ?? []) + [update.text(dialect)]
    }
  }

  // MARK: What is remembered

  /// Has what is remembered of the rows `x` that a change gives another key follow them, before it is made.
  func renewals(of table: TablePlan, _ columns: [String], where condition: Condition, way: Way) -> [String] {
    renewals(of: table, columns, where: condition) { places in new(places.map { way.new[$0] }, columns, way) }
  }

  /// Has what is noted of a reference that is led anew follow in some of its columns.
  private func renewals(ofNotesOf referrer: Referrer, _ columns: [String], way: Way) -> [String] {
    backs.compactMap { back -> String? in
      guard back.rows.table == referrer.plan, back.reference.key.columns == referrer.columns else {
        return nil
      }
      let places = columns.compactMap { name in back.places.first { referrer.columns[$0] == name } }
      guard places.count == columns.count else { return nil }
      let noted = places.map { "r.c\($0)" }
      let new = Select(way.new, from: way.lookup).where(.equal(way.old, noted))
      return Update("\(back.rows.sql) AS r").taking(places.map { "c\($0)" }, from: new)
        .where(.among(noted, query: Select(way.old, from: way.from), dialect: dialect)).text(dialect)
    }
  }

  /// - Parameter new: selects what the columns with some places are to hold.
  func renewals(
    of table: TablePlan, _ columns: [String], where condition: Condition, new: ([Int]) -> Select
  ) -> [String] {
    let changed = columns.enumerated().compactMap { place, column in
      table.keyColumns.firstIndex { $0.name.sqlName == column.sqlName }.map { (part: $0, place: place) }
    }
    guard !changed.isEmpty else { return [] }
    let ties = standing.filter { $0.table == table }.map { (sql: $0.members.sql, prefix: "o") }
    let dates = dates.noted(table).map { [(sql: $0.sql, prefix: "k")] } ?? []
    let led = backs.map(\.rows).filter { $0.table == table }.map { (sql: $0.sql, prefix: "k") }
    return (ties + dates + led).flatMap { remembered -> [String] in
      let rows = "\(remembered.sql) AS r"
      let isRow = table.isRow("x", table.keys("r." + remembered.prefix))
      // The key of a row that is gone can become that of another one.
      let gone = Delete(rows).where(!.exists(Select(["1"], from: table.rows("x")).where(isRow), dialect))
      let renewal = Update(rows, from: table.rows("x"))
        .taking(changed.map { "\(remembered.prefix)\($0.part)" }, from: new(changed.map { $0.place }))
        .where(isRow && condition)
      return [gone.text, renewal.text(dialect)]
    }
  }

  /// Whether a row of a referrer leads to one that changes, and is not moved for a reference of its own in these columns.
  private func follows(
    _ change: Change, referrer: Referrer, columns: [String], depth: Int
  ) -> (_ alias: String) -> Condition {
    let name = referrer.table.name.sqlName
    let moved = references.filter { other in
      layout.table(of: other.entity).schema.name.sqlName == name
        && Set(other.key.columns.map(\.sqlName)) == Set(columns.map(\.sqlName))
    }
    let found = "f\(depth)"
    return { alias in
      let tie = Condition.equal(
        dialect.columns(found, referrer.references), dialect.columns(alias, referrer.columns))
      let isChanged = tie && change.changes(found)
      let isMoved = moved.map { layout.holds($0, alias) }.any
      return referrer.isHeld(alias) && !isMoved
        && .exists(in: change.table.rows(found), where: isChanged, dialect)
    }
  }

  private func referrers(to table: TablePlan, in schema: StoreSchema) -> [Referrer] {
    let others = unknownKeys(to: table, in: schema).map { other, key in
      Referrer(table: other, columns: key.columns, references: key.references(in: table.schema))
    }
    return layout.referrers(to: table) + others
  }
}
