import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension SQLiteGraph: SyncingGraph {
  public func sync(
    _ plan: SyncPlan, run: MoveRun, source: String, _ fill: (any SyncSink) throws -> Void
  ) throws -> MoveReport {
    try moving(run) { access, watch in
      try Functions.register(in: access.db)
      let generator = Functions.begin(run.generator)
      defer { Functions.end(generator) }
      var sync = StoreSync(
        access: access, layout: try access.moveLayout(), plan: plan, watch: watch, source: source)
      try sync.stage(fill)
      try access.db.deferringForeignKeys {
        try sync.compare()
        try sync.write(generator)
      }
      return sync.report
    }
  }
}

/// One sync in the transaction of the caller.
private struct StoreSync {
  private let access: RowAccess
  private let layout: MoveLayout
  private let plan: SyncPlan
  private let watch: RunWatch
  private let source: String
  private let renderer: SyncRenderer
  private let runner: StatementRunner
  private let deletion: SetDeletion
  /// Whether some row does not give the value of a column.
  private var isAbsent: [Bool] = []
  private var rowCount = 0
  private(set) var report: MoveReport

  init(access: RowAccess, layout: MoveLayout, plan: SyncPlan, watch: RunWatch, source: String) {
    self.access = access
    self.layout = layout
    self.plan = plan
    self.watch = watch
    self.source = source
    renderer = SyncRenderer(layout, plan, watch.run.modified)
    runner = StatementRunner(access.db, watch)
    deletion = SetDeletion(
      layout.store, runner, dates: DateOfChange(layout.store, watch.run.modified))
    report = MoveReport(.sync, isDryRun: watch.run.isDryRun)
  }

  // MARK: Rows

  mutating func stage(_ fill: (any SyncSink) throws -> Void) throws {
    try runner.execute(renderer.dropIndex)
    for table in renderer.temporaryTables {
      for statement in table.setUp { try runner.execute(statement) }
    }
    let sink = try StagedSync(access.db, renderer, layout, plan)
    try fill(sink)
    (isAbsent, rowCount) = (sink.isAbsent, sink.count)
    try plan.checkEmpty(rowCount)
    try plan.checkGiven(sink.isGiven)
    try complete()
    _ = try access.db.sortingWithHelpers { try runner.execute(renderer.index) }
    try refuseDuplicates()
  }

  /// Gives rows what they leave out of the scope and of the identity, and leaves out rows that mean no object.
  private mutating func complete() throws {
    var failures: [CloneError.Failure] = []
    for (place, value) in plan.scope {
      let literal = renderer.literal(place, value)
      if isAbsent[place] { try runner.execute(renderer.complete(place, literal)) }
      for row in try runner.rows(renderer.outside(place, literal)) {
        failures.append(plan.outsideScope(plan.columns[place], row[0], source))
      }
    }
    if !failures.isEmpty { throw CloneError(failures) }
    for place in plan.identifying where isAbsent[place] {
      try runner.execute(renderer.complete(place, renderer.columns[place].standard))
    }
    let lost = try runner.rows(renderer.rowsWithoutIdentity)
    if !lost.isEmpty { throw CloneError(lost.map { plan.nullIdentity($0[0], source) }) }
  }

