import MOCloneEngine
import MOCloneModel

// What the report says of a copy: what there is, what was found, and what nothing identifies.
extension TransferRun {
  /// The objects of the source by root entity.
  func totals() throws -> [String: Int] {
    try Dictionary(
      uniqueKeysWithValues: layout.streams.map { stream in
        (stream.table.root, try statements.number(Select(["count(*)"], from: stream.rows("s"))))
      })
  }

  func count() throws {
    report.created = [:]
    report.found = [:]
    for (object, path) in staging?.skipped ?? [] {
      report.skip("\(object)", MoveReport.unidentified("\(path)"))
    }
    let keys = TransferKeys(layout, states: states)
    for stream in layout.streams {
      try countSkipped(stream)
      try countEmptied(stream, keys)
      try countUnfollowed(stream, keys)
      try countHalves(stream, keys)
      if policy.operation == .copy, states[stream.index].joins { try countJoined(stream) }
      if keys.canBeFound(stream) { try count(keys.foundRows(stream), of: stream, section: \.found) }
      if stream.entities.count > 1 { try count(keys.newRows(stream), of: stream, section: \.created) }
    }
  }

  /// The objects that are made outside the subtree, by entity; nil where nothing is cut out.
  func countOutside() throws -> [String: Int]? {
    guard let cut = CutReach(layout, states: states) else { return nil }
    let keys = TransferKeys(layout, states: states)
    var counts: [String: Int] = [:]
    for stream in layout.streams where states[stream.index].hasLinked {
      let rows = keys.newRows(stream).where(cut.isLinked(stream, stream.key("s")))
      for (entity, count) in try counted(rows, of: stream) { counts[entity, default: 0] += count }
    }
    return counts
  }

  private func count(
    _ rows: Select, of stream: RowStream, section: WritableKeyPath<MoveReport, [String: Int]?>
  ) throws {
    // Several rows can be one object that is found.
    let areObjects = policy.repeated == .apart && section == \.found
    for (entity, count) in try counted(rows, of: stream, asObjects: areObjects) {
      report.add(count, entity, to: section)
    }
  }

  private func counted(
    _ rows: Select, of stream: RowStream, asObjects: Bool = false
  ) throws -> [(entity: String, count: Int)] {
    let mark = stream.mark("s")
    var counts = rows.with([mark, "count(*)"]).grouped(by: [mark])
    if asObjects {
      let objects = rows.with(["\(mark) AS mark"] + stream.table.keys("m.n")).distinct(dialect)
      counts = Select(["mark", "count(*)"], from: From(objects, as: "x", dialect: dialect)).grouped(by: [
        "mark"
      ])
    }
    return try statements.rows(counts).map { (stream.table.entity($0), $0[1].number) }
  }

  /// Names so many of those that are left out, and counts the others.
  private static let named = 1000

  private func countSkipped(_ stream: RowStream) throws {
    guard states[stream.index].hasSkipped else { return }
    let skipped = layout.skipped(stream)
    let rows = Select(stream.keys.parts("k.o") + ["k.part", stream.mark("s")], from: skipped.rows("k"))
      .joined("\(stream.sql) s", on: .equal(stream.key("s"), stream.keys.parts("k.o")))
    let width = stream.keys.columns.count
    let found = try statements.rows(rows.limited(to: Self.named))
    for row in found {
      let entity = stream.table.entity(row, at: width + 1)
      let path = layout.identities[entity]?.paths[row[width].number]
      report.skip(
        "\(ObjectID(entity, key: row.key(of: stream.table)))",
        MoveReport.unidentified(path?.description ?? "a part"))
    }
    let count = try statements.number(Select(["count(*)"], from: skipped.rows("k")))
    if count > found.count {
      report.skip(stream.table.root, "\(count - found.count) more without an identity")
    }
  }

  /// Counts what no new object takes along of foreign keys that the model does not name.
  private func countEmptied(_ stream: RowStream, _ keys: TransferKeys) throws {
    for (place, count) in try emptied(stream, keys.newRows(stream)) {
      report.skip(
        place,
        "it is a foreign key that the model does not name, so it is left empty (new objects: \(count))")
    }
  }

