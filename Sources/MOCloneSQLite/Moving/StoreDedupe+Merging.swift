import MOCloneEngine
import MOCloneModel

/// The merging of what was found, table by table.
extension StoreDedupe {
  /// Tables whose objects are identified by others come first, so that two of one owner never have the same identity.
  var order: [ObjectTable] {
    var tables: [ObjectTable] = []
    for unit in plan.units.reversed() where !tables.contains(renderer.table(unit)) {
      tables.append(renderer.table(unit))
    }
    return tables
  }

  func mergeRenderer(_ table: ObjectTable, _ merged: Set<Int>) -> MergeRenderer {
    MergeRenderer(layout: layout, table: table, maps: renderer.maps, merged: merged, modified: modified)
  }

  mutating func merge(_ merged: Set<Int>) throws {
    let reader = SchemaReader(db: access.db)
    let schema = try reader.schema(of: reader.tableNames())
    try watch.enter(.writing)
    for table in order where merged.contains(table.index) {
      let merge = mergeRenderer(table, merged)
      let fill = FillRenderer(merge)
      if request.fills { try collectFills(fill) }
      if try findLeftPartners(merge) { try deletion.perform() }
      for reference in merge.references {
        for statement in merge.move(reference) {
          try runner.execute(statement, scanning: reference.entity)
        }
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
      try deletion.begin()
      try deletion.add(
        "SELECT \(SQL.list(table.keys("o"))) FROM \(renderer.maps[table.index].sql)", to: table)
      try deletion.perform(afterMerging: merge.references.filter(merge.isOneToOne))
      if request.fills { for statement in fill.apply { try runner.execute(statement) } }
    }
  }

  private mutating func move(_ unknown: MergeRenderer.Unknown) throws {
    try runner.execute(unknown.move)
    let left = try runner.number(unknown.count)
    guard left > 0 else { return }
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

  mutating func deleteAll() throws {
    try deletion.begin()
    for table in layout.tables {
      try deletion.add(
        "SELECT \(SQL.list(table.keys("o"))) FROM \(renderer.maps[table.index].sql)", to: table)
    }
    try deletion.addCascades()
    try deletion.check()
    for (entity, count) in try deletion.counts() { report.add(count, entity, to: \.deleted) }
    if !watch.run.isDryRun { try deletion.perform() }
  }
}
