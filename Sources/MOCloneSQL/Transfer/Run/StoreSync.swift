import MOCloneEngine
import MOCloneModel

extension RowAccess where Connection: TransferConnection {
  /// Makes objects follow a full set of rows, which are staged in temporary tables first, in the transaction of the caller.
  package func sync(
    _ plan: SyncPlan, watch: RunWatch, source: String, in dialect: Dialect? = nil,
    fill: (any SyncSink) throws -> Void
  ) throws -> TransferReport {
    let layout = try TransferLayout(plan, into: storeLayout(in: dialect))
    let transfer = try TransferRun(layout, in: db, watch: watch)
    return try transfer.prepared {
      var sync = StoreSync(transfer, plan: plan, source: source)
      try sync.stage(fill)
      try db.deferringForeignKeys {
        try sync.compare()
        try sync.write()
      }
      return transfer.report
    }
  }
}

/// One sync in the transaction of the caller.
private struct StoreSync {
  private let transfer: TransferRun
  private let plan: SyncPlan
  private let source: String
  private let match: SyncMatch
  private let deletion: SetDeletion
  /// Whether some row does not give the value of a column.
  private var isAbsent: [Bool] = []
  private var rowCount = 0
  /// How many objects have a row.
  private var matched = 0
  private var layout: TransferLayout { transfer.layout }
  private var store: StoreLayout { transfer.layout.store }
  private var stream: RowStream { match.stream }
  private var statements: any StatementRunning { transfer.statements }

  init(_ transfer: TransferRun, plan: SyncPlan, source: String) {
    self.transfer = transfer
    self.plan = plan
    self.source = source
    match = SyncMatch(plan, in: transfer.layout, writes: transfer.writes)
    deletion = SetDeletion(
      transfer.layout.store, runner: transfer.statements,
      dates: DateOfChange(transfer.layout.store, rule: transfer.modified))
  }

  // MARK: Rows

  private var tables: [TemporaryTable] { layout.temporaryTables + [match.changes, match.inserts] }

  mutating func stage(_ fill: (any SyncSink) throws -> Void) throws {
    try statements.execute(match.dropIndex)
    for table in tables { try statements.execute(table.setUp) }
    let sink = StagedSync(
      try transfer.db.stagingSink(layout), plan: plan, in: layout, match: match, statements: statements)
    try fill(sink)
    try sink.finish()
    (isAbsent, rowCount) = (sink.isAbsent, sink.count)
    try refuseComputed(givenBy: sink)
    try plan.checkEmpty(rowCount)
    try plan.checkGiven(sink.isGiven, named: sink.named)
    let completed = Set(plan.scope.map(\.0) + plan.identifying)
    transfer.states[stream.index].ungiven = Set(sink.isGiven.indices.filter { !sink.isGiven[$0] })
      .subtracting(completed)
    try complete()
    if let index = match.index { _ = try transfer.db.sorting { try statements.execute(index) } }
    try refuseDuplicates()
    try refuseLostValues()
  }

  /// Refuses what the input names or gives, or is to be overwritten, and the database computes.
  private func refuseComputed(givenBy sink: StagedSync) throws {
    let given = plan.columns.enumerated().compactMap {
      place, column -> (attribute: AttributeDescription, entity: String)? in
      guard case .attribute(let attribute) = column,
        sink.isGiven[place] || sink.named.contains(place) || plan.overwriting.contains(place)
      else { return nil }
      return (attribute, plan.entity)
    }
    try store.schema.refuse(given: given, layout.mapping)
  }

  private func refuseLostValues() throws {
    let checks = transfer.writes.lostValues(stream, rows: Select([], from: stream.rows("s")))
    let lost = try transfer.failures(of: checks).sorted { $0.row!.number < $1.row!.number }
    guard !lost.isEmpty else { return }
    let rows = Union(parts: checks.map { $0.query.with(stream.key("s")) }, dropsDuplicates: true)
    let count = Select(["count(*)"], from: From(rows, as: "x", dialect: layout.dialect))
    throw try CloneError.rows(Array(lost.prefix(20)), of: statements.number(count), source: source)
  }