  /// Counts what no new object takes along of foreign keys of which a part is null: the key of another object, which has
  /// another one here.
  private func countHalves(_ stream: RowStream, _ keys: TransferKeys) throws {
    guard stream.source != nil else { return }
    for reference in stream.references {
      let isHalf = reference.columns.map { Condition.isNull(dialect.column("s", $0)) }.any
      for column in keys.halvesLost(reference) {
        let rows = keys.newRows(stream).where(isHalf && .isNotNull(dialect.column("s", column)))
        let count = try statements.number(rows.with(["count(*)"]))
        guard count > 0 else { continue }
        report.skip(
          "the column '\(column)' of the table '\(stream.table.schema.name)'",
          "it is a part of a foreign key of which another part is null, and a key that new objects have another one of, "
            + "so it is left empty (new objects: \(count))")
      }
    }
  }

  /// Counts what new objects have in foreign keys that the model knows as attributes or keys only, where what they lead to
  /// gets other keys.
  private func countUnfollowed(_ stream: RowStream, _ keys: TransferKeys) throws {
    let followed = stream.references.flatMap(\.key.columns).map(\.sqlName) + stream.emptied.map(\.sqlName)
    for key in stream.table.schema.foreignKeys
    where Set(followed).isDisjoint(with: key.columns.map(\.sqlName)) {
      guard stream.source != nil,
        let destination = layout.streams.first(where: { $0.table.schema.name.sqlName == key.table.sqlName }),
        !keys.keepsKeys(of: destination)
      else { continue }
      let known = key.columns.filter { stream.source?.column($0) != nil }
      let isFilled = known.map { Condition.isNotNull(dialect.column("s", $0)) }.all
      let count = try statements.number(keys.newRows(stream).where(isFilled).with(["count(*)"]))
      guard count > 0 else { continue }
      report.skip(
        "the foreign key (\(key.columns.joined(separator: ", "))) of the table '\(stream.table.schema.name)'",
        "no relationship of the model follows it, so new objects may lead to others of the table '\(key.table)' (\(count))"
      )
    }
  }

  /// The foreign keys that the model does not name, and how many of some rows have one.
  private func emptied(_ stream: RowStream, _ rows: Select) throws -> [(place: String, count: Int)] {
    try stream.emptied.map { column in
      let filled = rows.where(.isNotNull(dialect.column("s", column))).with(["count(*)"])
      return (
        "the column '\(column)' of the table '\(stream.table.schema.name)'", try statements.number(filled)
      )
    }.filter { $0.count > 0 }
  }

  /// Counts the rows of which an earlier one stands for the object, and names those that said something else.
  private func countJoined(_ stream: RowStream) throws {
    try count(writes.keys.joinedRows(stream), of: stream, section: \.merged)
    guard let values = Differences(writes).joined(stream) else { return }
    let width = stream.keys.columns.count
    for row in try statements.rows(values.query.limited(to: Self.named)) {
      let object = ObjectID(stream.table.root, key: row.key(of: stream.table))
      let first = ObjectID(stream.table.root, key: row.key(of: stream.table, from: width))
      let names = values.names.indices.filter { row[2 * width + $0].number == 1 }.map { values.names[$0] }
      report.skip("\(object)", MoveReport.differing(names, from: first))
    }
  }

  /// `Author 1: born`, so many of each stream.
  func differ() throws -> [String] {
    let differences = Differences(writes)
    let values = try differences.values.flatMap { values in
      try statements.objects(values.stream, values.query).map { object, row in
        let width = values.stream.keys.columns.count
        let names = values.names.indices.filter { row[width + $0].number == 1 }.map { values.names[$0] }
        return "\(object): \(names.joined(separator: ", "))"
      }
    }
    let counted = try differences.counts.compactMap { name, query -> String? in
      let count = try statements.number(query)
      return count == 0 ? nil : "\(name): \(count)"
    }
    let left = try layout.streams.flatMap { stream in
      try emptied(stream, Select([], from: stream.rows("s"))).map(\.place)
    }
    return values + counted + left
  }
}
