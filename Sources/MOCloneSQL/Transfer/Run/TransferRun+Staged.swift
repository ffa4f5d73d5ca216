import MOCloneEngine
import MOCloneModel

/// What the rows of one stream meet in the store.
struct StagedMatches {
  /// How many objects were there before.
  var found = 0
  /// How many objects are to be made.
  var new = 0
  /// The columns by which the store joins equal rows itself as they are written; nil where it does not.
  var joining: [String]?
}

// Rows that were staged: matched stream by stream, then written.
extension TransferRun {
  package func merge(_ plan: ImportPlan, _ rows: any StagingSink) throws -> TransferReport {
    var plan = plan
    for (entity, names) in rows.leftOut {
      plan.entities[entity].missing += names.subtracting(plan.entities[entity].missing).sorted()
    }
    return try prepared { try merge(plan, counts: layout.streams.map { rows.count($0.index) }) }
  }

  /// - Parameter counts: how many rows each stream has.
  private func merge(_ plan: ImportPlan, counts: [Int]) throws -> TransferReport {
    for stream in layout.streams { states[stream.index].isMapped = false }
    var matches: [StagedMatches] = []
    let totals = Dictionary(zip(layout.streams.map(\.table.root), counts), uniquingKeysWith: +)
    try watch.enter(.finding, of: totals)
    for stream in layout.streams {
      matches.append(
        try match(stream, entity: plan.entities[stream.index], rows: counts[stream.index], before: matches))
      try watch.complete(stream.table.root)
    }
    try check()
    try watch.enter(.writing, of: totals)
    let writes = writes
    let referenced = layout.streams.filter {
      matches[$0.index].found > 0 && policy.existing != .keep && writes.isReferencedByValue($0)
    }
    // What rows refer to by its values has them first.
    for stream in referenced {
      try countUpdated(stream, writes)
      try overwrite(stream) { writes.overwriteReferenced(stream, where: $0) }
    }
    try refuse(writes.emptyDestinations)
    try statements.execute(writes.listEnds)
    for group in layout.insertGroups {
      for stream in group {
        try release(stream, writes: writes)
        try loading.prepare(stream.table.schema) { matches[stream.index].new }
      }
      let counts =
        group.count > 1
        ? try insertTogether(group, writes: writes)
        : [
          try insert(
            group[0], matches[group[0].index], writes, parking: parking(for: group[0], matches, writes))
        ]
      for (stream, count) in zip(group, counts) {
        matches[stream.index].new = count
        if matches[stream.index].found == 0 { try watch.complete(stream.table.root) }
      }
    }
    try loading.finish()
    for stream in layout.streams where matches[stream.index].found > 0 {
      try overwrite(stream, isCounted: referenced.contains { $0.index == stream.index })
      try watch.complete(stream.table.root)
    }
    for joinRows in layout.joinRows { try insert(joinRows, writes) }
    try advanceKeys(writes)
    try refuseRemoved(writes)
    try checkRelatedObjects(writes)
    for stream in layout.streams { report.add(matches[stream.index].new, stream.entities[0], to: \.created) }
    for (entity, count) in report.found ?? [:] {
      report.add(count - (report.updated?[entity] ?? 0), entity, to: \.unchanged)
    }
    return report
  }

  // MARK: Matching

  /// Finds the objects of a stream's rows, those of the streams before it being found, and the keys of the others.
  private func match(
    _ stream: RowStream, entity: ImportPlan.Entity, rows: Int, before: [StagedMatches]
  ) throws -> StagedMatches {
    let made = NewKeys(layout: layout, keys: keys, stream: stream)
    let needsKeys =
      try layout.needsKeys(of: stream, made) || stream.isLookedAtAgain
      || layout.streams.flatMap(\.references).contains(where: stream.isRewritten)
      || meetsHeldKeys(stream, made: made, rows: rows)
    let group = layout.groups(of: stream)[0]
    var result = StagedMatches(new: rows)
    states[stream.index].leavesKeys = !needsKeys
    if !needsKeys, let joining = try joining(group, stream: stream, entity: entity), made.open.isEmpty {
      result.joining = joining
      return result
    }
    if let identity = group.identity {
      result.new -= try identify(group, identity: identity, entity: entity)
      result.found = try found(stream)
      states[stream.index].hasMap = result.found > 0
      result.new -= result.found
    }
    if needsKeys { try makeKeys(stream, made: made, match: result, rows: rows, before: before) }
    try checkNew(stream, entity: entity, match: result)
    return result
  }

  /// Counts the objects that rows were matched with, by their own entities.
  private func found(_ stream: RowStream) throws -> Int {
    let table = stream.table
    var entries = Select([table.mark("t"), "count(*)"], from: layout.map(stream).rows("m"))
    if table.discriminator != nil {
      let tie = Condition.equal(table.key("t"), table.keys("m.n"))
      entries = entries.joined("\(table.sql) t", on: tie).grouped(by: [table.mark("t")])
    }
    let counts = try statements.counts(entries.where(!layout.isNew("m")), of: table)
    for (entity, count) in counts {
      report.add(count, table.discriminator == nil ? stream.entities[0] : entity, to: \.found)
    }
    return counts.values.reduce(0, +)
  }

