import MOCloneEngine
import MOCloneModel

// What the report says of a copy: what there is, what was found, and what has no identity.
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
      report.skip("\(object)", TransferReport.unidentified("\(path)"))
    }
    let keys = keys
    for stream in layout.reached {
      try countSkipped(stream)
      try countEmptied(stream, keys)
      try countUnfollowed(stream, keys)
      try countHalves(stream, keys)
      if policy.repeated == .joined, states[stream.index].joins { try countJoined(stream) }
      if keys.canBeFound(stream) { try count(keys.foundRows(stream), of: stream, section: \.found) }
      if stream.entities.count > 1 { try count(keys.newRows(stream), of: stream, section: \.created) }
    }
  }

  /// The objects that are made outside the subtree, by entity; nil where nothing is cut out.
  func countOutside() throws -> [String: Int]? {
    guard let subtree = SubtreeReach(layout, states: states) else { return nil }
    let keys = keys
    var counts: [String: Int] = [:]
    for stream in layout.streams where states[stream.index].hasLinked {
      let rows = keys.newRows(stream).where(subtree.isLinked(stream, stream.key("s")))
      for (entity, count) in try counted(rows, of: stream) { counts[entity, default: 0] += count }
    }
    return counts
  }

  private func count(
    _ rows: Select, of stream: RowStream, section: WritableKeyPath<TransferReport, [String: Int]?>
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
        TransferReport.unidentified(path?.description ?? "a part"))
    }
    let count = try statements.number(Select(["count(*)"], from: skipped.rows("k")))
    if count > found.count {
      report.skip(stream.table.root, "\(count - found.count) more without an identity")
    }
  }

  /// Counts what no new object takes along of foreign keys that the model does not name.
  private func countEmptied(_ stream: RowStream, _ keys: TransferKeys) throws {
    for column in stream.emptied {
      try report(
        keys.newRows(stream).where(.isNotNull(dialect.column("s", column))), stream.place(of: column)
      ) {
        "it is a foreign key that the model does not name, so it is left empty (new objects: \($0))"
      }
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
        try report(rows, stream.place(of: column)) {
          "it is a part of a foreign key of which another part is null, and a key that new objects have another one of, "
            + "so it is left empty (new objects: \($0))"
        }
      }
    }
  }

  /// Counts what new objects have in foreign keys that the model knows as attributes or keys only, where what they lead to
  /// gets other keys.
  private func countUnfollowed(_ stream: RowStream, _ keys: TransferKeys) throws {
    guard let source = stream.source else { return }
    let followed = Set((stream.references.flatMap(\.key.columns) + stream.emptied).map(\.sqlName))
    for key in stream.table.schema.foreignKeys where followed.isDisjoint(with: key.columns.map(\.sqlName)) {
      let destination = layout.streams.first { $0.table.schema.name.sqlName == key.table.sqlName }
      guard let destination, !keys.keepsKeys(of: destination) else { continue }
      let known = key.columns.filter { source.column($0) != nil }
      let isFilled = known.map { Condition.isNotNull(dialect.column("s", $0)) }.all
      try report(
        keys.newRows(stream).where(isFilled),
        "the foreign key (\(key.columns.joined(separator: ", "))) of the table '\(stream.table.schema.name)'"
      ) {
        "no relationship of the model follows it, so new objects may lead to others of the table '\(key.table)' (\($0))"
      }
    }
  }

  /// Names a place of which some rows lose something, where there are such rows.
  private func report(_ rows: Select, _ place: String, reason: (_ count: Int) -> String) throws {
    let count = try statements.number(rows.with(["count(*)"]))
    if count > 0 { report.skip(place, reason(count)) }
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
      report.skip("\(object)", TransferReport.differing(names, from: first))
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
    let emptied = try layout.streams.flatMap { stream in
      try stream.emptied.filter { column in
        let filled = Select(["1"], from: stream.rows("s")).where(.isNotNull(dialect.column("s", column)))
        return try statements.row(filled.limited(to: 1)) != nil
      }.map(stream.place)
    }
    return values + counted + emptied
  }
}

extension RowStream {
  fileprivate func place(of column: String) -> String {
    "the column '\(column)' of the table '\(table.schema.name)'"
  }
}