  /// Gives rows what they leave out of the scope and of the identity, and refuses rows that mean no object.
  private mutating func complete() throws {
    var failures: [CloneError.Failure] = []
    for (place, value) in plan.scope {
      if isAbsent[place] { try statements.execute(match.complete(place, value)) }
      for row in try statements.rows(match.outside(place, value: value)) {
        failures.append(plan.outsideScope(plan.columns[place], line: row[0].number, source: source))
      }
    }
    if !failures.isEmpty { throw CloneError(failures) }
    for place in plan.identifying where isAbsent[place] {
      guard case .attribute(let attribute) = plan.columns[place], let value = attribute.defaultValue else {
        continue
      }
      try statements.execute(match.complete(place, value))
    }
    try statements.execute(match.settleKeys)
    try refuse(match.unidentified) { plan.nullIdentity($0[0].number, source) }
  }

  /// Refuses the rows that a query finds, and says how many there are beside those that it lists.
  private func refuse(_ query: Select, _ failure: ([StoredValue]) -> CloneError.Failure) throws {
    let listed = try statements.rows(query).map(failure)
    guard !listed.isEmpty else { return }
    throw try CloneError.rows(listed, of: statements.number(query.counted), source: source)
  }

  private func refuseDuplicates() throws {
    let failures = try statements.rows(match.duplicates).map { row in
      statements.bind("k", parts: Array(row.prefix(plan.identifying.count)))
      let key = match.shownIdentity(row).map(\.description).joined(separator: ", ")
      return plan.duplicate(
        key, lines: try statements.rows(match.linesOfIdentity).map { $0[0].number }, source: source)
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  // MARK: Comparing

  mutating func compare() throws {
    let compared = try statements.number(match.countCompared)
    try transfer.watch.enter(.finding, of: [plan.entity: compared])
    try refuseStoredDuplicates()
    try statements.execute(match.findChanges, scanning: plan.entity)
    let gone = try statements.number(match.countDeletes)
    matched = compared - gone
    let created = rowCount - matched
    if plan.request.deletes {
      try plan.checkDeletions(gone, of: compared)
      try findDeletions(gone)
    }
    try statements.execute(match.enterChanges)
    transfer.states[0].isMapped = true
    if created > 0 { try statements.execute(match.findInserts) }
    try refuseDangling(within: false)
    guard created > 0 else { return }
    try refuseOutOfScope()
    try checkInsertedRows()
    for lookup in plan.lookups.indices { try find(lookup) }
    try transfer.makeKeys(stream, of: match.insertedRows, count: created)
    transfer.report.add(created, plan.entity, to: \.created)
  }

  private func refuseStoredDuplicates() throws {
    guard let query = match.storedDuplicates, let row = try statements.row(query) else { return }
    statements.bind("k", parts: Array(row.prefix(plan.identifying.count)))
    let objects = try statements.rows(match.storedOfIdentity).map { store.id($0, from: 0, in: stream.table) }
    throw CloneError.ambiguousIdentity(plan.identity, match.shownIdentity(row), objects)
  }

  private func findDeletions(_ count: Int) throws {
    try deletion.begin()
    try deletion.add(match.deletes, to: stream.table)
    try deletion.addCascades()
    let counts = try deletion.counts()
    if counts.values.reduce(0, +) > count,
      let set = deletion.renderer.gone.first(where: { $0.table == stream.table })
    {
      try refuse(match.named(in: set)) { row in
        plan.goesAlong(store.id(row, from: 1, in: stream.table), line: row[0].number, source: source)
      }
    }
    try deletion.check()
    for (entity, count) in counts { transfer.report.add(count, entity, to: \.deleted) }
  }

  /// Counts the objects that have a row, which the deletion of others can leave without what identifies them.
  private func countMatched() throws {
    let changed = try counts(match.countChanged)
    let all = try stream.table.entities.count > 1 ? counts(match.countMatched) : [plan.entity: matched]
    for (entity, count) in changed { transfer.report.add(count, entity, to: \.updated) }
    for (entity, count) in all {
      transfer.report.add(count - (changed[entity] ?? 0), entity, to: \.unchanged)
    }
  }

  /// - Throws: `CloneError` (`delete-denied`) where the store has removed objects that have a row with the others.
  private func refuseLost() throws {
    let lost = try matched - statements.number(match.countCompared)
    if lost > 0 { throw plan.goneAlong(lost) }
  }

  private func counts(_ query: Select) throws -> [String: Int] {
    try statements.counts(query, of: stream.table)
  }

  /// A row whose object lies outside of what is compared would make a second one.
  private func refuseOutOfScope() throws {
    guard !plan.scope.isEmpty else { return }
    try refuse(match.insertsOutOfScope) { plan.existsOutOfScope($0[0].number, source: source) }
  }

  private func checkInsertedRows() throws {
    guard plan.model.entity(plan.entity)?.isAbstract == false else {
      throw CloneError(
        .invalidValue, "\(plan.entity) is abstract, so a row cannot insert an object of it",
        entity: plan.entity)
    }
    for (place, column) in plan.columns.enumerated() where isAbsent[place] && isRequired(column) {
      try refuse(match.missing(place)) { row in
        var failure = plan.requiredMissing(column.name, line: row[0].number, source: source)
        failure.row = stream.row(row)
        return failure
      }
    }
  }

  /// - Parameters:
  ///   - isWithin: whether to look at references between objects of the entity, which the rows themselves may make.
  ///   - areWritten: whether they have made these.
  private func refuseDangling(within isWithin: Bool, areWritten: Bool = true) throws {
    for (place, column) in plan.columns.enumerated() {
      guard case .reference(let relationship) = column,
        !transfer.states[stream.index].ungiven.contains(place),
        let key = layout.mapping[plan.entity].foreignKey(relationship.name),
        isWithin == plan.model.isKind(plan.entity, of: relationship.destination)
      else { continue }
      let isByKey = layout.mapping[key.destination].keyPart(of: key.references[0]) != nil
      let query = match.dangling(
        place, key: key, isOverwritten: plan.overwriting.contains(place), orMade: !areWritten)
      try refuse(query) { row in
        plan.dangling(
          relationship, key: AttributeValue(raw: row[1]), column: isByKey ? nil : key.references[0],
          line: row[0].number, source: source, isLost: transfer.report.deleted != nil)
      }
    }
  }

  private func isRequired(_ column: SyncPlan.Column) -> Bool {
    switch column {
    case .attribute(let attribute):
      !attribute.isOptional && attribute.defaultValue == nil
        && layout.mapping[plan.entity].attributes[attribute.name]!.keyPart == nil
        && transfer.modified.attribute(of: plan.entity, in: plan.model) != attribute
    case .reference(let relationship): !relationship.isOptional
    case .path: false
    }
  }

  /// Finds the objects that new ones belong to.
  private func find(_ place: Int) throws {
    let lookup = LookupMatch(place, plan: plan, in: layout, match: match)
    try statements.execute(lookup.setUp)
    let failures = try statements.rows(lookup.unfound).map { row in
      let values = plan.lookups[place].places.indices.map { AttributeValue(raw: row[$0 + 2]).description }
      return plan.lookups[place].failure(values, row[1].number, "\(source)\(row[0].number)", of: plan.entity)
    }
    if !failures.isEmpty { throw CloneError(failures) }
    try statements.execute(lookup.settle)
    try refuse(lookup.empty) { row in
      var failure = CloneError.Failure.emptyDestination(
        lookup.references, of: plan.lookups[place].relationship, object: nil)
      failure.problem = "\(source)\(row[0].number): \(failure.problem)"
      failure.row = stream.row(row)
      return failure
    }
    try statements.execute(lookup.clear)
  }

  // MARK: Writing

  func write() throws {
    try transfer.watch.enter(.writing)
    try countMatched()
    if let deleted = transfer.report.deleted {
      try deletion.perform(&transfer.report, overwritten: plan.overwritten)
      try refuseLost()
      // What rows refer to can have gone along.
      if deleted.count > 1 || transfer.report.cascaded != nil {
        for lookup in plan.lookups.indices { try find(lookup) }
        try refuseDangling(within: false)
      }
    }
    // A foreign key that does not wait would refuse the rows in the server's words.
    try refuseDangling(within: true, areWritten: false)
    let writes = transfer.writes
    try statements.execute(writes.listEnds)
    try transfer.release(stream, writes: writes, besides: match.keeps)
    if transfer.report.updated != nil {
      let counted = transfer.report.updated
      try transfer.overwrite(stream)
      transfer.report.updated = counted
      try noteIgnored(writes)
    }
    if let created = transfer.report.created?[plan.entity] {
      _ = try transfer.insert(stream, StagedMatches(new: created), writes)
    }
    try transfer.advanceKeys(writes)
    try transfer.refuseRemoved(writes)
    try transfer.checkRelatedObjects(writes)
    try refuseDangling(within: true)
    try statements.execute(match.dropIndex)
    for table in tables { try statements.execute(table.clear) }
  }

  /// Reports objects that a trigger let a statement write, and kept from holding what their rows give.
  private func noteIgnored(_ writes: Writes) throws {
    guard !stream.table.schema.triggers.isEmpty, let ignored = writes.overwriteAll(stream)?.objects else {
      return
    }
    let rows = try statements.rows(ignored.ordered(by: stream.table.key("t")).limited(to: 20))
    let objects = rows.map { store.id($0, from: 0, in: stream.table) }
    try transfer.skip(objects, of: ignored, reason: TransferReport.valuesNotKept)
  }
}

/// Writes the rows of a sync into their temporary table.
private final class StagedSync: SyncSink {
  private(set) var isAbsent: [Bool]
  /// Whether some row gives the value of a column.
  private(set) var isGiven: [Bool]
  /// The columns that the input names.
  private(set) var named: Set<Int> = []
  private let rows: any StagingSink
  /// The keys that references hold, by the places of their columns.
  private let keys: [(place: Int, coding: KeyCoding)]
  private let match: SyncMatch
  private let statements: any StatementRunning

  var count: Int { rows.count(0) }

  func finish() throws {
    try rows.finish()
  }

  init(
    _ rows: any StagingSink, plan: SyncPlan, in layout: TransferLayout, match: SyncMatch,
    statements: any StatementRunning
  ) {
    self.rows = rows
    self.match = match
    self.statements = statements
    isAbsent = [Bool](repeating: false, count: plan.columns.count)
    isGiven = isAbsent
    keys = plan.columns.enumerated().compactMap { place, column in
      guard case .reference(let relationship) = column else { return nil }
      return (place, KeyCoding(entity: layout.mapping[relationship.destination]))
    }
  }

  func name(_ column: Int) { named.insert(column) }

  func isSame(_ value: AttributeValue, as other: AttributeValue, in column: Int) throws -> Bool {
    guard let query = match.isSame(value, as: other, in: column) else { return false }
    return try statements.row(query) != nil
  }

  func add(_ values: UnsafeBufferPointer<StagedValue>, line: Int) throws {
    for i in values.indices {
      if case .absent = values[i] { isAbsent[i] = true } else { isGiven[i] = true }
    }
    let none = UnsafeBufferPointer<Int64>(start: nil, count: 0)
    guard !keys.isEmpty else {
      _ = try rows.add(0, values, none, line: line)
      return
    }
    var coded = Array(values)
    for (place, coding) in keys {
      guard let key = values[place].attributeValue(of: .string), !key.isNull else { continue }
      coded[place] = .value(AttributeValue(raw: coding.candidates(key, part: 0)[0]))
    }
    try coded.withUnsafeBufferPointer { _ = try rows.add(0, $0, none, line: line) }
  }
}
