import MOCloneEngine
import MOCloneModel

// The fourth step: what was found out is written, stream by stream, and counted.
extension TransferRun {
  var writes: Writes { Writes(layout, states: states, modified: modified) }

  /// - Throws: `CloneError` with everything that was found.
  func check() throws { try refuse(writes.checks) }

  /// - Throws: `CloneError` with everything that some checks find.
  func refuse(_ checks: [Check]) throws {
    let failures = try failures(of: checks)
    if !failures.isEmpty { throw CloneError(failures) }
  }

  /// Reports new objects whose one-to-one relationship stays null, because its destination belongs to another object.
  private func note(_ reference: StreamReference, of stream: RowStream, writes: Writes) throws {
    guard let relationship = reference.reference.forward,
      let query = writes.withoutRelatedObject(reference, of: stream)
    else { return }
    try skip(query, of: stream, reason: TransferReport.relatedObjectKept(relationship))
  }

  /// Takes down the rows that a query selects, with what of them does not come along.
  private func skip(_ query: Select, of stream: RowStream, reason: String) throws {
    try skip(statements.objects(stream, query).map { $0.0 }, of: query, reason: reason)
  }

  /// The same, where the objects of the first rows are known.
  func skip(_ first: [ObjectID], of query: Select, reason: String) throws {
    for object in first { report.skip("\(object)", reason) }
    guard !first.isEmpty else { return }
    let all = try statements.number(query.counted)
    if all > first.count { report.unlisted = (report.unlisted ?? 0) + all - first.count }
  }

  func failures(of checks: [Check]) throws -> [CloneError.Failure] {
    try checks.flatMap { check in
      // Of rows of a file it is said how many more there are.
      let query = check.query.limited(to: check.stream.source == nil ? CloneError.mostRows : 20)
      return try statements.rows(query).map { check.failure($0, layout.mapping) }.uniqued()
    }
  }

  func write() throws {
    let writes = writes
    // What rows refer to by its values has them first.
    if policy.existing == .fill { try fill(writes) { writes.isReferencedByValue($0) } }
    try refuse(writes.emptyDestinations)
    try statements.execute(writes.listEnds)
    for stream in layout.reached {
      for reference in stream.references { try note(reference, of: stream, writes: writes) }
    }
    try order(writes)
    var filled: Set<Int> = []
    for group in layout.insertGroups {
      if let stream = group.first, group.count == 1, states.allSatisfy({ !$0.hasMap }),
        layout.isFilled(stream, after: filled)
      {
        try loading.prepare(stream.table.schema) { try statements.number(expected(stream, writes: writes)) }
      }
      try insert(group, writes)
      filled.formUnion(group.map(\.index))
    }
    try loading.finish()
    if layout.subtree == nil {
      for stream in layout.reached where writes.keys.canBeFound(stream) {
        for reference in writes.references(stream) { try link(reference, stream: stream, writes: writes) }
      }
    }
    for joinRows in layout.joinRows where joinRows.isFormed && layout.reaches(joinRows) {
      try insert(joinRows, writes)
    }
    try writes.restoring.run { try statements.execute($0) }
    try advanceKeys(writes)
    try refuseRemoved(writes)
    // They would fail only with the commit, and without a name.
    if !hadPendingReferences { try db.refuseDanglingReferences(help: "fix it in the source first") }
    if policy.existing == .fill { try fill(writes) { !writes.isReferencedByValue($0) } }
    try noteComputed(writes)
  }

  /// Reports new objects in which the store computes other values than those of the source.
  private func noteComputed(_ writes: Writes) throws {
    let differences = Differences(writes)
    for stream in layout.reached {
      for (name, query) in differences.computed(stream) {
        try skip(query, of: stream, reason: TransferReport.computed(name))
      }
    }
  }

  /// Gives members that lists had already the places of the source, before new ones take their own.
  private func order(_ writes: Writes) throws {
    for stream in layout.reached {
      for reference in stream.references {
        guard let order = writes.order(reference, of: stream) else { continue }
        _ = try overwrite(stream, order) { try swapping(order.update) }
      }
    }
  }

  func advanceKeys(_ writes: Writes) throws {
    try statements.execute(layout.reached.flatMap(writes.advance))
  }

