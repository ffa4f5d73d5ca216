import MOCloneEngine
import MOCloneModel

/// SQL for the keys that rows have in the store that they come into: the one place that knows them.
package struct TransferKeys: Sendable {
  package let layout: TransferLayout
  package let states: [TransferState]
  private var dialect: Dialect { layout.dialect }

  package init(_ layout: TransferLayout, states: [TransferState]) {
    self.layout = layout
    self.states = states
  }

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
    var new = shifted(stream, old: old[0])
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
  package func shifted(_ stream: RowStream, old: String) -> String {
    let isShifted = stream.newKey == .number && state(stream).shift != 0
    return isShifted ? "\(old) + \(dialect.parameter(Self.shift(stream)))" : old
  }

  /// The name of the parameter for what is added to a stream's numbers.
  package static func shift(_ stream: RowStream) -> String { "shift\(stream.index)" }

  /// Whether a row is among those that are moved.
  package func isMoved(_ stream: RowStream, old: [String]) -> Condition {
    let state = state(stream)
    var isThere = Condition.always
    if state.isPartial {
      isThere = layout.reach.contains(stream, key: old)
    } else if state.hasDangling {
      isThere = .exists(Select(["1"], from: stream.rows("x")).where(.equal(stream.key("x"), old)), dialect)
    }
    return isThere && isIdentified(stream, old: old)
  }

  private func isIdentified(_ stream: RowStream, old: [String]) -> Condition {
    guard state(stream).hasSkipped else { return .always }
    let entry = Select(["1"], from: layout.skipped(stream).rows("k"))
    return !.exists(entry.where(.equal(stream.keys.parts("k.o"), old)), dialect)
  }

  /// Whether every row of a stream has a new key.
  package func isTotal(_ stream: RowStream) -> Bool {
    isMoved(stream, old: stream.key("s")) == .always && !state(stream).isMapped
  }

  // MARK: References

  /// What a row's foreign key becomes, column by column.
  package func reference(_ reference: StreamReference, _ alias: String) -> [String] {
    self.reference(reference, alias, passed: [])
  }

  /// - Parameter passed: the columns, with their tables, whose values were followed to the row.
  private func reference(_ reference: StreamReference, _ alias: String, passed: Set<String>) -> [String] {
    let columns = reference.columns.map { dialect.column(alias, $0) }
    guard let destination = layout.destination(of: reference), !passesUnchanged(reference) else {
      return columns
    }
    if let places = destination.table.keyPlaces(of: reference.key.references) {
      // Staged rows refer by one number, rows of a store by the key part by part.
      let old =
        destination.source == nil ? columns : places.indices.map { columns[places.firstIndex(of: $0)!] }
      let new = moved(destination, old: old)
      return keepingHalves(places.map { new[$0] }, of: reference, alias)
    }
    let new = reference.key.references.indices.map {
      value(
        reference, destination: destination, columns: columns, part: $0, row: alias + "d", passed: passed)
    }
    return keepingHalves(new, of: reference, alias)
  }

  /// A key of which a part is null leads nowhere, so that the others are values like any, unless they are keys elsewhere.
  private func keepingHalves(_ new: [String], of reference: StreamReference, _ alias: String) -> [String] {
    let columns = reference.columns.map { dialect.column(alias, $0) }
    guard columns.count > 1, new != columns else { return new }
    let stream = layout.stream(of: reference.reference.entity)
    let isHalf = columns.map { Condition.isNull($0) }.any
    return reference.columns.indices.map { part in
      let others = stream.references.filter { other in
        other.number != reference.number
          && other.key.columns.contains { $0.sqlName == reference.columns[part].sqlName }
      }
      if others.isEmpty { return isHalf.choose(columns[part], else: new[part]) }
      guard let other = others.first(where: { $0.key.columns.count == 1 && $0.isFormed }) else {
        return new[part]
      }
      return isHalf.choose(self.reference(other, alias)[0], else: new[part])
    }
  }

  /// What dangles dangles in a store that is only passed through as well: whether it matters is not known there. Where it
  /// shares columns a clone could not keep it.
  private func passesUnchanged(_ reference: StreamReference) -> Bool {
    let columns = reference.key.columns
    return layout.cut?.isPassing == true && columns.count == 1
      && !layout.store.table(of: reference.reference.entity).isInKey(columns)
  }

  /// A reference to a unique value: that of the row, unless an object that was there has another one.
  ///
  /// - Parameter row: what the row that is referred to is called.
  private func value(
    _ reference: StreamReference, destination: RowStream, columns: [String], part: Int, row: String,
    passed: Set<String>
  ) -> String {
    let column = reference.key.references[part]
    let tie: Condition =
      destination.source == nil
      ? .equal(destination.key(row), columns)
      : .equal(reference.key.references.map { dialect.column(row, $0) }, columns)
    func made(_ alias: String) -> String? { renewed(column, of: destination, alias, passed: passed) }
    var new = columns[part]
    let type = destination.table.schema.column(column).map(dialect.columnType)
    let staged = destination.value(column, row) ?? dialect.cast("NULL", type)
    if let value = made(row) ?? (destination.source == nil ? staged : nil) {
      new = "(\(Select([value], from: destination.rows(row)).where(tie).text(dialect)))"
    }
    if canBeFound(destination) {
      let (table, map) = (destination.table, layout.map(destination).sql)
      let entry = From(
        "\(destination.sql) \(row)",
        joins: [.ordered("\(map) m", on: .equal(destination.keys.parts("m.o"), destination.key(row)))])
      let there = entry + [.ordered("\(table.sql) t", on: .equal(table.key("t"), table.keys("m.n")))]
      var values = [Select([dialect.column("t", column)], from: there).where(tie && layout.isThere("m"))]
      if state(destination).joins, let value = made("e") ?? destination.value(column, "e") {
        let first =
          entry + [
            .ordered("\(map) h", on: .equal(table.keys("h.n"), table.keys("m.n")) && layout.isNew("h")),
            .ordered("\(destination.sql) e", on: .equal(destination.key("e"), destination.keys.parts("h.o"))),
          ]
        values.append(Select([value], from: first).where(tie && layout.isJoined("m")))
      }
      new = "coalesce(\(values.map { "(\($0.text(dialect)))" }.list), \(new))"
    }
    let isThere = isMoved(destination, old: destination.key(row))
    guard isThere != .always else { return new }
    let exists = Condition.exists(Select(["1"], from: destination.rows(row)).where(tie && isThere), dialect)
    return "CASE WHEN \(exists.text) THEN \(new) END"
  }

  /// What a new object holds in a column that is a part of its key or of a reference, so that it is not the row's own; nil
  /// for other columns.
  private func renewed(
    _ column: String, of stream: RowStream, _ alias: String, passed: Set<String>
  ) -> String? {
    func name(_ table: TablePlan, _ column: String) -> String {
      "\(table.schema.name.sqlName) \(column.sqlName)"
    }
    let passed = passed.union([name(stream.table, column)])
    let held = stream.references.filter(\.isFormed).compactMap {
      reference -> (of: [String], value: String)? in
      guard let place = reference.key.columns.firstIndex(where: { $0.sqlName == column.sqlName }),
        let destination = layout.destination(of: reference),
        !passed.contains(name(destination.table, reference.key.references[place]))
      else { return nil }
      let holders = layout.model.concreteEntities(of: reference.reference.entity)
      return (holders, self.reference(reference, alias, passed: passed)[place])
    }
    if !held.isEmpty {
      let isShared = held.contains { stream.isKind($0.of, alias: alias) == .always }
      if stream.source == nil {
        return held.count == 1 ? held[0].value : "coalesce(\(held.map(\.value).list))"
      }
      return isShared || held.count == 1
        ? held[0].value : stream.table.choose(held.map { (entities: $0.of, value: $0.value) }, alias)
    }
    return stream.table.keyColumns.firstIndex { $0.name.sqlName == column.sqlName }
      .map { moved(stream, old: stream.key(alias))[$0] }
  }

  // MARK: Rows

  /// The rows `s` that are moved.
  package func rows(_ stream: RowStream) -> Select {
    let from = state(stream).isPartial ? layout.reach.each(of: stream, "s") : stream.rows("s")
    return Select([], from: from).where(isIdentified(stream, old: stream.key("s")))
  }

  /// The same without those that the map holds.
  package func openRows(_ stream: RowStream) -> Select {
    rows(stream).where(isOpen(stream))
  }

  private func isOpen(_ stream: RowStream) -> Condition {
    let entry = Select(["1"], from: layout.map(stream).rows("m"))
    return !.exists(entry.where(.equal(stream.keys.parts("m.o"), stream.key("s"))), dialect)
  }

  /// The rows that become new objects.
  package func newRows(_ stream: RowStream) -> Select {
    if state(stream).isMapped { return mappedRows(stream).where(layout.isNew("m")) }
    guard state(stream).hasMap else { return rows(stream) }
    let found = Select(["1"], from: layout.map(stream).rows("m"))
      .where(.equal(stream.keys.parts("m.o"), stream.key("s")) && !layout.isNew("m"))
    return rows(stream).where(!.exists(found, dialect))
  }

  /// The rows that are moved, of those that are one object the first.
  package func firstRows(_ stream: RowStream) -> Select {
    guard state(stream).joins else { return rows(stream) }
    let entry = Select(["1"], from: layout.map(stream).rows("m"))
      .where(.equal(stream.keys.parts("m.o"), stream.key("s")) && layout.isJoined("m"))
    return rows(stream).where(!.exists(entry, dialect))
  }

  /// The rows whose objects were there already; `m` is the entry of the map.
  package func foundRows(_ stream: RowStream) -> Select { mappedRows(stream).where(layout.isFound("m")) }

  /// The rows that are the same object as an earlier one.
  package func joinedRows(_ stream: RowStream) -> Select { mappedRows(stream).where(layout.isJoined("m")) }

  /// The same as `foundRows`, with the object that was there as `t`.
  package func foundPairs(_ stream: RowStream) -> Select {
    let table = stream.table
    return foundRows(stream).joined("\(table.sql) t", on: .equal(table.key("t"), table.keys("m.n")))
  }

  private func mappedRows(_ stream: RowStream) -> Select {
    Select([], from: layout.map(stream).rows("m"))
      .joined("\(stream.sql) s", on: .equal(stream.key("s"), stream.keys.parts("m.o")))
  }

  /// The pairs `j`; of a part of the rows those of the objects that were reached, where an index finds them.
  package func rows(_ pairs: PairStream) -> From {
    let end = pairs.ends.first { end in
      state(layout.streams[end.stream]).isPartial && pairs.source?.hasIndex(end.columns) == true
    }
    guard let end else { return From("\(pairs.sql) j") }
    let tie = Condition.equal(
      end.columns.map { dialect.column("j", $0) }, end.mapping.references.map { dialect.column("o", $0) })
    return layout.reach.each(of: layout.streams[end.stream], "o") + [.ordered("\(pairs.sql) j", on: tie)]
  }
}
