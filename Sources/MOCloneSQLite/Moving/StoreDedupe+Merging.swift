import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The merging of what was found, table by table.
extension StoreDedupe {
  /// Tables whose objects are identified by others come first, so that two of one owner never have the same identity.
  var order: [ObjectTable] {
    var tables: [ObjectTable] = []
    for unit in plan.units.reversed() where !tables.contains(renderer.table(unit)) {
      tables.append(renderer.table(unit))
    }
    return DedupePlan.membersFirst(tables) { member, owner in
      layout.references.contains {
        $0.backward?.isToMany == false && layout.table(of: $0.entity).index == member.index
          && layout.table(of: $0.key.destination).index == owner.index
      }
    }
  }

  func mergeRenderer(_ table: ObjectTable, _ merged: Set<Int>) -> MergeRenderer {
    MergeRenderer(
      layout: layout, table: table, maps: renderer.maps, merged: merged, modified: modified,
      dates: renderer.dates)
  }

  mutating func merge(_ merged: Set<Int>) throws {
    let reader = SchemaReader(db: access.db)
    let schema = try reader.schema(of: reader.tableNames())
    let hasTriggers = schema.names.contains { schema[$0]?.triggers.isEmpty == false }
    try watch.enter(.writing)
    for table in order where merged.contains(table.index) {
      let merge = mergeRenderer(table, merged)
      let fill = FillRenderer(merge)
      let places = PlaceRenderer.all(merge)
      if request.fills { try collectFills(fill) }
      if try findLeftPartners(merge) { try deletion.perform() }
      try move(merge, schema, isChecked: hasTriggers)
      for place in places { for statement in place.collect { try runner.execute(statement) } }
      try remove(merge, isChecked: hasTriggers)
      for place in places { for statement in place.apply { try runner.execute(statement) } }
      if request.fills { try apply(fill, isChecked: hasTriggers) }
    }
  }

  /// Leads everything that refers to what goes to what stays.
  private mutating func move(_ merge: MergeRenderer, _ schema: StoreSchema, isChecked: Bool) throws {
    for reference in merge.references {
      for statement in merge.move(reference) { try runner.execute(statement, scanning: reference.entity) }
      if isChecked { try expectNone(merge.countUnmoved(reference), layout.table(of: reference.entity)) }
    }
    for unknown in merge.unknown(in: schema) { try move(unknown) }
    for end in merge.ends {
      let isOwn = layout.joins.contains {
        $0.mapping.table == end.table
          && layout.table(of: $0.relationship.entity).index
            == layout.table(of: $0.relationship.destination).index
      }
      for statement in merge.movePairs(end, isOwn: isOwn) { try runner.execute(statement) }
    }
    // A table of pairs of one entity has two ends, and a pair can hang by either until both have moved.
    guard isChecked else { return }
    for end in merge.ends { try expectNone(merge.countPairs(end), end.table, nil) }
  }

  /// Deletes what goes once nothing that is to stay refers to it.
  private func remove(_ merge: MergeRenderer, isChecked: Bool) throws {
    let partners = merge.references.filter(merge.isOneToOne)
    try deletion.begin()
    try deletion.add(
      "SELECT \(SQL.list(merge.table.keys("o"))) FROM \(merge.map.sql)", to: merge.table)
    try deletion.release(partners)
    if isChecked {
      for reference in partners where reference.backward?.deleteRule != .noAction {
        try expectNone(merge.countUnreleased(reference), layout.table(of: reference.entity))
      }
    }
    try deletion.remove()
  }

  /// Rows of the model that a trigger has kept where they were would go by a cascade of the store.
  private func expectNone(_ query: String, _ table: ObjectTable) throws {
    try expectNone(query, table.schema.name, table.root)
  }

  private func expectNone(_ query: String, _ table: String, _ entity: String?) throws {
    let left = try runner.number(query)
    guard left > 0 else { return }
    throw CloneError(
      .rowCount,
      "\(left) rows of the table '\(table)' still refer to what is merged: look at the table's triggers",
      entity: entity)
  }

  private func apply(_ fill: FillRenderer, isChecked: Bool) throws {
    let total = isChecked ? try runner.number(fill.total) : 0
    var filled = 0
    for statement in fill.apply { filled = try runner.execute(statement) }
    try runner.execute(fill.fills.clear)
    guard isChecked, filled != total else { return }
    throw CloneError(
      .rowCount,
      "\(total) rows of the table '\(fill.table.schema.name)' were to take over values, but \(filled) did: look at "
        + "the table's triggers", entity: fill.table.root)
  }

  private mutating func move(_ unknown: MergeRenderer.Unknown) throws {
    try runner.execute(unknown.move)
    let left = try runner.number(unknown.count)
    guard left > 0 else { return }
    if unknown.hasTriggers { try expectNone(unknown.count, unknown.table, nil) }
    report.skip(
      unknown.table,
      "\(left) rows that refer to what goes are at what stays already; the foreign key decides about them")
  }

  mutating func collectFills(_ fill: FillRenderer) throws {
    for statement in fill.collect { try runner.execute(statement) }
    for row in try runner.rows(fill.count) where row[1] as Int > 0 {
      report.add(row[1], layout.entity(fill.table, discriminator: row[0]), to: \.updated)
    }
  }

  /// Prepares the deletion of partners for which there is no place at the survivors.
  @discardableResult
  mutating func findLeftPartners(_ merge: MergeRenderer) throws -> Bool {
    guard !merge.leftPartners.isEmpty else { return false }
    try deletion.begin()
    for (reference, query) in merge.leftPartners {
      let member = layout.table(of: reference.entity)
      if reference.backward?.deleteRule == .deny, let row = try runner.row(query + " LIMIT 1") {
        let key = KeyCoding(entity: layout.mapping[member.root]).decode(row, from: 0)
        throw CloneError.partnerDenied(ObjectID(reference.entity, key: key))
      }
      if merge.deletes(reference) { try deletion.add(query, to: member) }
    }
    try deletion.addCascades()
    try deletion.check()
    for (entity, count) in try deletion.counts() { report.add(count, entity, to: \.deleted) }
    return true
  }
}