  /// - Throws: `CloneError` (`row-count`) where a trigger of the store has deleted new objects again, or changed what they
  ///   refer to; `generated-column` where the database has computed that otherwise.
  func refuseRemoved(_ writes: Writes) throws {
    try refuse(writes.computedReferences)
    for stream in layout.reached {
      let table = stream.table.schema
      if let gone = writes.gone(stream) {
        try statements.expectNone(
          gone, of: expected(stream, writes: writes), writing: table, what: "new rows")
      }
      for reference in stream.references {
        guard let moved = writes.moved(reference, of: stream) else { continue }
        let count = try statements.number(moved)
        let relationship = reference.reference.relationship
        if count > 0 { throw CloneError.moved(count, relationship.qualifiedName, in: table.name) }
      }
      try refuseRenamed(stream, writes)
    }
  }

  private func refuseRenamed(_ stream: RowStream, _ writes: Writes) throws {
    for other in layout.reached {
      for reference in other.references {
        guard let renamed = writes.renamed(by: reference, of: other, stream) else { continue }
        let count = try statements.number(renamed)
        let relationship = reference.reference.relationship
        guard count == 0 else {
          throw CloneError.moved(
            count, reference.key.references.joined(separator: ", "), in: stream.table.schema.name,
            use: relationship.qualifiedName)
        }
      }
    }
  }

  private func insert(_ group: [RowStream], _ writes: Writes) throws {
    for stream in group { try release(stream, writes: writes) }
    guard group.count > 1 else { return try insert(group[0], writes) }
    for (stream, count) in zip(group, try insertTogether(group, writes: writes))
    where stream.entities.count == 1 {
      report.add(count, stream.entities[0], to: \.created)
    }
  }

  /// Inserts streams that refer to each other.
  ///
  /// - Returns: how many objects of each were made.
  func insertTogether(_ group: [RowStream], writes: Writes) throws -> [Int] {
    let sql = Insert.together(group.map { writes.insert($0) })
    do { return try statements.answer(sql)!.map(\.number) } catch {
      let failures = group.compactMap { stream in
        refusal(error, in: stream).map { (stream: stream, failure: $0) }
      }
      guard let found = failures.first(where: { !$0.failure.columns.isEmpty }) ?? failures.first else {
        throw error
      }
      throw refused(found.failure, in: found.stream)
    }
  }

  /// A refusal that does not tell which of several statements or rows it is about.
  func refused(_ failure: ConstraintFailure, in stream: RowStream) -> CloneError {
    let entity = stream.entities[0]
    return failure.error(
      of: entity, advice: failure.isExclusion ? advice(failure, of: entity, in: stream) : nil)
  }

  /// - Parameter kept: what holds of an object `t` that does not lose what a reference leads to.
  func release(
    _ stream: RowStream, writes: Writes, besides kept: (StreamReference) -> Condition = { _ in .never }
  ) throws {
    for reference in stream.references {
      guard let release = writes.release(reference, of: stream, besides: kept(reference)) else { continue }
      try translating(stream) { _ = try statements.execute(release) }
    }
  }

  private func insert(_ stream: RowStream, _ writes: Writes) throws {
    if layout.isInPlace(stream.table.schema) {
      guard writes.keepsRows(of: stream) else { throw RowsNotInPlace() }
      if stream.entities.count == 1 {
        report.add(try statements.number(expected(stream, writes: writes)), stream.entities[0], to: \.created)
      }
      return
    }
    let count = try statements.counting(
      expected(stream, writes: writes), writing: stream.table.schema, what: "new rows"
    ) {
      try translating(stream) {
        try namingObject(of: stream, writes) {
          try statements.execute(writes.insert(stream, where: $0), scanning: stream.table.root)
        }
      }
    }
    // What is written is counted by writing it, where one entity alone can be meant.
    if stream.entities.count == 1 { report.add(count, stream.entities[0], to: \.created) }
  }

  func expected(_ stream: RowStream, writes: Writes) -> Select {
    Select(["count(*)"], from: From(writes.keys.newRows(stream).with(["1"]), as: "x", dialect: dialect))
  }

  private func link(_ reference: StreamReference, stream: RowStream, writes: Writes) throws {
    let all = [writes.overwrite(reference, of: stream), writes.clear(reference, of: stream)]
    for overwriting in all.compactMap({ $0 }) {
      let count = try overwrite(stream, overwriting) { try swapping(overwriting.update) }
      report.add(count, reference.reference.relationship.qualifiedName, to: \.linked)
    }
  }

