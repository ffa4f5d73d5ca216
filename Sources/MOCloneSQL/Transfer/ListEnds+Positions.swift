import MOCloneEngine
import MOCloneModel

// The positions of rows: numbers behind the end of a list that was there; those of the source in a new one, unless keys
// order some of its members, since those that were there have other keys. Staged rows are numbered in their order,
// whether they make objects or not.
extension ListEnds {
  /// The positions of a store's rows where they are not those of the source, and of staged rows where some are written
  /// to objects that were there; nil where none is noted.
  private func places(_ reference: StreamReference, _ stream: RowStream) -> TemporaryTable? {
    guard reference.key.orderColumn != nil,
      stream.source == nil
        ? layout.policy.references != .keep && keys.canBeFound(stream)
          || !others(reference, stream).isEmpty
        : reference.orderColumn != nil && (ends(reference) != nil || keys.canBeFound(stream))
    else { return nil }
    return layout.temporary(
      "place\(reference.number)",
      columns: stream.keys.unique("o", beside: ["p \(dialect.types.integer)"]))
  }

  /// The other staged streams whose rows join the lists of a reference.
  private func others(
    _ reference: StreamReference, _ stream: RowStream
  ) -> [(stream: RowStream, reference: StreamReference)] {
    guard stream.source == nil else { return [] }
    return layout.streams.filter { $0.index != stream.index }.flatMap { other in
      other.references.filter { $0.isFormed && $0.key == reference.key }.map { (other, $0) }
    }
  }

  private func places(_ joinRows: JoinRowStream, _ end: JoinRowStream.End) -> TemporaryTable? {
    guard joinRows.source != nil, end.orderColumn != nil,
      joinRows.ends.contains(where: { keys.canBeReferenced(layout.streams[$0.stream]) })
    else { return nil }
    return layout.temporary(
      "places\(joinRows.index)_\(end.columns.joined(separator: "_"))",
      columns: zip(
        names(joinRows, alias: ""), joinRows.source!.columns(named: joinRows.ends.flatMap(\.columns))
      ).map {
        dialect.definition($0, as: $1)
      } + ["p \(dialect.types.integer)"])
  }

  /// The columns that name a join row.
  private func names(_ joinRows: JoinRowStream, alias: String) -> [String] {
    joinRows.ends.flatMap(\.columns).indices.map { "\(alias)o\($0)" }
  }

  private func key(_ joinRows: JoinRowStream) -> [String] {
    dialect.columns("j", joinRows.ends.flatMap(\.columns))
  }

  /// The position of a row `s` in a list whose owner has the key `new`.
  func position(_ reference: StreamReference, _ new: [String], _ stream: RowStream) -> String {
    let places = places(reference, stream)
    let isRequired = reference.key.orderColumn.flatMap(stream.table.schema.column)?.isRequired == true
    if places == nil, reference.orderColumn == nil {
      let position = behind(ends(reference), new: new, rank: dialect.number(within: new, by: stream.key("s")))
      return isRequired ? position : Condition.isNotNull(new[0]).choose(position, else: "NULL")
    }
    return place(
      places, names: stream.keys.parts("e.o"), key: stream.key("s"), else: reference.orderColumn, of: "s",
      without: isRequired ? "0" : "NULL")
  }

  /// The same of a join row `j`.
  func position(_ joinRows: JoinRowStream, _ end: JoinRowStream.End, _ new: [String]) -> String {
    guard joinRows.source != nil else {
      return behind(ends(joinRows, end), new: new, rank: dialect.number(within: new, by: ["j.number"]))
    }
    return place(
      places(joinRows, end), names: names(joinRows, alias: "e."), key: key(joinRows), else: end.orderColumn,
      of: "j",
      without: "0")
  }

  /// - Parameters:
  ///   - column: the position in the source; nil for staged rows.
  ///   - nothing: what such a row has without an owner.
  private func place(
    _ places: TemporaryTable?, names: [String], key: [String], else column: String?, of alias: String,
    without nothing: String
  ) -> String {
    let own = column.map { dialect.column(alias, $0) }
    let noted = places.map { places in
      "(\(Select(["e.p"], from: places.rows("e")).where(.equal(names, key)).text(dialect)))"
    }
    guard let noted else { return own! }
    return "coalesce(\(noted), \(own ?? nothing))"
  }

  /// The statements that note the positions.
  var notePositions: [String] {
    layout.reached.flatMap { stream in
      stream.references.filter(\.isFormed).flatMap { notePlaces($0, stream) }
    }
  }

  func notePositions(_ joinRows: JoinRowStream) -> [String] {
    joinRows.ends.flatMap { notePlaces(joinRows, $0) }
  }