  private func refuseDuplicates() throws {
    let width = plan.identifying.count
    let failures = try runner.rows(renderer.duplicates).map { row in
      let key = (0..<width).map { "'\(AttributeValue(raw: row[$0]))'" }.joined(separator: ", ")
      let lines = (row[width] as String).split(separator: ",").compactMap { Int($0) }.sorted()
      return plan.duplicate(key, lines, source)
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  // MARK: Comparing

  mutating func compare() throws {
    let compared = try runner.number(renderer.countCompared)
    try watch.enter(.finding, of: [plan.entity: compared])
    try refuseStoredDuplicates()
    try runner.execute(renderer.findChanges, scanning: plan.entity)
    let gone = try runner.number(renderer.countGone)
    let created = rowCount - (compared - gone)
    if plan.request.deletes {
      try plan.checkDeletions(gone, of: compared)
      try findDeletions()
    } else {
      try runner.execute(renderer.keepGone)
    }
    try count(matched: compared - gone)
    guard created > 0 else { return }
    try runner.execute(renderer.findFresh)
    try refuseOutOfScope()
    try checkFresh()
    for lead in renderer.leads { try find(lead) }
    report.add(created, plan.entity, to: \.created)
  }

  private func refuseStoredDuplicates() throws {
    guard let query = renderer.storedDuplicates, let row = try runner.row(query) else { return }
    let parts: [DatabaseValue] = plan.identifying.indices.map { row[$0] }
    for (i, part) in parts.enumerated() { runner.bind("k\(i)", part) }
    let objects = try runner.rows(renderer.storedOfIdentity).map {
      layout.id($0, from: 0, in: renderer.table)
    }
    throw CloneError.ambiguousIdentity(
      plan.identity, parts.map { .value(AttributeValue(raw: $0)) }, objects)
  }

  private mutating func findDeletions() throws {
    try deletion.begin()
    try deletion.add(renderer.gone, to: layout.store.table(of: plan.entity))
    try deletion.addCascades()
    try deletion.check()
    for (entity, count) in try deletion.counts() { report.add(count, entity, to: \.deleted) }
  }

  private mutating func count(matched: Int) throws {
    var changed: [String: Int] = [:]
    for row in try runner.rows(renderer.countChanged) where row[1] as Int > 0 {
      changed[layout.entity(renderer.table, discriminator: row[0])] = row[1]
    }
    for (entity, count) in changed { report.add(count, entity, to: \.updated) }
    guard layout.model.concreteEntities(of: plan.entity).count > 1 else {
      return report.add(matched - (changed[plan.entity] ?? 0), plan.entity, to: \.unchanged)
    }
    for row in try runner.rows(renderer.countMatched) {
      let entity = layout.entity(renderer.table, discriminator: row[0])
      report.add(row[1] as Int - (changed[entity] ?? 0), entity, to: \.unchanged)
    }
  }

  /// A row whose object lies outside of what is compared would make a second one.
  private func refuseOutOfScope() throws {
    guard !plan.scope.isEmpty else { return }
    let lines = try runner.rows(renderer.freshOutOfScope)
    if !lines.isEmpty { throw CloneError(lines.map { plan.existsOutOfScope($0[0], source) }) }
  }

  private func checkFresh() throws {
    guard layout.model.entity(plan.entity)?.isAbstract == false else {
      throw CloneError(
        .invalidValue, "\(plan.entity) is abstract, so no row can make an object of it", entity: plan.entity)
    }
    for (place, column) in renderer.columns.enumerated() where column.isRequired && isAbsent[place] {
      guard try runner.row(renderer.missing(place)) != nil else { continue }
      throw CloneError.requiredMissing(plan.columns[place].name, plan.entity)
    }
  }

  /// Finds the objects that new ones belong to.
  private func find(_ lead: LeadRenderer) throws {
    try runner.execute(lead.index)
    try runner.execute(lead.fill)
    let failures = try runner.rows(lead.unfound(renderer)).map { row in
      let values = lead.lead.places.indices.map { AttributeValue(raw: row[$0 + 2]).description }
      return lead.lead.failure(values, row[1], "\(source) \(row[0] as Int)", of: plan.entity)
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  // MARK: Writing

  mutating func write(_ generator: Int64) throws {
    runner.bind("run", generator)
    try watch.enter(.writing)
    if report.deleted != nil { try deletion.perform() }
    if report.updated != nil, let update = renderer.update {
      try runner.counting(renderer.countUpdated, writing: renderer.table.schema, what: "changes") {
        try runner.swapping(renderer.parked) { try runner.execute(update) }
      }
    }
    if report.created != nil {
      try runner.counting(renderer.countFresh, writing: renderer.table.schema, what: "new rows") {
        try runner.execute(renderer.insert(), scanning: plan.entity)
      }
    }
    try runner.execute(renderer.dropIndex)
    for table in renderer.temporaryTables { try runner.execute(table.clear) }
  }
}

/// Writes the rows of a sync into their temporary table.
private final class StagedSync: SyncSink {
  private(set) var isAbsent: [Bool]
  /// Whether some row gives the value of a column.
  private(set) var isGiven: [Bool]
  private let rows: StagedRows
  private let statement: OpaquePointer
  /// The keys that references hold, by the places of their columns.
  private let keys: [(place: Int, coding: KeyCoding)]

  var count: Int { Int(rows.count) }

  init(_ db: Database, _ renderer: SyncRenderer, _ layout: MoveLayout, _ plan: SyncPlan) throws {
    let columns = SQL.list(renderer.content)
    let marks = SQL.list(renderer.content.map { _ in "?" })
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(
      db.sqliteConnection, "INSERT INTO \(renderer.rows.sql)(\(columns)) VALUES (\(marks))", -1, &statement,
      nil)
    guard code == SQLITE_OK, let statement else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
    self.statement = statement
    let codings = renderer.columns.map { column in
      column.attribute.map { ValueCoding($0) } ?? ValueCoding(type: .string, form: .plain)
    }
    rows = StagedRows(statement, codings, references: 0, masks: SyncRenderer.masks(codings.count))
    isAbsent = [Bool](repeating: false, count: codings.count)
    isGiven = isAbsent
    keys = plan.columns.enumerated().compactMap { place, column in
      guard case .reference(let relationship) = column else { return nil }
      return (place, KeyCoding(entity: layout.mapping[relationship.destination]))
    }
  }

  deinit { sqlite3_finalize(statement) }

  func add(_ values: UnsafeBufferPointer<StagedValue>, line: Int) throws {
    for i in values.indices {
      if case .absent = values[i] { isAbsent[i] = true } else { isGiven[i] = true }
    }
    let none = UnsafeBufferPointer<Int64>(start: nil, count: 0)
    guard !keys.isEmpty else {
      _ = try rows.add(values, none, line: line)
      return
    }
    var coded = Array(values)
    for (place, coding) in keys {
      guard let key = values[place].attributeValue(of: .string), !key.isNull else { continue }
      coded[place] = .value(AttributeValue(raw: coding.candidates(key, part: 0)[0]))
    }
    try coded.withUnsafeBufferPointer { _ = try rows.add($0, none, line: line) }
  }
}
