import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL
import Synchronization

extension SQLiteGraph: ImportingGraph {
  /// The database, with what SQLite keeps beside it; none in memory.
  public var files: [String] {
    guard let path = try? read({ try $0.path }), !path.isEmpty else { return [] }
    return StoreFile(path).files
  }

  /// Rows are gathered in temporary tables and merged from there, so that memory does not grow with them. On a graph
  /// of its own the store is locked for the time of the merge only.
  ///
  /// A dry run is the same, rolled back.
  public func importRows(
    _ plan: ImportPlan, _ run: MoveRun, mark: ImportMark?, _ fill: (any ImportSink) throws -> Void
  ) throws -> MoveReport? {
    try onConnection(dryRun: run.isDryRun) { access, isOwn in
      let watch = RunWatch(run)
      let body = try SQLiteImport(access: access, plan: plan, watch: watch, mark: mark, isOwn: isOwn)
      return isOwn ? try watch.during(access.db) { try body.run(fill) } : try body.run(fill)
    }
  }
}

extension RowAccess {
  /// The file of the store; empty in memory.
  var path: String {
    get throws {
      let row = try Row.fetchOne(db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'")
      return row?["file"] ?? ""
    }
  }
}

/// One import on a connection.
private struct SQLiteImport {
  let access: RowAccess
  let plan: ImportPlan
  let watch: RunWatch
  private var run: MoveRun { watch.run }
  let mark: ImportMark?
  /// Whether no transaction of somebody else's is under way.
  let isOwn: Bool
  private let schema: StoreSchema
  private let tables: [StagedTable]
  private let number: Int
  private var db: Database { access.db }

  init(access: RowAccess, plan: ImportPlan, watch: RunWatch, mark: ImportMark?, isOwn: Bool) throws {
    (self.access, self.plan, self.watch, self.mark, self.isOwn) = (access, plan, watch, mark, isOwn)
    let names = plan.entities.map(\.name)
    schema = try SchemaReader(db: access.db).schema(
      of: StoreCheck.tables(of: names, plan.model, access.mapping))
    try StoreCheck(model: plan.model, mapping: access.mapping, schema: schema, entities: names).check()
    let (schema, number) = (schema, Self.number())
    self.number = number
    tables = plan.entities.indices.map {
      StagedTable(
        $0, plan, access.mapping, schema[access.mapping[plan.entities[$0].name].table]!, run: number)
    }
  }

  private static let last = Mutex(0)

  /// Tables of a caller's connection are never dropped, so each import has its own names.
  private static func number() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }

  func run(_ fill: (any ImportSink) throws -> Void) throws -> MoveReport? {
    if let mark, try MetadataTable(db: db).value(mark.name) != nil { return nil }
    return isOwn ? try withSmallCaches { try perform(fill) } : try perform(fill)
  }

  /// Rows are staged and merged in order, for which large caches would only take memory.
  private func withSmallCaches<T>(_ body: () throws -> T) throws -> T {
    let names = ["main", "temp"]
    let sizes = try names.map { try Int.fetchOne(db, sql: "PRAGMA \($0).cache_size") ?? 0 }
    func set(_ name: String, _ size: Int) throws {
      try db.execute(sql: "PRAGMA \(name).cache_size = \(size)")
    }
    for (name, size) in zip(names, sizes) where size < Self.cacheSize { try set(name, Self.cacheSize) }
    defer { for (name, size) in zip(names, sizes) where size < Self.cacheSize { try? set(name, size) } }
    return try body()
  }

  /// 8 MB, as SQLite counts it.
  private static let cacheSize = -8000

  private func perform(_ fill: (any ImportSink) throws -> Void) throws -> MoveReport? {
    try prepare()
    defer { try? removeTables() }
    guard isOwn else {
      let rows = try stage(fill)
      return try savepoint { try merge(rows) }
    }
    // A transaction that only writes temporary tables locks nobody out.
    var rows: StagingWriter?
    try db.inTransaction(.deferred) {
      rows = try stage(fill)
      return .commit
    }
    return try unchecked {
      var report: MoveReport?
      try db.inTransaction(.immediate) {
        report = try db.refusingDanglingReferences { try merge(rows!) }
        return report == nil || run.isDryRun ? .rollback : .commit
      }
      return report
    }
  }

