import MOCloneEngine
import MOCloneModel

/// Where rows come in ordered lists: behind what objects that were there held before, in the order of the rows. New lists
/// keep the positions of the source.
struct ListEnds {
  let layout: TransferLayout
  let keys: TransferKeys
  var dialect: Dialect { layout.dialect }

  init(_ keys: TransferKeys) {
    self.keys = keys
    layout = keys.layout
  }

  /// The temporary table for the lists of a reference; nil where no list was there.
  func ends(_ reference: StreamReference) -> TemporaryTable? {
    guard reference.key.orderColumn != nil else { return nil }
    let columns = layout.store.table(of: reference.reference.entity).schema.columns(
      named: reference.key.columns)
    return table(
      "end\(reference.number)", columns: columns, owners: reference.destination.map { layout.streams[$0] })
  }

  func ends(_ joinRows: JoinRowStream, _ end: JoinRowStream.End) -> TemporaryTable? {
    guard end.orderColumn != nil else { return nil }
    return table(
      "ends\(joinRows.index)_\(end.columns.joined(separator: "_"))",
      columns: joinRows.join.schema.columns(named: end.mapping.columns),
      owners: isShared(joinRows) ? nil : layout.streams[end.stream])
  }

  /// Whether pairs of other entities fill the same lists.
  private func isShared(_ joinRows: JoinRowStream) -> Bool {
    layout.joinRows.contains {
      $0.index != joinRows.index && $0.join.schema.name == joinRows.join.schema.name
    }
  }

  /// - Parameter owners: those whose lists are meant, where these can hold something only if their owners were there.
  private func table(_ purpose: String, columns: [ColumnSchema], owners: RowStream?) -> TemporaryTable? {
    guard owners.map(keys.canBeReferenced) ?? true else { return nil }
    // Of their type, since only then an index finds the owner of each new member.
    return layout.temporary(
      purpose,
      columns: columns.enumerated().map { dialect.definition("k\($0)", as: $1) } + [
        "p \(dialect.types.integer)"
      ])
  }

  /// The position of a row in a list, counted from its end.
  ///
  /// - Parameters:
  ///   - rank: counts the new members of each list from 1.
  ///   - ends: where the end of a list is noted; nil where no list was there.
  func behind(_ ends: TemporaryTable?, new: [String], rank: String) -> String {
    guard let ends else { return positions.first(positions.distance(rank)) }
    let last = Select(["e.p"], from: ends.rows("e")).where(.equal(new.indices.map { "e.k\($0)" }, new))
    return positions.distance(rank) + " + coalesce((\(last.text(dialect))), \(positions.start))"
  }

  /// Whether members that lists had already are numbered with those that join them. A key never changes.
  func orders(_ reference: StreamReference, _ stream: RowStream) -> Bool {
    guard let order = reference.key.orderColumn, reference.isFormed, stream.source != nil else {
      return false
    }
    return layout.policy.orders(reference.reference.backward) && stream.table.map.keyPart(of: order) == nil
      && keys.canBeFound(stream)
  }

  func orders(_ joinRows: JoinRowStream, _ end: JoinRowStream.End) -> Bool {
    guard end.orderColumn != nil, joinRows.isFormed, joinRows.source != nil else { return false }
    let list = joinRows.join.ends.first { $0.mapping.columns == end.mapping.columns }?.relationship
    return layout.policy.orders(list)
      && joinRows.ends.allSatisfy { keys.canBeFound(layout.streams[$0.stream]) }
  }

  /// Whether a row `t` is numbered anew, in its list or in another one, or leaves it for none.
  private func isOrdered(_ reference: StreamReference, _ stream: RowStream) -> Condition {
    guard orders(reference, stream) else { return .never }
    let clears = reference.reference.forward.map { layout.rules?.clears($0) == true } ?? false
    let isEmptied: Condition = clears ? .isNull(dialect.column("s", reference.columns[0])) : .never
    let rows = keys.foundRows(stream).where(
      (exists(keys.reference(reference, "s")) || isEmptied) && layout.holds(reference, of: stream))
    return .among(
      stream.table.key("t"), query: rows.with(stream.table.keys("m.n")), dialect: dialect)
  }

  private func isOrdered(_ joinRows: JoinRowStream, _ end: JoinRowStream.End) -> Condition {
    guard orders(joinRows, end) else { return .never }
    let ends = joinRows.ends.flatMap {
      keys.moved(layout.streams[$0.stream], old: dialect.columns("j", $0.columns))
    }
    return .among(
      joinRows.ends.flatMap { dialect.columns("t", $0.mapping.columns) },
      query: Select([], from: keys.rows(joinRows)).where(exists(ends)).with(ends), dialect: dialect)
  }

  /// Among nulls nothing is found, nor is it known that it is not there.
  private func exists(_ key: [String]) -> Condition { key.map { Condition.isNotNull($0) }.all }

  var positions: ListPositions { layout.store.mapping.positions }

  /// The statements that note the ends, before anything is written.
  var setUp: [String] {
    let references = layout.reached.flatMap { stream in
      stream.references.flatMap { reference -> [String] in
        guard reference.isFormed, let ends = ends(reference) else { return [] }
        let key = reference.key
        return note(
          ends, of: stream.table.schema, columns: key.columns, order: key.orderColumn!,
          owners: layout.destination(of: reference), references: key.references,
          without: isOrdered(reference, stream))
      }
    }
    return references + notePositions
  }

  /// The statements that note the ends before pairs are written: others of their table can have been written by then.
  func setUp(_ joinRows: JoinRowStream) -> [String] {
    let noted = joinRows.ends.flatMap { end -> [String] in
      guard let ends = ends(joinRows, end) else { return [] }
      return note(
        ends, of: joinRows.join.schema, columns: end.mapping.columns, order: end.orderColumn!,
        owners: layout.streams[end.stream], references: end.mapping.references,
        without: isOrdered(joinRows, end), withNew: isShared(joinRows))
    }
    return noted + notePositions(joinRows)
  }

  /// - Parameters:
  ///   - owners: those whose lists are looked up one by one, where an index finds their members; of those that keep their
  ///     keys new ones, too.
  ///   - ordered: the members `t` that are numbered anew.
  ///   - isWritten: whether the lists of new ones can hold something in any case.
  private func note(
    _ ends: TemporaryTable, of table: TableSchema, columns: [String], order: String, owners: RowStream?,
    references: [String], without ordered: Condition, withNew isWritten: Bool = false
  ) -> [String] {
    let owner = dialect.columns("t", columns)
    let keys = columns.indices.map { "k\($0)" }
    let members = "\(dialect.table(table.name)) t"
    var rows = Select([], from: From(members)).where(.isNotNull(owner[0]))
    if let owners, table.hasIndex(columns), let places = owners.table.keys.places(of: references) {
      let found = Select([], from: layout.map(owners).rows("m")).where(layout.isFound("m"))
      let (those, key) =
        owners.keepsKeys || isWritten
        ? (self.keys.rows(owners), self.keys.moved(owners, old: owners.key("s")))
        : (found, owners.table.keys("m.n"))
      rows = those.joined(members, on: .equal(owner, places.map { key[$0] }))
    }
    let last = rows.where(!ordered).with(owner + ["max(\(dialect.column("t", order)))"]).grouped(by: owner)
    return ends.setUp + [ends.insert(keys + ["p"], last), ends.index(keys)]
  }
}
