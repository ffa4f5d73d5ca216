import MOCloneEngine
import MOCloneModel

// What becomes of the other sides of one-to-one relationships.
extension Writes {
  /// Takes the related object away from the one that had it, where a one-to-one is overwritten.
  ///
  /// - Parameter kept: what holds of an object `t` that does not lose it.
  package func release(
    _ reference: StreamReference, of stream: RowStream, besides kept: Condition = .never
  ) -> String? {
    guard reference.reference.isOneToOne, !reference.reference.isRequired,
      policy.references == .update, reference.isFormed,
      layout.destination(of: reference).map({ keys.state($0).hasMap }) ?? true
    else { return nil }
    let table = stream.table
    let new = keys.reference(reference, "s")
    // Where nobody asks for the keys of rows, all of them are new.
    let own = keys.state(stream).leavesKeys ? [] : keys.moved(stream, old: stream.key("s"))
    let columns = reference.key.columns
    let emptied = layout.store.columns(emptying: reference.reference)
    guard !emptied.isEmpty else { return nil }
    let isOverwritten = layout.overwrites(reference.reference.relationship.name, of: stream)
    let rows = (isOverwritten ? keys.firstRows(stream) : keys.newRows(stream))
      .where(.isNotNull(dialect.column("s", reference.columns[0])) && layout.holds(reference, of: stream))
      .with(new.enumerated().map { "\($1) AS v\($0)" } + own.enumerated().map { "\($1) AS k\($0)" })
    let isOther: Condition =
      own.isEmpty
      ? .always
      : .isNotNull("x.k0") && zip(table.key("t"), table.keys("x.k")).map { dialect.different($0, $1) }.any
    let values =
      emptied.map { (dialect.name($0), "NULL") }
      + datesOfChange(table).map { (dialect.name($0.column), $0.sql) }
    return Update("\(table.sql) AS t", assignments: values, from: From(rows, as: "x", dialect: dialect))
      .where(
        .equal(dialect.columns("t", columns), columns.indices.map { "x.v\($0)" })
          && isOther && !kept
      ).onConflict(table.schema.conflict).text(dialect)
  }

  /// The key of an object of a one-to-one relationship that the run gives to a row, and that several rows would hold after
  /// it; nil where there can be none.
  package func relatedObjectsTakenTwice(_ reference: StreamReference, of stream: RowStream) -> Select? {
    guard reference.reference.isOneToOne else { return nil }
    let (table, key) = (layout.store.table(of: reference.key.destination), reference.key)
    let held = Condition.equal(
      dialect.columns("t", key.columns), dialect.columns("o", key.references))
    let objects: Select
    if let destination = layout.destination(of: reference) {
      let new = keys.moved(destination, old: destination.key("s"))
      objects = Select(table.key("o"), from: destination.rows("s"))
        .joined("\(table.sql) o", on: .equal(table.key("o"), new))
    } else {
      let isOverwritten = layout.overwrites(reference.reference.relationship.name, of: stream)
      let named = (isOverwritten ? keys.mappedRows(stream) : keys.newRows(stream)).with(
        dialect.columns("s", reference.columns).enumerated().map { "\($1) AS v\($0)" }
      ).distinct(dialect)
      let isNamed = Condition.equal(
        dialect.columns("o", key.references), key.references.indices.map { "x.v\($0)" })
      objects = Select(table.key("o"), from: From(named, as: "x", dialect: dialect))
        .joined("\(table.sql) o", on: isNamed)
    }
    return objects.joined("\(stream.table.sql) t", on: held && layout.store.holds(reference.reference, "t"))
      .grouped(by: table.key("o")).having(.sql("count(*) > 1")).limited(to: 1)
  }
}
