import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Copies objects of an attached store, inside a transaction that the caller opened: what is the same is found, what
/// cannot be is refused, then all is written.
///
/// The number of statements depends on the model alone; memory is what SQLite's page caches and temporary tables take.
final class CopyOperation {
  let layout: CopyLayout
  let statements: StatementRunner
  private let watch: RunWatch
  private let kind: MoveReport.Operation
  /// Whether new objects get the operation's one instant as their date of change, too, and nulls of objects that were
  /// there are filled.
  private let isSeeding: Bool
  private(set) var states: [CopyState]

  init(
    _ layout: CopyLayout, _ db: Database, _ watch: RunWatch, operation: MoveReport.Operation = .copy,
    isSeeding: Bool = false
  ) {
    self.layout = layout
    self.watch = watch
    self.isSeeding = isSeeding
    kind = operation
    statements = StatementRunner(db, watch)
    states = Array(repeating: CopyState(), count: layout.tables.count)
  }

  /// - Returns: what was done, or would be.
  /// - Throws: `CloneError` with everything that was found; the caller then rolls back.
  func perform() throws -> MoveReport {
    let run = watch.run
    try Functions.register(in: statements.db)
    let number = Functions.begin(run.generator)
    defer { Functions.end(number) }
    statements.bind("run", number)
    try statements.execute("PRAGMA defer_foreign_keys = ON")
    let dangling = try begin()
    let totals = try run.progress == nil ? [:] : CopyCounts(layout, states, statements).totals()
    try watch.enter(.finding, of: totals)
    try find()
    try CopyChecks(layout, states, statements).check()
    var report = MoveReport(kind, isDryRun: run.isDryRun)
    if !dangling.isEmpty { report.dangling = dangling }
    try CopyCounts(layout, states, statements).record(in: &report)
    let modified = run.modified
    let writes = CopyWrites(layout, states, stamp: isSeeding ? modified : nil)
    let writing = CopyWriting(layout, states, statements, writes, modified)
    try watch.enter(.writing, of: totals)
    try writing.perform(&report)
    if isSeeding { try writing.fill(&report) }
    return report
  }

  /// What the source holds that the other store does not, as it is before anything is written.
  func differences() throws -> [String] {
    try Functions.register(in: statements.db)
    _ = try begin()
    try find()
    return try CopyDifferences(layout, states, watch.run.modified).all(statements)
  }

  /// The key that an object of the source has in the other store.
  func newKey(of object: ObjectID) throws -> ObjectID {
    let table = layout.table(of: object.entity)
    let coding = KeyCoding(entity: table.map)
    let old = table.map.key.indices.map {
      "CAST(:old\($0) AS \(table.source.column(table.map.keyColumns[$0])?.affinity ?? "INTEGER"))"
    }
    for (i, part) in object.key.parts.enumerated() { statements["old\(i)"] = coding.encode(part, part: i) }
    let new = CopyKeys(layout: layout, states: states).moved(table, old)
    let row = try statements.row("SELECT \(SQL.list(new))")!
    return ObjectID(object.entity, key: coding.decode(row, from: 0))
  }

  // MARK: Beginning

  /// - Returns: how many references of the source lead to rows that do not exist, by relationship.
  private func begin() throws -> [String: Int] {
    for statement in layout.tables.flatMap(\.definitions) { try statements.execute(statement) }
    let isPartial = try gather()
    for table in layout.tables {
      states[table.index].isPartial = isPartial
      states[table.index].shift = try CopyShift(table, isPartial: isPartial).distance(in: statements.db)
    }
    return try CopyDangling(layout, isPartial: isPartial, statements).find(&states)
  }

  /// Finds what is copied.
  ///
  /// - Returns: whether that is a part of the source.
  private func gather() throws -> Bool {
    if let cut = layout.cut {
      try cut.fill(layout, in: statements.db)
      for statement in CutReach(layout, cut).statements { try statements.execute(statement) }
      return true
    }
    guard let roots = layout.rules.roots else { return false }
    for (i, root) in roots.enumerated() {
      for (j, condition) in root.conditions.enumerated() {
        let column = layout.mapping[root.entity].attributes[condition.attribute.name]!
        statements[CopyReach.parameter(root: i, condition: j)] = ValueCoding(column).encode(condition.value)
      }
    }
    for statement in CopyReach(layout).statements(roots, limit: layout.rules.limit) {
      try statements.execute(statement)
    }
    return true
  }

  private func find() throws {
    for group in layout.groups {
      try CopyFinding(group, layout, statements).perform(&states)
    }
    if let cut = layout.cut { try CutFinding(cut, layout, statements).perform() }
  }
}
