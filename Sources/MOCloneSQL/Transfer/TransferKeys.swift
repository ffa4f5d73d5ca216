import MOCloneEngine
import MOCloneModel

/// SQL for the keys that rows have in the store that they come into: the one place that knows them.
package struct TransferKeys: Sendable {
  package let layout: TransferLayout
  package let states: [TransferState]
  private var dialect: Dialect { layout.dialect }

  package func state(_ stream: RowStream) -> TransferState { states[stream.index] }

  /// Whether rows can have an object that was there.
  package func canBeFound(_ stream: RowStream) -> Bool { state(stream).hasMap || state(stream).isMapped }

  /// Whether rows can have keys to which references of the store lead already: of objects that were there, and keys that
  /// come along, to which a reference can lead that has dangled so far.
  package func canBeReferenced(_ stream: RowStream) -> Bool { canBeFound(stream) || stream.keepsKeys }

  // MARK: Keys

  /// The new key of a row, null where it is not moved.
  ///
  /// - Parameter old: the row's key, part by part, or the columns of a reference to it.
  package func moved(_ stream: RowStream, old: [String]) -> [String] {
    if state(stream).isMapped {
      return stream.table.keys("n").map { written($0, stream: stream, old: old) }
    }
    var new = offsetKey(stream, old: old[0])
    if state(stream).hasMap { new = "coalesce(\(written("n0", stream: stream, old: old)), \(new))" }
    let condition = isMoved(stream, old: old)
    return [condition == .always ? new : "CASE WHEN \(condition.text) THEN \(new) END"]
  }

  /// A column of the map.
  private func written(_ column: String, stream: RowStream, old: [String]) -> String {
    let entry = Select(["m.\(column)"], from: layout.map(stream).rows("m"))
    return "(\(entry.where(.equal(stream.keys.parts("m.o"), old)).text(dialect)))"
  }

  /// The new key of a row that is not in the map.
  package func offsetKey(_ stream: RowStream, old: String) -> String {
    guard stream.newKey == .number, state(stream).keyOffset != 0 else { return old }
    let (keyOffset, type) = (
      dialect.parameter(Self.keyOffset(stream)), dialect.columnType(stream.keys.columns[0])
    )
    // The server has no sums of numbers of objects.
    guard type == "oid" else { return "\(old) + \(keyOffset)" }
    return dialect.cast("\(dialect.cast(old, dialect.types.integer)) + \(keyOffset)", type)
  }

  /// Whether every row has the key in the store that it has in the source.
  func keepsKeys(of stream: RowStream) -> Bool {
    let state = state(stream)
    return !state.hasMap && !state.isMapped
      && (stream.newKey == .kept || stream.newKey == .number && state.keyOffset == 0)
  }

  /// The name of the parameter for what is added to a stream's numbers.
  package static func keyOffset(_ stream: RowStream) -> String { "shift\(stream.index)" }

  /// Whether a row is among those that are moved.
  package func isMoved(_ stream: RowStream, old: [String]) -> Condition {
    let state = state(stream)
    var isExisting = Condition.always
    if state.isPartial {
      isExisting = layout.reach.contains(stream, key: old)
    } else if state.hasDangling {
      isExisting = .exists(in: stream.rows("x"), where: .equal(stream.key("x"), old), dialect)
    }
    return isExisting && isIdentified(stream, old: old)
  }

  private func isIdentified(_ stream: RowStream, old: [String]) -> Condition {
    guard state(stream).hasSkipped else { return .always }
    return !.exists(
      in: layout.skipped(stream).rows("k"), where: .equal(stream.keys.parts("k.o"), old), dialect)
  }

  /// Whether every row of a stream has a new key.
  package func isTotal(_ stream: RowStream) -> Bool {
    isMoved(stream, old: stream.key("s")) == .always && !state(stream).isMapped
  }

  // MARK: References

  /// What a row's foreign key becomes, column by column.
  package func reference(_ reference: StreamReference, _ alias: String) -> [String] {
    // Staged rows refer by one number, whatever the key.
    guard layout.destination(of: reference) != nil, !passesUnchanged(reference) else {
      return dialect.columns(alias, reference.columns)
    }
    let table = layout.store.table(of: reference.reference.entity)
    return reference.key.columns.indices.map {
      part($0, of: reference, alias, passed: [name(reference.key.columns[$0], in: table)])
    }
  }

  /// One column of a key of which a part is null references nothing: it is a value like any, unless it is a key that
  /// objects of the other store have, too.
  ///
  /// - Parameter passed: the columns, with their tables, whose values were followed to the row.
  private func part(
    _ place: Int, of reference: StreamReference, _ alias: String, passed: Set<String>
  ) -> String {
    let columns = dialect.columns(alias, reference.columns)
    let new = renewed(place, of: reference, alias, passed: passed)
    guard columns.count > 1, new != columns[place] else { return new }
    let stream = layout.stream(of: reference.reference.entity)
    let isHalf = columns.map { Condition.isNull($0) }.any
    let others = stream.references.filter { $0.number != reference.number && $0.isFormed }.compactMap {
      other in
      other.reference.part(in: reference.columns[place]).flatMap { place in
        isPassed(place, of: other, passed: passed) ? nil : renewed(place, of: other, alias, passed: passed)
      }
    }
    let own = others + (isValue(place, of: reference) ? [columns[place]] : [])
    guard !own.isEmpty else { return new }
    return isHalf.choose(own.count == 1 ? own[0] : "coalesce(\(own.list))", else: new)
  }

  /// Whether a part of what a reference leads to is the same in the other store.
  private func isValue(_ place: Int, of reference: StreamReference) -> Bool {
    guard !layout.policy.keepsKeys, let destination = layout.destination(of: reference) else { return true }
    let column = reference.key.references[place].sqlName
    if let part = destination.table.keyColumns.firstIndex(where: { $0.name.sqlName == column }) {
      return [.copied, .given].contains(destination.table.map.key[part].source)
    }
    return !destination.references.contains { $0.reference.part(in: column) != nil }
  }

  /// The columns of a reference that are emptied where another one is null.
  func halvesLost(_ reference: StreamReference) -> [String] {
    guard reference.columns.count > 1, reference.isFormed else { return [] }
    let stream = layout.stream(of: reference.reference.entity)
    return reference.columns.indices.filter { place in
      // A part of the row's own key is never empty.
      !isValue(place, of: reference) && !stream.table.isInKey([reference.columns[place]])
        && !stream.references.contains {
          $0.number != reference.number && $0.isFormed
            && $0.reference.part(in: reference.columns[place]) != nil
        }
    }.map { reference.columns[$0] }
  }

  private func renewed(
    _ place: Int, of reference: StreamReference, _ alias: String, passed: Set<String>
  ) -> String {
    let columns = dialect.columns(alias, reference.columns)
    guard let destination = layout.destination(of: reference), !passesUnchanged(reference) else {
      return columns[place]
    }
    guard let places = destination.table.keys.places(of: reference.key.references) else {
      return value(
        place, of: reference, destination: destination, columns: columns, row: alias + "d", passed: passed)
    }
    let old = destination.source == nil ? columns : places.indices.map { columns[places.firstIndex(of: $0)!] }
    return moved(destination, old: old)[places[place]]
  }

  /// Whether a part of a reference leads to a column whose value was followed already.
  private func isPassed(_ place: Int, of reference: StreamReference, passed: Set<String>) -> Bool {
    layout.destination(of: reference).map {
      passed.contains(name(reference.key.references[place], in: $0.table))
    } ?? false
  }

  private func name(_ column: String, in table: TablePlan) -> String {
    "\(table.schema.name.sqlName) \(column.sqlName)"
  }

  /// What dangles dangles in a store that is only passed through as well: whether it matters is not known there. Where it
  /// shares columns a clone could not keep it.
  private func passesUnchanged(_ reference: StreamReference) -> Bool {
    let columns = reference.key.columns
    return layout.subtree?.isPassing == true && columns.count == 1
      && !layout.store.table(of: reference.reference.entity).isInKey(columns)
  }

  /// A reference to a unique value: that of the row, unless an object that was there has another one, or none.
  ///
  /// - Parameter row: what the row that is referred to is called.
  private func value(
    _ place: Int, of reference: StreamReference, destination: RowStream, columns: [String], row: String,
    passed: Set<String>
  ) -> String {
    let column = reference.key.references[place]
    let tie = leads(reference, to: destination, columns: columns, row: row)
    func made(_ alias: String) -> String? {
      renewed(column, of: destination, alias, passed: passed)
        ?? (destination.source == nil
          ? destination.value(column, alias) ?? null(column, of: destination.table) : nil)
    }
    let isExisting = isMoved(destination, old: destination.key(row))
    var new =
      made(row).map {
        "(\(Select([$0], from: destination.rows(row)).where(tie && isExisting).text(dialect)))"
      }
      ?? columns[place]
    if canBeFound(destination) {
      let (table, map) = (destination.table, layout.map(destination).sql)
      let entry = From(
        "\(destination.sql) \(row)",
        joins: [.ordered("\(map) m", on: .equal(destination.keys.parts("m.o"), destination.key(row)))])
      let there = entry + [.ordered("\(table.sql) t", on: .equal(table.key("t"), table.keys("m.n")))]
      let own = tie && layout.exists("m")
      var values = [(isExisting: own, value: Select([dialect.column("t", column)], from: there).where(own))]
      let first = row + "e"
      if state(destination).joins, let value = made(first) ?? destination.value(column, first) {
        let firsts =
          entry + [
            .ordered("\(map) h", on: .equal(table.keys("h.n"), table.keys("m.n")) && layout.isNew("h")),
            .ordered(
              "\(destination.sql) \(first)", on: .equal(destination.key(first), destination.keys.parts("h.o"))
            ),
          ]
        let joined = tie && layout.isJoined("m")
        values.append((isExisting: joined, value: Select([value], from: firsts).where(joined)))
      }
      if isPlain(column, of: destination) {
        new = values.reversed().reduce(new) { new, known in
          Condition.exists(in: entry, where: known.isExisting, dialect)
            .choose("(\(known.value.text(dialect)))", else: new)
        }
      } else {
        // A key or a reference that the object lacks comes with the rows.
        new = "coalesce(\(values.map { "(\($0.value.text(dialect)))" }.list), \(new))"
      }
    }
    guard isExisting != .always else { return new }
    let exists = Condition.exists(in: destination.rows(row), where: tie && isExisting, dialect)
    return "CASE WHEN \(exists.text) THEN \(new) END"
  }

  /// Whether a reference in some columns leads to a row.
  private func leads(
    _ reference: StreamReference, to destination: RowStream, columns: [String], row: String
  ) -> Condition {
    destination.source == nil
      ? .equal(destination.key(row), columns)
      : .equal(dialect.columns(row, reference.key.references), columns)
  }

  /// Whether a reference of a row leads to an object that has no value in a column which it references, so that nothing can
  /// refer to it: an object that was there, or one whose row gives none.
  package func leadsToEmpty(_ reference: StreamReference, _ alias: String) -> Condition {
    guard reference.isFormed, let destination = layout.destination(of: reference),
      !passesUnchanged(reference), destination.table.keys.places(of: reference.key.references) == nil
    else { return .never }
    let row = alias + "d"
    let isEmpty = zip(reference.key.references, self.reference(reference, alias))
      .filter { column, _ in isPlain(column, of: destination) }.map { Condition.isNull($0.1) }.any
    let columns = dialect.columns(alias, reference.columns)
    let isExisting =
      leads(reference, to: destination, columns: columns, row: row)
      && isMoved(destination, old: destination.key(row))
    return isEmpty && .exists(in: destination.rows(row), where: isExisting, dialect)
  }

  /// Whether a column is no part of a key or of a reference, of which another object can have other ones.
  private func isPlain(_ column: String, of stream: RowStream) -> Bool {
    !stream.table.isInKey([column]) && stream.references.allSatisfy { $0.reference.part(in: column) == nil }
  }

  private func null(_ column: String, of table: TablePlan) -> String {
    dialect.cast("NULL", table.schema.column(column).map(dialect.columnType))
  }

  /// What a new object holds in a column that is a part of its key or of a reference, so that it is not the row's own; nil
  /// for other columns, and where the value comes from a row that was passed.
  private func renewed(
    _ column: String, of stream: RowStream, _ alias: String, passed: Set<String>
  ) -> String? {
    if let place = stream.table.keyColumns.firstIndex(where: { $0.name.sqlName == column.sqlName }) {
      let key = moved(stream, old: stream.key(alias))
      return key.count == stream.table.keyColumns.count ? key[place] : nil
    }
    // Each step passes one column more, so a chain of references ends.
    let passed = passed.union([name(column, in: stream.table)])
    let all = stream.references.filter { $0.reference.part(in: column) != nil }
    let held = all.filter { reference in
      reference.isFormed && layout.destination(of: reference) != nil
        && !isPassed(reference.reference.part(in: column)!, of: reference, passed: passed)
    }
    guard !held.isEmpty else {
      return !all.isEmpty && all.allSatisfy { !$0.isFormed } ? null(column, of: stream.table) : nil
    }
    func value(_ reference: StreamReference) -> String {
      let new = reference.key.columns.indices.map { part($0, of: reference, alias, passed: passed) }
      return isFree(reference, new: new, stream: stream, besides: moved(stream, old: stream.key(alias)))
        .choose(new[reference.reference.part(in: column)!], else: "NULL")
    }
    if stream.source == nil { return held.count == 1 ? value(held[0]) : "coalesce(\(held.map(value).list))" }
    func holders(_ reference: StreamReference) -> [String] {
      layout.model.concreteEntities(of: reference.reference.entity)
    }
    let always = held.filter { stream.isKind(holders($0), alias: alias) == .always }
    guard always.isEmpty else { return value(always.first { $0.key.columns.count == 1 } ?? always[0]) }
    return stream.table.choose(held.map { (entities: holders($0), value: value($0)) }, alias)
  }

  /// Whether no other object holds an existing destination of a one-to-one relationship: a new object takes none away.
  ///
  /// - Parameter own: the key of the new object itself, where it may be written already.
  func isFree(
    _ reference: StreamReference, new: [String], stream: RowStream, besides own: [String]? = nil
  ) -> Condition {
    guard stream.source != nil, reference.reference.isOneToOne, !reference.reference.isRequired,
      layout.policy.references != .update, let destination = layout.destination(of: reference),
      state(destination).hasMap
    else { return .always }
    let isOther = own.map { !.equal(stream.table.key("t"), $0) } ?? .always
    let isRelatedObject = Condition.equal(dialect.columns("t", reference.key.columns), new) && isOther
    return !.exists(in: stream.table.rows("t"), where: isRelatedObject, dialect)
  }

  // MARK: Rows

  /// The rows `s` that are moved.
  package func rows(_ stream: RowStream) -> Select {
    let from = state(stream).isPartial ? layout.reach.each(of: stream, "s") : stream.rows("s")
    return Select([], from: from).where(isIdentified(stream, old: stream.key("s")))
  }

  /// The same without those that the map holds.
  package func openRows(_ stream: RowStream) -> Select {
    rows(stream).where(!layout.hasEntry(stream, stream.key("s")))
  }

  /// The rows that become new objects.
  package func newRows(_ stream: RowStream) -> Select {
    if state(stream).isMapped { return mappedRows(stream).where(layout.isNew("m")) }
    guard state(stream).hasMap else { return rows(stream) }
    let isOther = Condition.equal(stream.keys.parts("m.o"), stream.key("s")) && !layout.isNew("m")
    return rows(stream).where(!.exists(in: layout.map(stream).rows("m"), where: isOther, dialect))
  }

  /// The rows that are moved, of those that are one object the first.
  package func firstRows(_ stream: RowStream) -> Select {
    guard state(stream).joins else { return rows(stream) }
    let isLater = Condition.equal(stream.keys.parts("m.o"), stream.key("s")) && layout.isJoined("m")
    return rows(stream).where(!.exists(in: layout.map(stream).rows("m"), where: isLater, dialect))
  }

  /// The rows whose objects existed before the run; `m` is the entry of the map.
  package func foundRows(_ stream: RowStream) -> Select { mappedRows(stream).where(layout.isFound("m")) }

  /// The rows that are the same object as an earlier one.
  package func joinedRows(_ stream: RowStream) -> Select { mappedRows(stream).where(layout.isJoined("m")) }

  /// The same as `foundRows`, with the object that was there as `t`.
  package func foundPairs(_ stream: RowStream) -> Select {
    let table = stream.table
    return foundRows(stream).joined("\(table.sql) t", on: .equal(table.key("t"), table.keys("m.n")))
  }

  /// The rows that the map holds; `m` is the entry.
  func mappedRows(_ stream: RowStream) -> Select {
    Select([], from: layout.map(stream).rows("m"))
      .joined("\(stream.sql) s", on: .equal(stream.key("s"), stream.keys.parts("m.o")))
  }

  /// The pairs `j`; of a part of the rows those of the objects that were reached, where an index finds them.
  package func rows(_ joinRows: JoinRowStream) -> From {
    let end = joinRows.ends.first { end in
      state(layout.streams[end.stream]).isPartial && joinRows.source?.hasIndex(end.columns) == true
    }
    guard let end else { return From("\(joinRows.sql) j") }
    let tie = Condition.equal(
      dialect.columns("j", end.columns), dialect.columns("o", end.mapping.references))
    return layout.reach.each(of: layout.streams[end.stream], "o") + [.ordered("\(joinRows.sql) j", on: tie)]
  }
}