  /// The columns of an identity by which an empty table keeps rows apart itself, so that they need not be ordered before
  /// they are written in order; nil where somebody asks which rows were joined.
  private func joining(
    _ group: StreamGroup, stream: RowStream, entity: ImportPlan.Entity
  ) throws -> [String]? {
    let match = Match(group, in: layout, states: states)
    let columns = match.parts.compactMap { $0.attribute == nil ? nil : $0.column?.name }
    guard !columns.isEmpty, columns.count == match.parts.count,
      stream.table.schema.settlesConflicts(by: columns), !entity.isMentioned, entity.missing.isEmpty,
      stream.table.schema.triggers.isEmpty,
      try statements.number(match.hasObjects) == 0
    else { return nil }
    return columns
  }

  /// - Returns: how many rows have the identity of an earlier one.
  private func identify(_ group: StreamGroup, identity: Identity, entity: ImportPlan.Entity) throws -> Int {
    let match = Match(group, in: layout, states: states)
    let stream = match.stream
    if let empty = match.unidentifiedLines, let row = try statements.row(empty) {
      let path = identity.paths[row[2].number]
      throw CloneError.nullIdentity(identity, "\(path)").about(stream.row(row))
    }
    try statements.execute(match.prepare)
    let folding = Folding(match, in: layout)
    try statements.execute(folding.setUp)
    let later = try statements.execute(folding.find)
    if later > 0 {
      if policy.existing != .keep || entity.isMentioned {
        try statements.execute(folding.fold(by: policy.existing))
      }
      try statements.execute(folding.settle)
    }
    if try statements.number(match.hasObjects) == 1 { _ = try find(match, identity) }
    try statements.execute(match.clear)
    return later
  }

  // MARK: Keys

  private func makeKeys(
    _ stream: RowStream, made: NewKeys, match: StagedMatches, rows: Int, before: [StagedMatches]
  ) throws {
    if made.countsNumbers {
      let last = try lastNumber(stream, rows: rows, before: before)
      // Where every row makes an object its key follows from the row's number.
      if made.isCounted, match.new == rows { return offsetKeys(stream, by: last) }
      try count(from: last)
    }
    try statements.execute(made.enter)
    states[stream.index].isMapped = true
  }

  /// Whether the numbers that the store would make meet dangling references.
  private func meetsHeldKeys(_ stream: RowStream, made: NewKeys, rows: Int) throws -> Bool {
    guard made.countsNumbers, stream.table.keys.isNumber else { return false }
    if stream.table.schema.keyCounter != nil { return true }
    let (table, entity) = (stream.table, stream.entities[0])
    let last = try table.schema.greatestNumber(in: table.keyColumns[0].name, of: entity, db)
    return try greatestNumber(table, of: entity, before: Int64(rows)) != last
  }

  /// Makes the keys of some rows of the one stream.
  func makeKeys(_ stream: RowStream, of rows: Select, count: Int) throws {
    let made = NewKeys(layout: layout, keys: keys, stream: stream)
    try checkKeys(stream, made: made)
    if made.countsNumbers { try self.count(from: lastNumber(stream, rows: count, before: [])) }
    try statements.execute(made.enter(rows))
  }

  private func count(from last: Int64) throws {
    statements.bind("last", last)
    try statements.execute(dialect.countRows(dialect.parameter("last")))
  }

  /// - Throws: `CloneError` (`key-needs-value`) where nothing makes a part of the key.
  private func checkKeys(_ stream: RowStream, made: NewKeys) throws {
    guard let column = made.open.first else { return }
    throw CloneError(
      .keyNeedsValue,
      "the key '\(column)' of a new \(stream.entities[0]) is not generated, and its row gives no value for it",
      entity: stream.entities[0])
  }

  /// The number before the first new one: entities of one table number their objects one after another.
  private func lastNumber(_ stream: RowStream, rows: Int, before: [StagedMatches]) throws -> Int64 {
    let table = stream.table
    let others = layout.streams.prefix(stream.index).filter { $0.table == table }
      .reduce(0) { $0 + before[$1.index].new }
    let last = try greatestNumber(table, of: stream.entities[0], before: Int64(others + rows))
    let (start, isTooGreat) = last.addingReportingOverflow(Int64(others))
    guard !isTooGreat, start < Int64.max - Int64(rows) else {
      throw CloneError.noRoom(after: last, in: table.schema.name, entity: stream.entities[0])
    }
    return start
  }

  private func checkNew(_ stream: RowStream, entity: ImportPlan.Entity, match: StagedMatches) throws {
    guard match.new > 0 else { return }
    let incomplete = try writes.incomplete(stream, required: entity.missing).map(statements.rows) ?? []
    if !incomplete.isEmpty {
      throw CloneError(
        incomplete.flatMap { row in
          CloneError.importLacks(entity.missing, entity: entity.name).about(stream.row(row)).failures
        })
    }
    try checkKeys(stream, made: NewKeys(layout: layout, keys: keys, stream: stream))
  }