  func insert(_ joinRows: JoinRowStream, _ writes: Writes) throws {
    let relationship = joinRows.relationship
    if layout.isInPlace(joinRows.join.schema) {
      guard writes.keepsRows(of: joinRows) else { throw RowsNotInPlace() }
      let count = try statements.number(Select(["count(*)"], from: From("\(joinRows.sql) j")))
      return report.add(count, relationship.qualifiedName, to: \.linked)
    }
    try statements.execute(writes.lists.setUp(joinRows))
    if let order = writes.order(joinRows) { _ = try swapping(order) }
    let what = "join rows of \(relationship.qualifiedName)"
    let all = writes.count(joinRows)
    let count = try statements.counting(all, writing: joinRows.join.schema, what: what) {
      do { return try statements.execute(writes.insert(joinRows)) } catch {
        let table = joinRows.join.schema
        guard let failure = db.refusal(error, writing: table, of: [], mapping: layout.mapping) else {
          throw error
        }
        throw failure.error(ofPairs: relationship, in: table, advice: advice(on: relationship))
      }
    }
    if let gone = writes.gone(joinRows), case let lost = try statements.number(gone), lost > 0 {
      throw CloneError.ignored(count - lost, of: count, what: what, by: joinRows.join.schema.name)
    }
    report.add(count, relationship.qualifiedName, to: \.linked)
  }

  /// Gives objects that were there the values of the source that they lack.
  private func fill(_ writes: Writes, where isMeant: (RowStream) -> Bool) throws {
    for stream in layout.reached where writes.keys.canBeFound(stream) && isMeant(stream) {
      try translating(stream) { try fill(stream, writes) }
    }
  }

  /// Fills again what a unique index of some rows or of what is computed has refused, without the values that other objects
  /// have; then without the columns that it reads.
  private func fill(
    _ stream: RowStream, _ writes: Writes, refusals: Differences.Refusals = Differences.Refusals()
  ) throws {
    let differences = Differences(writes, refusals: refusals)
    if let fill = differences.fill(stream) {
      let counts = try statements.counts(fill.count, of: stream.table)
      do {
        try statements.counting(fill.changes, writing: stream.table.schema, what: "changes") {
          try db.attempting { try swapping(fill.update) }
        }
      } catch {
        var refusals = refusals
        guard db.isInTransaction, let failure = refusal(error, in: stream), failure.isUnique,
          let read = failure.index?.read(in: stream.table.schema), refusals.note(read)
        else { throw error }
        return try self.fill(stream, writes, refusals: refusals)
      }
      for (entity, count) in counts { report.add(count, entity, to: \.updated) }
    }
    for (reason, query) in differences.unfilled(stream) { try skip(query, of: stream, reason: reason) }
  }

  /// Writes to objects that were there, and counts those that a trigger left as they were.
  func overwrite(_ stream: RowStream, _ all: Writes.Overwriting, _ body: () throws -> Int) throws -> Int {
    return try statements.counting(all.changes, writing: stream.table.schema, what: "changes") {
      try translating(stream, body: body)
    }
  }

  /// Writes objects; where a unique value is in their way, again after the values that are to change have made room.
  ///
  /// - Returns: how many rows its statements changed.
  func swapping(_ update: SwappingUpdate) throws -> Int {
    func execute() throws -> Int { try update.statements.reduce(0) { $0 + (try statements.execute($1)) } }
    obstacle = nil
    if update.parking.isEmpty { return try execute() }
    do {
      return try db.savepoint(isKept: true, execute)
    } catch let error where isUniqueFailure(error) {
      var last = error
      for parking in update.parking where db.isInTransaction {
        do {
          return try db.savepoint(isKept: true) {
            do { try statements.execute(parking) } catch {
              guard let failure = refusal(error) else { throw error }
              obstacle = failure.refusingKey ?? obstacle
              throw NoRoom()
            }
            obstacle = nil
            return try execute()
          }
        } catch is NoRoom {} catch let failure where isUniqueFailure(failure) {
          // A value that nobody had can be one that an object is to have.
          last = failure
        }
      }
      throw last
    }
  }

  /// What takes the place of unique values meanwhile was refused.
  private struct NoRoom: Error {}
}
