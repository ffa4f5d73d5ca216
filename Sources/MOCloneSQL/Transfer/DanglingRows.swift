import MOCloneEngine
import MOCloneModel

/// References of rows to rows that do not exist, which not every database enforces.
///
/// They arrive as null and are counted: the same key can be another object's in the other store.
package struct DanglingRows {
  let layout: TransferLayout
  let isPartial: Bool
  private var dialect: Dialect { layout.dialect }

  /// A reference of some rows `s`, by the relationship that people know it by.
  package struct ReferenceLookup: Sendable {
    package let name: String
    /// The stream that it leads to.
    package let destination: RowStream
    fileprivate let rows: Select
    fileprivate let columns: [String]
    fileprivate let references: [String]
  }

  package var lookups: [ReferenceLookup] {
    let references = layout.streams.flatMap { stream in
      stream.references.filter(\.isFormed).map { lookup(of: $0, stream) }
    }
    return references
      + layout.joinRows.filter(\.isFormed).flatMap { joinRows in
        joinRows.ends.indices.map { lookup(of: joinRows, to: $0) }
      }
  }

  private func lookup(of reference: StreamReference, _ stream: RowStream) -> ReferenceLookup {
    let rows = isPartial ? layout.reach.each(of: stream, "s") : stream.rows("s")
    return ReferenceLookup(
      name: reference.reference.relationship.qualifiedName, destination: layout.destination(of: reference)!,
      rows: Select([], from: rows).where(
        stream.isGiven(reference, "s") && layout.holds(reference, of: stream)),
      columns: dialect.columns("s", reference.columns), references: reference.key.references)
  }

  /// The pairs by the end that they lead to; of a part of the rows they are found by the objects at the other one.
  private func lookup(of joinRows: JoinRowStream, to end: Int) -> ReferenceLookup {
    let (own, other) = (joinRows.ends[end], joinRows.ends[1 - end])
    let columns = dialect.columns("s", own.columns)
    var from = From("\(joinRows.sql) s")
    if isPartial {
      let tie = Condition.equal(
        dialect.columns("s", other.columns),
        dialect.columns("p", other.mapping.references))
      from =
        layout.reach.each(of: layout.streams[other.stream], "p") + [.ordered("\(joinRows.sql) s", on: tie)]
    }
    return ReferenceLookup(
      name: joinRows.join.relationship.qualifiedName, destination: layout.streams[own.stream],
      rows: Select([], from: from).where(.isNotNull(columns[0])), columns: columns,
      references: own.mapping.references)
  }

  /// How many references dangle.
  package func count(_ lookup: ReferenceLookup) -> Select {
    let tie = Condition.equal(dialect.columns("d", lookup.references), lookup.columns)
    let exists = Condition.exists(in: lookup.destination.rows("d"), where: tie, dialect)
    return lookup.rows.where(!exists).with(["count(*)"])
  }

  // MARK: Keys that leave no number out

  /// The least and the greatest number of a stream's rows, and how many there are; nil where nobody knows.
  ///
  /// Where they leave no number out no row has to be looked up. Of a part of the rows only what is moved is looked up.
  package func range(_ stream: RowStream) -> Select? {
    guard !isPartial, stream.keys.isNumber else { return nil }
    let key = stream.key("s")[0]
    return Select(["min(\(key))", "max(\(key))", "count(*)"], from: stream.rows("s"))
  }

  /// Whether a reference leads to some row out of a range; nil where it is not the number that is referred to.
  package func leadsOut(_ lookup: ReferenceLookup, of least: Int64, greatest: Int64) -> Select? {
    guard lookup.destination.keys.places(of: lookup.references) != nil else { return nil }
    let isOut = Condition.sql("\(lookup.columns[0]) NOT BETWEEN \(least) AND \(greatest)")
    return Select([Condition.exists(lookup.rows.where(isOut).with(["1"]), dialect).text], from: nil)
  }
}

extension Writes {
  /// Objects that reference missing rows, as they are before anything is written to them.
  package func dangling(_ stream: RowStream) -> RowSet {
    RowSet(layout.prefix + "dangling\(stream.index)", of: stream.table)
  }

  /// Notes them among the objects that were found; nil where there can be none.
  package func noteDangling(_ stream: RowStream) -> String? {
    let dangles = references(stream).map { reference in
      dialect.columns("t", reference.key.columns).map { .isNotNull($0) }.all
        && !layout.store.leads(reference.reference, alias: "t")
    }
    if dangles.isEmpty { return nil }
    return dangling(stream).add(keys.foundPairs(stream).where(dangles.any).with(stream.table.key("t")))
  }
}
