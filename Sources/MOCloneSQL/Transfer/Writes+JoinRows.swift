import MOCloneEngine
import MOCloneModel

// Join tables.
extension Writes {
  /// Writes the pairs of objects that both are in the store now, none twice, and in their order where they are counted.
  package func insert(_ joinRows: JoinRowStream) -> String {
    let schema = joinRows.join.schema
    let values = newValues(joinRows)
    let rows = rows(joinRows).with(values.map(\.sql))
    let own =
      joinRows.ownKey.flatMap { schema.countsKeys(in: $0.column) ? $0.column : nil }
      ?? joinRows.source?.countedKey
    let number = own.map { dialect.column("j", $0) }
    return Insert(
      into: dialect.table(schema.name), values.map { dialect.name($0.column) },
      rows: (number.map { rows.ordered(by: [$0]) } ?? rows).text(dialect), conflict: schema.conflict
    ).text(dialect)
  }

  /// Gives pairs that were there the places that they have in lists of the source; nil where they keep theirs.
  package func order(_ joinRows: JoinRowStream) -> SwappingUpdate? {
    let ends = joinRows.ends.filter { lists.orders(joinRows, $0) }
    guard !ends.isEmpty else { return nil }
    let (schema, new) = (joinRows.join.schema, keys(of: joinRows, 0) + keys(of: joinRows, 1))
    let (names, places) = (new.indices.map { "k\($0)" }, ends.indices.map { "p\($0)" })
    let values = (new + ends.map { lists.position(joinRows, $0, []) }).named(names + places)
    let rows = Select([], from: keys.rows(joinRows)).where(new.map { Condition.isNotNull($0) }.all)
      .with(values)
    // Of several rows that mean one pair the first counts.
    let first = Select(
      names + places.map { "min(\($0)) AS \($0)" }, from: From(rows, as: "y", dialect: dialect)
    ).grouped(by: names)
    let isPair = Condition.equal(
      dialect.columns("t", joinRows.ends.flatMap(\.mapping.columns)), names.map { "x." + $0 })
    let changes = zip(ends.compactMap(\.orderColumn), places.map { "x." + $0 })
    let isOther = changes.map { dialect.different(dialect.column("t", $0), $1) }.any
    func update(_ values: [(column: String, value: String)]) -> [String] {
      if values.isEmpty { return [] }
      let update = Update(
        "\(dialect.table(schema.name)) AS t", assignments: values,
        from: From(first, as: "x", dialect: dialect))
      return [update.where(isPair && isOther).onConflict(schema.conflict).text(dialect)]
    }
    let parked = schema.columns(named: changes.map(\.0)).filter { schema.keepsApart(by: $0.name) }
    let parking = update(parked.map { (dialect.name($0.name), dialect.unusedValue($0)) })
    return SwappingUpdate(
      statements: update(changes.map { (dialect.name($0), $1) }), parking: parking.map { [$0] })
  }

  func newValues(_ joinRows: JoinRowStream) -> [Value] {
    let (own, other) = (keys(of: joinRows, 0), keys(of: joinRows, 1))
    var values = zip(joinRows.ends, [own, other]).flatMap { end, new in
      zip(end.mapping.columns, new).map { Value(column: $0, sql: $1) }
    }
    for (end, new) in zip(joinRows.ends, [own, other]) {
      guard let column = end.orderColumn else { continue }
      values.append(Value(column: column, sql: lists.position(joinRows, end, new)))
    }
    values += joinRows.unmapped.map { Value(column: $0, sql: dialect.column("j", $0)) }
    if let key = joinRows.ownKey {
      let own = dialect.column("j", key.column)
      let new = key.value(own, order: [own], keeps: true, uuids: layout.model.store.uuids, dialect: dialect)
      values += new.map { [Value(column: key.column, sql: $0)] } ?? []
    }
    return written(values, in: joinRows.join.schema)
  }

  /// Whether a pair `j` is written, where something is cut out.
  func isAsked(_ joinRows: JoinRowStream) -> Condition {
    SubtreeReach(layout, states: keys.states)?.asks(for: joinRows) ?? .always
  }