  private func notePlaces(_ reference: StreamReference, _ stream: RowStream) -> [String] {
    guard let places = places(reference, stream) else { return [] }
    let old = dialect.columns("s", reference.columns)
    let names = stream.keys.parts("o")
    let others = others(reference, stream)
    // Rows of several streams come in the order of their lines.
    func lead(_ stream: RowStream) -> [String] { others.isEmpty ? [] : ["s.line", "\(stream.index)"] }
    let members = Members(
      rows: joining(reference, stream), key: stream.key("s"), owner: keys.reference(reference, "s"),
      old: reference.orderColumn == nil ? [] : old,
      position: reference.orderColumn.map { dialect.column("s", $0) }, lead: lead(stream),
      joins: layout.destination(of: reference).map { keys.state($0).joins } ?? false,
      others: others.map { other in
        joining(other.reference, other.stream).with(
          names.map { _ in "NULL" } + keys.reference(other.reference, "s") + lead(other.stream)
            + other.stream.key("s"))
      })
    return places.setUp + [note(members, named: names, in: places, behind: ends(reference))]
  }

  /// The rows that join lists: new ones alone where objects that were there keep what they have.
  private func joining(_ reference: StreamReference, _ stream: RowStream) -> Select {
    let areNew = stream.source == nil && layout.policy.references == .keep
    return (areNew ? keys.newRows(stream) : keys.rows(stream))
      .where(.isNotNull(dialect.column("s", reference.columns[0])) && layout.holds(reference, of: stream))
  }

  private func notePlaces(_ joinRows: JoinRowStream, _ end: JoinRowStream.End) -> [String] {
    guard let places = places(joinRows, end) else { return [] }
    let (old, names) = (dialect.columns("j", end.columns), names(joinRows, alias: ""))
    let members = Members(
      rows: Select([], from: keys.rows(joinRows)), key: key(joinRows),
      owner: keys.moved(layout.streams[end.stream], old: old),
      old: old, position: dialect.column("j", end.orderColumn!),
      joins: keys.state(layout.streams[end.stream]).joins)
    return places.setUp
      + [note(members, named: names, in: places, behind: ends(joinRows, end)), places.index(names)]
  }

  /// Rows with their keys, the owners of their lists here and in the source, and their positions there.
  private struct Members {
    var rows: Select
    var key: [String]
    var owner: [String]
    var old: [String]
    /// Nil where their keys order the rows.
    var position: String?
    /// What orders them before their keys.
    var lead: [String] = []
    /// Whether several lists become one: each keeps its order, behind those of earlier owners.
    var joins: Bool
    /// Others that share the lists, in the same columns; their keys are null.
    var others: [Select] = []

    var order: [String] { old + (position.map { [$0] } ?? []) + lead + key }
    /// Where the position stands in the order.
    var place: Int? { position.map { _ in old.count } }
    /// The lists in which keys order some members; nil for all.
    var undecided: Select? {
      position.map { rows.with(old).grouped(by: old + [$0]).having(.sql("count(*) > 1")) }
    }
  }

  /// Numbers the members of each list that was there, behind its end, and of those that positions do not order.
  private func note(
    _ members: Members, named names: [String], in places: TemporaryTable, behind ends: TemporaryTable?
  ) -> String {
    let owners = members.owner.indices.map { "k\($0)" }
    let order = members.order.indices.map { "q\($0)" }
    let columns = (members.key + members.owner + members.order).named(names + owners + order)
    let rows = Union(parts: [members.rows.with(columns)] + members.others)
    var sorting = order.map { "x." + $0 }
    if let place = members.place { sorting[place] = dialect.sorting(position: sorting[place]) }
    let rank = dialect.number(within: owners.map { "x." + $0 }, by: sorting)
    let number = positions.distance(rank)
    let undecided = members.joins ? nil : members.undecided
    let isUndecided =
      undecided.map { .among(order.prefix(members.old.count).map { "x." + $0 }, query: $0, dialect: dialect) }
      ?? Condition.always
    var numbered = Select(
      names.map { "x." + $0 } + ["\(positions.first(number)) AS p"],
      from: From(rows, as: "x", dialect: dialect)
    ).where(isUndecided)
    if let ends {
      let isOwner = Condition.equal(owners.map { "e." + $0 }, owners.map { "x." + $0 })
      numbered = Select(
        names.map { "x." + $0 } + ["coalesce(e.p, \(positions.start)) + \(number) AS p"],
        from: From(rows, as: "x", dialect: dialect) + [.left("\(ends.sql) e", on: isOwner)]
      ).where(.isNotNull("e.k0") || isUndecided)
    }
    if !members.others.isEmpty {
      numbered = Select(names + ["p"], from: From(numbered, as: "y", dialect: dialect))
        .where(.isNotNull(names[0]))
    }
    return Insert(into: places.sql, names + ["p"], rows: numbered.text(dialect)).text(dialect)
  }
}