  private func savepoint(_ body: () throws -> MoveReport?) throws -> MoveReport? {
    try db.deferringForeignKeys {
      var report: MoveReport?
      try db.inSavepoint {
        report = try db.refusingDanglingReferences(body)
        return run.isDryRun ? .rollback : .commit
      }
      return report
    }
  }

  /// Writes without asking again for every reference whether its object is there: they come from the maps of objects.
  ///
  /// Only where the tables hold no reference but those, and no trigger that could delete something.
  private func unchecked<T>(_ body: () throws -> T) throws -> T {
    let isOn = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
    guard isOn, tables.allSatisfy(holdsOnlyMapped) else { return try body() }
    try db.execute(sql: "PRAGMA foreign_keys = OFF")
    defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
    return try body()
  }

  private func holdsOnlyMapped(_ table: StagedTable) -> Bool {
    let mapped = MappedColumns(table: table.table, model: plan.model, mapping: access.mapping)
    return table.table.triggers.isEmpty
      && table.table.foreignKeys.allSatisfy { $0.columns.allSatisfy(mapped.contains) }
  }

  // MARK: Staging

  private func prepare() throws {
    for table in tables {
      for statement in [table.createRows, table.createMap]
        + (table.entity.identity == nil ? [] : identityTables(table))
      {
        try db.execute(sql: statement)
      }
    }
    for i in plan.pairs.indices {
      try db.execute(sql: ImportPairs(i, plan, access.mapping, tables, schema).create)
    }
  }

  private func identityTables(_ table: StagedTable) -> [String] {
    [table.createKeys, table.createFound, table.createLater]
  }

  private func removeTables() throws {
    let names = tables.flatMap(\.tables) + pairs
    let isThere = Set(
      try String.fetchAll(db, sql: "SELECT name FROM temp.sqlite_schema WHERE type = 'table'"))
    for name in names where isThere.contains(name) {
      try db.execute(sql: isOwn ? "DROP TABLE temp.\(name)" : "DELETE FROM temp.\(name)")
    }
  }

  private func stage(_ fill: (any ImportSink) throws -> Void) throws -> StagingWriter {
    let rows = try StagingWriter(db, tables, pairs: pairs)
    // On a caller's connection rows are staged at once: reading them may use it, too.
    guard isOwn else {
      try fill(rows)
      return rows
    }
    let pipeline = StagingPipeline(rows, entities: tables.count)
    do {
      try fill(pipeline)
    } catch {
      try? pipeline.finish()
      throw error
    }
    try pipeline.finish()
    rows.leftOut = pipeline.leftOut
    return rows
  }

  private func merge(_ rows: StagingWriter) throws -> MoveReport? {
    let metadata = MetadataTable(db: db)
    if let mark, try metadata.value(mark.name) != nil { return nil }
    if isOwn { try db.execute(sql: "PRAGMA defer_foreign_keys = ON") }
    let report = try merged(rows)
    if let mark { try metadata.set(mark.text(), for: mark.name) }
    return report
  }

  private func merged(_ rows: StagingWriter) throws -> MoveReport {
    try Functions.register(in: db)
    let number = Functions.begin(run.generator)
    defer { Functions.end(number) }
    let statements = StatementRunner(db, watch)
    statements.bind("run", number)
    let tables = tables.map { $0.missing(rows.leftOut[$0.number] ?? []) }
    let counts = tables.map { rows.count($0.number) }
    return try ImportMerge(access, plan, run, tables, schema, rows: counts, statements).write(
      rebuildsIndexes: isOwn)
  }

  private var pairs: [String] { plan.pairs.indices.map { ImportPairs.name($0, run: number) } }
}
