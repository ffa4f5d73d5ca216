import MOCloneEngine
import MOCloneModel

// The first two steps: where rows come from, and which of them are meant.
extension TransferRun {
  /// - Returns: how many references of the source lead to rows that do not exist, by relationship.
  func reach() throws -> [String: Int] {
    let setUp = layout.temporaryTables.flatMap(\.setUp) + (staging == nil ? [] : layout.source?.setUp ?? [])
    try statements.execute(setUp)
    if staging == nil, let source = layout.source {
      try statements.refuseOtherSpellings(in: source.schema, named: source.sql)
    }
    let isPartial = try gather()
    for stream in layout.streams {
      states[stream.index].isPartial = try isPartial && !isReached(stream)
      try offsetKeys(stream, by: distance(stream))
    }
    guard let staging else { return try findDangling(isPartial: isPartial) }
    let further = staging.trustsReferences || isPartial ? try findDangling(isPartial: false) : [:]
    // Of a part nobody knows what lies beside it.
    return isPartial ? staging.dangling : staging.dangling.merging(further, uniquingKeysWith: +)
  }

  /// Whether what was staged of a stream is meant, all of it, so that no row needs to be looked up.
  private func isReached(_ stream: RowStream) throws -> Bool {
    guard let staging else { return false }
    if staging.entersLinked, !states[stream.index].hasLinked { return true }
    let isOutside = !layout.reach.contains(stream, key: stream.key("s"))
    let outside = Select(["1"], from: stream.rows("s")).where(isOutside)
    return try statements.row(outside.limited(to: 1)) == nil
  }

  /// Finds what is meant.
  ///
  /// - Returns: whether that is a part of the source.
  private func gather() throws -> Bool {
    try statements.execute(SubtreeReach(layout)?.setUp ?? [])
    try staging?.stage(loading)
    if let subtree = SubtreeReach(layout) {
      try gather(subtree)
      return true
    }
    guard let rules = layout.rules, let roots = rules.roots else { return false }
    if let staging {
      try statements.execute(layout.reach.everything)
      try staging.stageIdentityEnds()
      return true
    }
    layout.reach.bind(roots, to: statements)
    try layout.reach.enter(roots, limit: rules.limit, by: statements)
    return true
  }

  /// Finds what a subtree is linked to.
  private func gather(_ subtree: SubtreeReach) throws {
    var subtree = subtree
    let isKnown = staging?.entersLinked == true
    if isKnown {
      try noteLinked(subtree)
      subtree = SubtreeReach(layout, states: states)!
    }
    if let staging {
      try staging.enterSubtree(subtree, statements: statements)
    } else {
      try db.enter(layout.subtree!.members.objects, in: layout.reach.table, layout)
      for (objects, table) in subtree.named { try db.enter(Set(objects), in: table, layout) }
      for (name, table) in subtree.asking {
        try db.enter(layout.subtree!.asking[name] ?? Set<ObjectID>(), in: table, layout)
      }
    }
    try subtree.enterLinked(by: statements)
    if !isKnown { try noteLinked(subtree) }
  }

  private func noteLinked(_ subtree: SubtreeReach) throws {
    for stream in layout.streams {
      states[stream.index].hasLinked = try statements.number(subtree.hasLinked(stream)) == 1
    }
  }

  // MARK: Numbers

  /// Makes new keys of the numbers of a stream by adding to them.
  func offsetKeys(_ stream: RowStream, by distance: Int64) {
    states[stream.index].keyOffset = distance
    statements.bind(TransferKeys.keyOffset(stream), distance)
  }

