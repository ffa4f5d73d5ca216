import MOCloneEngine
import MOCloneModel

/// The merging of what was found, table by table.
extension StoreDedupe {
  /// Tables whose objects are identified by others come first, so that two of one owner never have the same identity; and
  /// so do those whose keys hold references, which become other keys as their owners are merged.
  private var order: [TablePlan] {
    var tables: [TablePlan] = []
    // A table that is also merged by its own identity takes its place from that; one-to-one objects come below.
    let units =
      renderer.units.filter { !$0.isRelatedObject }.reversed()
      + renderer.units.filter(\.isRelatedObject).reversed()
    for unit in units where !tables.contains(renderer.table(unit)) { tables.append(renderer.table(unit)) }
    return DedupePlan.membersFirst(tables) { member, owner in
      isKeyed(member, by: owner)
        || !isKeyed(owner, by: member)
          && layout.references.contains {
            $0.isOneToOne && !layout.leadsBack($0) && layout.table(of: $0.entity) == member
              && layout.table(of: $0.key.destination) == owner
          }
    }
  }

  /// Whether the keys of a table hold references to another, or to one whose keys do.
  private func isKeyed(_ member: TablePlan, by owner: TablePlan, beyond seen: Set<Int> = []) -> Bool {
    layout.references(in: member).contains { reference in
      guard member.isInKey(reference.key.columns), !layout.leadsBack(reference) else { return false }
      let next = layout.table(of: reference.key.destination)
      return next == owner
        || !seen.contains(next.index) && isKeyed(next, by: owner, beyond: seen.union([next.index]))
    }
  }

  mutating func merge(_ merged: Set<Int>) throws {
    let schema = try db.schema(
      of: db.tableNames(with: Set(layout.tables.map(\.schema.name) + layout.joins.map(\.schema.name))),
      layout.mapping)
    let keys = Set(layout.tables.filter { merged.contains($0.index) }.map(\.schema.name.sqlName))
    try runner.refuseOtherSpellings(in: schema, to: keys, named: layout.dialect.table)
    let hasTriggers = schema.names.contains { schema[$0]?.triggers.isEmpty == false }
    let backs = renderer.backs.compactMap { BackReferenceRenderer($0, of: renderer, merged: merged) }
    for back in backs where back.isRequired { throw CloneError.alwaysLeadsBack(back.reference) }
    try watch.enter(.writing)
    try moveJoinRows(merged, isChecked: hasTriggers)
    let tables = order.filter { merged.contains($0.index) }
    let merges = tables.map { MergeRenderer(renderer, table: $0, merged: merged) }
    for merge in merges { try listGivenUp(merge) }
    for back in backs {
      if back.joinsRelatedObjects { try refuseLostMembers(back.reference, merge: back.merge) }
      try runner.execute(back.release)
    }
    for merge in merges {
      let fill = FillRenderer(merge)
      let places = PlaceRenderer.all(merge, fills: request.fills)
      for reference in merge.owners {
        if !layout.leadsToMember(reference.forward) { try refuseLostRelatedObjects(reference, merge: merge) }
        if !layout.leadsToMember(reference.backward) { try refuseLostMembers(reference, merge: merge) }
      }
      let waiting = ValueReferenceRenderer.all(merge, fill, fills: request.fills)
      try runner.execute(waiting.flatMap(\.collect))
      try move(merge, waiting: waiting, in: schema, isChecked: hasTriggers)
      // What goes has followed the keys that became others in the move, and what fills by it leads to these.
      if request.fills { try collect(fill) }
      try runner.execute(places.flatMap(\.collect))
      try remove(merge)
      try runner.execute(places.flatMap(\.apply))
      if request.fills { try apply(fill) }
      try runner.execute(waiting.flatMap(\.apply))
    }
    try runner.execute(backs.flatMap(\.apply))
  }

  /// Names the objects whose values what they become will not hold.
  mutating func listGivenUp(_ merge: MergeRenderer) throws {
    let table = merge.table
    let identities = renderer.units.filter { renderer.table($0) == table }.map(\.identity)
    let identifying = identities.flatMap(\.paths).filter(\.steps.isEmpty).compactMap { $0.attribute?.name }
    let givenUp = GivenUpRenderer(merge, fills: request.fills, identifying: Set(identifying))
    try list(givenUp.query, of: table, values: givenUp.values)
  }

  /// Names the one-to-one objects that are kept and that what stays does not have.
  private mutating func listParted(_ reference: RowReference, merge: MergeRenderer) throws {
    guard let parted = merge.parted(reference) else { return }
    let member = layout.table(of: reference.entity)
    let place = 1 + 2 * merge.table.keyColumns.count
    try list(parted, of: merge.table) { row in
      [(reference.backward!.name, row.key(of: member, from: place).description)]
    }
  }