  /// How many pairs that is.
  package func count(_ joinRows: JoinRowStream) -> Select { count(rows(joinRows), of: joinRows) }

  /// Counts the pairs that a trigger has removed again; nil where none can.
  package func gone(_ joinRows: JoinRowStream) -> Select? {
    joinRows.join.schema.canLoseNewRows ? count(rows(joinRows, areWritten: true), of: joinRows) : nil
  }

  private func count(_ rows: Select, of joinRows: JoinRowStream) -> Select {
    let both = keys(of: joinRows, 0) + keys(of: joinRows, 1)
    let rows = rows.with(both.enumerated().map { "\($1) AS c\($0)" })
    return Select(["count(*)"], from: From(rows, as: "p", dialect: dialect))
  }

  /// The key that the object at one end of a pair `j` has in the store.
  private func keys(of joinRows: JoinRowStream, _ end: Int) -> [String] {
    let end = joinRows.ends[end]
    let stream = layout.streams[end.stream]
    let columns = dialect.columns("j", end.columns)
    let references = end.mapping.references
    guard joinRows.source == nil, stream.table.keys.places(of: references) == nil else {
      return keys.moved(stream, old: columns)
    }
    let moved = keys.moved(stream, old: columns)
    let row = Select(dialect.columns("t", references), from: stream.table.rows("t"))
    return references.map { column in
      "(\(row.with([dialect.column("t", column)]).where(.equal(stream.table.key("t"), moved)).text(dialect)))"
    }
  }

  /// The pairs that the store does not have, each once.
  ///
  /// - Parameter areWritten: whether the store should have them all, also those of new objects.
  private func rows(_ joinRows: JoinRowStream, areWritten: Bool = false) -> Select {
    let new = [keys(of: joinRows, 0), keys(of: joinRows, 1)]
    let streams = joinRows.ends.map { layout.streams[$0.stream] }
    var condition = Condition.always
    for (stream, key) in zip(streams, new) where !keys.isTotal(stream) || joinRows.source == nil {
      condition = condition && .isNotNull(key[0])
    }
    condition = condition && isAsked(joinRows)
    if joinRows.source == nil, policy.references == .keep { condition = condition && isOfNew(joinRows) }
    if areWritten || streams.allSatisfy(keys.canBeReferenced) {
      let columns = joinRows.ends.flatMap { end in dialect.columns("t", end.mapping.columns) }
      let stored = From("\(dialect.table(joinRows.join.schema.name)) t")
      condition = condition && !.exists(in: stored, where: .equal(columns, new[0] + new[1]), dialect)
    }
    let rows = Select([], from: keys.rows(joinRows)).where(condition)
    guard joinRows.source == nil || streams.contains(where: mayShareObjects) else { return rows }
    // Of several rows that mean one pair the first counts; the table's own columns may have any name.
    let ends = new.joined().enumerated().map { (sql: $1, name: "moclone_end\($0)") }
    let own = ends.map(\.name).list
    let first = Select(
      ["j.*", "row_number() OVER (PARTITION BY \(own) ORDER BY \(place(joinRows))) AS moclone_place"],
      from: From(rows.with(["j.*"] + ends.map { "\($0.sql) AS \($0.name)" }), as: "j", dialect: dialect))
    return Select([], from: From(first, as: "j", dialect: dialect)).where(.sql("j.moclone_place = 1"))
  }

  /// Whether several rows can be one object.
  private func mayShareObjects(_ stream: RowStream) -> Bool {
    keys.state(stream).joins || policy.repeated == .apart && keys.canBeFound(stream)
  }

  private func place(_ joinRows: JoinRowStream) -> String {
    joinRows.source == nil
      ? "j.number" : joinRows.ends.flatMap { dialect.columns("j", $0.columns) }.list
  }

  /// Whether one of the two objects is new: those that were there keep what they have.
  private func isOfNew(_ joinRows: JoinRowStream) -> Condition {
    joinRows.ends.map { end -> Condition in
      let stream = layout.streams[end.stream]
      guard keys.canBeFound(stream) else { return .always }
      let key = dialect.columns("j", end.columns)
      return layout.hasEntry(stream, key, where: layout.isNew("m"))
    }.any
  }
}