  /// What is added to a number of the source: new ones begin above the greatest one ever used, and the distances between
  /// them stay.
  ///
  /// - Throws: `CloneError` (`no-room-for-keys`).
  private func distance(_ stream: RowStream) throws -> Int64 {
    guard stream.newKey == .number else { return 0 }
    let rows = keys.rows(stream)
    let key = stream.key("s")[0]
    // Each asked for by itself is found at one end of the table.
    guard let least = try statements.row(rows.with(["min(\(key))"]))?[0].integer,
      let last = try statements.row(rows.with(["max(\(key))"]))?[0].integer
    else { return 0 }
    let table = stream.table
    let greatest = try greatestNumber(
      table, of: table.root, before: last.subtractingReportingOverflow(least).0)
    let (first, isTooGreat) = greatest.addingReportingOverflow(1)
    let (keyOffset, isTooFar) = first.subtractingReportingOverflow(least)
    guard !isTooGreat, !isTooFar, !last.addingReportingOverflow(keyOffset).overflow else {
      throw CloneError.noRoom(
        after: greatest, in: table.schema.name, for: "those of the source, up to \(last)", entity: table.root)
    }
    return keyOffset
  }

  /// The number before the first new one: the greatest that a row of a table has had, or that a reference which leads
  /// nowhere holds where new ones would come.
  ///
  /// - Parameter count: how many new numbers there will be, or more.
  func greatestNumber(_ table: TablePlan, of entity: String, before count: Int64) throws -> Int64 {
    var greatest = try table.schema.greatestNumber(in: table.keyColumns[0].name, of: entity, db)
    let held = HeldKeys(of: table, in: layout.store)
    var isSettled = false
    while !isSettled {
      isSettled = true
      let (last, isTooFar) = greatest.addingReportingOverflow(max(count, 0) + 1)
      statements.bind("after", greatest)
      statements.bind("last", isTooFar ? Int64.max : last)
      for query in held.queries {
        guard let number = try statements.row(query)?[0].integer else { continue }
        (greatest, isSettled) = (number, false)
        break
      }
    }
    return greatest
  }

  // MARK: Dangling references

  private func findDangling(isPartial: Bool) throws -> [String: Int] {
    let dangling = DanglingRows(layout: layout, isPartial: isPartial)
    var counts: [String: Int] = [:]
    var ranges: [Int: (least: Int64, greatest: Int64)?] = [:]
    for lookup in dangling.lookups {
      let destination = lookup.destination.index
      // What is referred to is looked up among what was reached.
      if !isPartial, states[destination].isPartial { continue }
      if ranges[destination] == nil {
        ranges[destination] = .some(try range(lookup.destination, dangling: dangling))
      }
      if let (least, greatest) = ranges[destination]!,
        let leadsOut = dangling.leadsOut(lookup, of: least, greatest: greatest),
        try statements.number(leadsOut) == 0
      {
        continue
      }
      let count = try statements.number(dangling.count(lookup))
      guard count > 0 else { continue }
      counts[lookup.name, default: 0] += count
      states[destination].hasDangling = true
    }
    return counts
  }

  /// The numbers of a stream's rows, where they leave none out.
  private func range(_ stream: RowStream, dangling: DanglingRows) throws -> (least: Int64, greatest: Int64)? {
    guard let query = dangling.range(stream), let row = try statements.row(query),
      let least = row[0].integer, let greatest = row[1].integer
    else { return nil }
    let (distance, isTooFar) = greatest.subtractingReportingOverflow(least)
    return !isTooFar && distance == Int64(row[2].number) - 1 ? (least, greatest) : nil
  }
}

extension TransferConnection {
  /// Enters objects in a table of what was reached.
  func enter(
    _ objects: any ObjectList, in table: TemporaryTable, _ layout: TransferLayout
  ) throws {
    let reach = layout.reach
    let writer = try rowWriter(into: table.sql, reach.columns)
    try objects.each { object in
      let stream = layout.stream(of: object.entity)
      try writer.write(reach.entry(of: stream, KeyCoding(entity: stream.table.map).encode(object.key)))
    }
    try writer.finish()
    try respell(table, reach)
  }

  /// Has the keys that were entered in a table of what was reached stand as the database writes them.
  func respell(_ table: TemporaryTable, _ reach: Reach) throws {
    for statement in reach.respell(table) { try execute(statement, [:]) }
  }
}