  /// - Parameters:
  ///   - query: selects mark and key of what goes, the key of what stays, and what is given up.
  ///   - values: what of a row of the query is given up, by name.
  private mutating func list(
    _ query: Select, of table: TablePlan, values: ([StoredValue]) -> [(String, String)]
  ) throws {
    let width = table.keyColumns.count
    let rows = try runner.rows(query.limited(to: TransferReport.listedDifferences))
    for row in rows {
      let objects = [1, 1 + width].map { ObjectID(table.entity(row), key: row.key(of: table, from: $0)) }
      report.giveUp(values(row), of: objects[0], for: objects[1])
    }
    guard rows.count == TransferReport.listedDifferences else { return }
    let all = Select(["count(*)"], from: From(query.with(["1"]), as: "x", dialect: layout.dialect))
    let more = try runner.number(all) - rows.count
    if more > 0 { report.unlisted = (report.unlisted ?? 0) + more }
  }

  /// Objects that are merged for their own identity can belong to owners that are not merged.
  private func refuseLostRelatedObjects(_ reference: RowReference, merge: MergeRenderer) throws {
    let owner = layout.table(of: reference.key.destination)
    let queries = [merge.lostRelatedObjects(reference)] + (request.fills ? [merge.lostFills(reference)] : [])
    for query in queries {
      guard let owners = try found(query, in: owner) else { continue }
      throw CloneError.relatedObjectsLost(owners, reference.backward!)
    }
  }

  /// Merged owners can have one-to-one objects that are not merged.
  private func refuseLostMembers(_ reference: RowReference, merge: MergeRenderer) throws {
    for query in merge.lostMembers(reference) {
      guard let members = try found(query, in: merge.table) else { continue }
      throw CloneError.relatedObjectsApart(members, reference.backward!)
    }
  }

  /// Objects whose keys hold the reference, and that nothing but these keys tells apart from those of another owner.
  private func refuseCollisions(_ reference: RowReference, merge: MergeRenderer) throws {
    let member = layout.table(of: reference.entity)
    for query in merge.collisions(reference) {
      guard let objects = try found(query, in: member) else { continue }
      throw CloneError.keysCollide(
        objects, key: member.keyColumns.map(\.name),
        owner: layout.model.rootEntity(of: reference.key.destination))
    }
  }

  /// Rows that could refer to what stays by a column only in which another of their references needs another value.
  private func refuseDivided(_ reference: RowReference, merge: MergeRenderer) throws {
    let member = layout.table(of: reference.entity)
    for column in merge.sharedColumns(of: reference) {
      guard let row = try runner.answer(column.divided) else { continue }
      let object = layout.id(row, from: 0, in: member)
      throw CloneError(
        .constraintFailed,
        "the merge would need two values in the column '\(column.name)' of \(object), which "
          + "'\(reference.relationship.qualifiedName)' and '\(column.other.relationship.qualifiedName)' share",
        help: "merge only objects with the same '\(column.referenced)', for example by adding it to --by",
        entity: object.entity, property: reference.relationship.name)
    }
  }

  /// The two objects that a query selects with mark and key of each.
  private func found(_ query: String, in table: TablePlan) throws -> [ObjectID]? {
    try runner.answer(query).map { row in
      [0, 1].map { layout.id(row, from: $0 * (1 + table.keyColumns.count), in: table) }
    }
  }

  /// Leads everything that refers to what goes to what stays.
  ///
  /// - Parameter waiting: the references that are empty until what stays is filled.
  private mutating func move(
    _ merge: MergeRenderer, waiting: [ValueReferenceRenderer], in schema: StoreSchema, isChecked: Bool
  ) throws {
    for reference in merge.references {
      try refuseCollisions(reference, merge: merge)
      try refuseDivided(reference, merge: merge)
      let own = waiting.first { $0.reference.key == reference.key }
      try refuseLost(
        own?.countLost ?? merge.countLost(reference), table: layout.table(of: reference.entity).schema.name)
      try listParted(reference, merge: merge)
      do {
        try runner.execute(merge.followers(of: reference, in: schema))
        try runner.execute(merge.move(reference), scanning: reference.entity)
      } catch {
        throw layout.refusedAtOnce(error, db) ?? error
      }
      let isComputed = merge.isComputed(reference)
      guard isChecked || reference.isOneToOne || isComputed else { continue }
      let member = layout.table(of: reference.entity)
      try expectNone(
        merge.countUnmoved(reference), table: member.schema.name, entity: member.root,
        help: isComputed ? Self.adviceOnComputed : nil)
    }
    let unknown = merge.unknown(in: schema)
    try db.refuseHidden(unknown.map(\.table).uniqued())
    for unknown in unknown { try move(unknown) }
  }