  // MARK: Writing

  /// What takes unique values from objects of a stream's table that are about to change, so that new ones can have them.
  private func parking(for stream: RowStream, _ matches: [StagedMatches], _ writes: Writes) -> [[String]] {
    let all = layout.streams.filter { $0.table == stream.table && matches[$0.index].found > 0 }
      .compactMap { writes.overwriteAll($0)?.update.parking }.filter { !$0.isEmpty }
    let ways = all.map(\.count).max() ?? 0
    return (0..<ways).map { way in all.flatMap { $0[min(way, $0.count - 1)] } }
  }

  /// - Parameter parking: what makes room for the new objects where a unique value is in their way.
  /// - Returns: how many objects were made.
  func insert(
    _ stream: RowStream, _ match: StagedMatches, _ writes: Writes, parking: [[String]] = []
  ) throws -> Int {
    guard match.new > 0 else { return 0 }
    return try namingRow(of: stream) { condition in
      if let joining = match.joining {
        return try statements.execute(writes.insertFirst(stream, by: joining, where: condition))
      }
      let count = try swapping(
        SwappingUpdate(statements: [writes.insert(stream, where: condition)], parking: parking))
      if condition == .always, count != match.new {
        throw CloneError.ignored(count, of: match.new, what: "new rows", by: stream.table.schema.name)
      }
      return count
    }
  }

  /// - Parameter isCounted: whether it was counted what changes.
  func overwrite(_ stream: RowStream, isCounted: Bool = false) throws {
    if policy.existing == .keep { return }
    try noteDangling(stream)
    let writes = writes
    if !isCounted { try countUpdated(stream, writes) }
    try overwrite(stream) { writes.overwriteAll(stream, where: $0) }
  }

  private func countUpdated(_ stream: RowStream, _ writes: Writes) throws {
    guard let all = writes.overwriteAll(stream) else { return }
    let counts = try statements.counts(all.count, of: stream.table)
    for (entity, count) in counts { report.add(count, entity, to: \.updated) }
  }

  /// - Parameter overwriting: what is written to the objects of the rows that meet a condition.
  private func overwrite(
    _ stream: RowStream, overwriting: (Condition) -> Writes.Overwriting?
  ) throws {
    guard let all = overwriting(.always) else { return }
    _ = try overwrite(stream, all) {
      try namingRow(of: stream) { condition in
        guard let update = overwriting(condition)?.update else { return 0 }
        return try swapping(update)
      }
    }
  }

  private func noteDangling(_ stream: RowStream) throws {
    guard try db.checksReferences, let note = writes.noteDangling(stream) else { return }
    try statements.execute(writes.dangling(stream).setUp)
    states[stream.index].meetsDangling = try statements.execute(note) > 0
  }

  /// Names the row that a constraint of the store refuses: the first without which the others would be written.
  ///
  /// - Parameter body: writes the rows that meet a condition.
  private func namingRow(of stream: RowStream, _ body: (Condition) throws -> Int) throws -> Int {
    do { return try db.attempting { try body(.always) } } catch {
      guard let failure = refusal(error, in: stream) else { throw error }
      let error = refused(failure, in: stream)
      guard db.isInTransaction, let row = try row(of: stream, failure, body) else { throw error }
      throw error.about(row)
    }
  }

  private func row(
    of stream: RowStream, _ failure: ConstraintFailure, _ body: (Condition) throws -> Int
  ) throws -> ImportPlan.Row? {
    let number = stream.key("s")[0]
    let last = try statements.number(Select(["max(\(number))"], from: stream.rows("s")))
    let bad = try firstRefused(by: failure, of: last) { try body(.sql("\(number) <= \($0)")) }
    let found = Select(["s.line", number], from: stream.rows("s")).where(.sql("\(number) = \(bad)"))
    return try statements.row(found).map(stream.row)
  }

  // MARK: One-to-one relationships

  /// - Throws: `CloneError` (`constraint-failed`) with the object that would be taken twice.
  func checkRelatedObjects(_ writes: Writes) throws {
    for stream in layout.streams {
      for reference in stream.references {
        guard let query = writes.relatedObjectsTakenTwice(reference, of: stream),
          let row = try statements.row(query)
        else { continue }
        let entity = layout.destination(of: reference)?.entities[0] ?? reference.key.destination
        let relatedObject = ObjectID(entity, key: row.key(of: layout.store.table(of: entity)))
        throw CloneError.relatedObjectTaken(
          reference.reference.relationship, relatedObject: relatedObject.description,
          isRequired: reference.reference.isRequired, canUpdate: policy.relatedObjects == .refused)
      }
    }
  }
}

extension RowStream {
  /// The staged row whose line and number were selected.
  func row(_ row: [StoredValue]) -> ImportPlan.Row {
    ImportPlan.Row(entity: index, number: row[1].integer ?? 0, line: row[0].number)
  }
}