  private static let adviceOnComputed = "change the columns from which the database computes these references"

  private mutating func moveJoinRows(_ merged: Set<Int>, isChecked: Bool) throws {
    let ends = MergeRenderer.ends(renderer, merged: merged)
    let lost = MergeRenderer.lostPairs(renderer, merged: merged)
    try runner.execute(lost.flatMap(\.note))
    for end in ends { try runner.execute(end.move) }
    for lost in lost.sorted(by: { $0.table < $1.table }) {
      let rows = try runner.count(lost.count)
      try runner.execute(lost.clear)
      guard rows > 0 else { continue }
      report.skip(
        lost.table,
        "values of \(rows.counting("row")) in columns that the model does not name (\(lost.unnamed.list)) "
          + "are given up: another row joins the same objects")
    }
    // A join table of one entity has two ends, and a row can hang by either until both have moved.
    guard isChecked else { return }
    for end in ends { try expectNone(end.countLeft, table: end.mapping.table, entity: nil) }
  }

  private mutating func move(_ unknown: MergeRenderer.Unknown) throws {
    try refuseLost(unknown.countLost, table: unknown.table)
    if let move = unknown.move { try runner.execute(move) }
    let left = try runner.count(unknown.count)
    guard left > 0 else { return }
    if unknown.move == nil {
      try expectNone(unknown.count, table: unknown.table, entity: nil, help: Self.adviceOnComputed)
    }
    if unknown.hasTriggers { try expectNone(unknown.count, table: unknown.table, entity: nil) }
    report.skip(
      unknown.table,
      "references to merged objects in \(left.counting("row")) collide with rows of the survivor; the rule of "
        + "their foreign key decides"
    )
  }

  /// A foreign key to a unique column cannot lead to what is null there.
  private func refuseLost(_ query: String?, table: String) throws {
    guard let query, case let lost = try runner.count(query), lost > 0 else { return }
    throw CloneError(
      .rowCount,
      "\(lost.counting("row")) of the table '\(table)' would lose a reference by a unique column, which is null in the "
        + "object that stays",
      help: "give that object a value there before the merge, or have another one stay (--keep)")
  }

  /// Rows of the model that are kept where they were, as by a trigger, would go by a cascade of the store.
  private func expectNone(_ query: String, table: String, entity: String?, help: String? = nil) throws {
    let left = try runner.count(query)
    guard left > 0 else { return }
    throw CloneError(
      .rowCount,
      "references to merged objects are left in \(left.counting("row")) of the table '\(table)'",
      help: help ?? "check the triggers of the table, which may keep or restore these references",
      entity: entity)
  }

  /// Deletes the merged objects, which only one-to-one objects still reference that are deleted as well.
  private func remove(_ merge: MergeRenderer) throws {
    try deletion.begin()
    try deletion.add(merge.map.keys, to: merge.table)
    try deletion.release(merge.references.filter(\.isOneToOne))
    try deletion.remove()
  }

  private mutating func collect(_ fill: FillRenderer) throws {
    try runner.execute(fill.collect)
    for (name, count) in fill.dangling {
      let count = try runner.number(count)
      if count > 0 { report.add(count, name, to: \.dangling) }
    }
  }

  private mutating func apply(_ fill: FillRenderer) throws {
    try runner.execute(fill.settle)
    let counts = try runner.counts(fill.fills.countByEntity, of: fill.table)
    for (entity, count) in counts { report.add(count, entity, to: \.updated) }
    for part in fill.parts {
      try runner.counting(part.count, writing: fill.table.schema, what: "changes") {
        do { return try runner.execute(part.statements) } catch {
          throw refused(error, filling: fill.table) ?? error
        }
      }
    }
    try runner.execute(fill.fills.clear)
  }

  /// What a unique index says of a value that fills a null; nil for other errors.
  private func refused(_ error: any Error, filling table: TablePlan) -> CloneError? {
    let failure = db.refusal(error, writing: table.schema, of: table.entities, mapping: layout.mapping)
    guard let failure, failure.isUnique else { return nil }
    return failure.error(of: table.root, advice: "leave null what is null with --no-fill")
  }
}

extension CloneError {
  /// - Parameter reference: one that holds the key of its own row.
  fileprivate static func alwaysLeadsBack(_ reference: RowReference) -> CloneError {
    let relationship = reference.relationship
    return CloneError(
      .requiredLeftEmpty,
      "'\(relationship.name)' of \(relationship.entity) must always reference an object that belongs to the object "
        + "itself, so neither of the two can be merged",
      help: "allow null in the column that holds the reference", entity: relationship.entity,
      property: relationship.name)
  }
}
