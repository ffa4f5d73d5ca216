import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

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
    _ plan: ImportPlan, _ options: TransferOptions, mark: ImportMark?, _ fill: (any ImportSink) throws -> Void
  ) throws -> TransferReport? {
    try onConnection(dryRun: options.isDryRun) { access, isOwn in
      let watch = RunWatch(options)
      let body = try SQLiteImport(
        graph: self, access: access, plan: plan, watch: watch, mark: mark, isOwn: isOwn)
      return isOwn ? try watch.during(access.db) { try body.run(fill) } : try body.run(fill)
    }
  }
}

extension RowAccess {
  /// The file of the store; empty in memory.
  var path: String {
    get throws {
      try db.storePath()
    }
  }
}

/// One import on a connection.
private struct SQLiteImport {
  private let graph: SQLiteGraph
  let access: RowAccess
  let plan: ImportPlan
  let watch: RunWatch
  private var options: TransferOptions { watch.options }
  let mark: ImportMark?
  /// Whether no transaction of somebody else's is under way.
  let isOwn: Bool
  private let layout: TransferLayout
  private var db: Database { access.db }

  init(
    graph: SQLiteGraph, access: RowAccess, plan: ImportPlan, watch: RunWatch, mark: ImportMark?, isOwn: Bool
  ) throws {
    self.graph = graph
    (self.access, self.plan, self.watch, self.mark, self.isOwn) = (access, plan, watch, mark, isOwn)
    let store = try access.storeLayout(of: plan.entities.map(\.name))
    layout = try TransferLayout(plan, into: store, prefix: "import\(Self.number())_")
  }

  private static let last = Locked(0)

  /// Tables of a caller's connection are never dropped, so each import has its own names.
  private static func number() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }

  func run(_ fill: (any ImportSink) throws -> Void) throws -> TransferReport? {
    if let mark, try access.metadata.value(mark.name) != nil { return nil }
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

  /// 2 MB, as SQLite counts it; with more it is slower.
  private static let cacheSize = -2000

  private func perform(_ fill: (any ImportSink) throws -> Void) throws -> TransferReport? {
    for table in layout.temporaryTables { try db.execute(sql: table.create) }
    defer { try? removeTables() }
    guard isOwn else {
      let rows = try stage(fill)
      return try db.deferringForeignKeys {
        try db.savepoint(isKept: !options.isDryRun) { try db.refusingDanglingReferences { try merge(rows) } }
      }
    }
    // A transaction that only writes temporary tables locks nobody out.
    var rows: (any StagingSink)?
    try db.inTransaction(.deferred) {
      rows = try stage(fill)
      return .commit
    }
    return try unchecked {
      var report: TransferReport?
      try db.inTransaction(.immediate) {
        report = try db.refusingDanglingReferences { try merge(rows!) }
        return report == nil || options.isDryRun ? .rollback : .commit
      }
      return report
    }
  }

  /// Writes without asking again for every reference whether its object is there, where they come from the maps of objects
  /// and nothing else refers to what is written.
  private func unchecked<T>(_ body: () throws -> T) throws -> T {
    let isOn = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
    guard isOn, try KeptForeignKeys(layout).hold(SchemaReader(db: db).foreignKeys()) else {
      return try body()
    }
    try db.execute(sql: "PRAGMA foreign_keys = OFF")
    defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
    return try body()
  }

  // MARK: Staging

  /// A caller's connection keeps the tables: a statement of its own may run.
  private func removeTables() throws {
    for table in try db.temporaryTables(layout.prefix) {
      try db.execute(sql: isOwn ? "DROP TABLE \(table)" : "DELETE FROM \(table)")
    }
  }

  private func stage(_ fill: (any ImportSink) throws -> Void) throws -> any StagingSink {
    let rows = try db.stagingSink(layout)
    // On a caller's connection rows are staged at once: reading them may use it, too.
    guard isOwn else {
      try fill(rows)
      return rows
    }
    let pipeline = StagingPipeline(rows, entities: layout.streams.count)
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

  private func merge(_ rows: any StagingSink) throws -> TransferReport? {
    let metadata = access.metadata
    if let mark, try metadata.value(mark.name) != nil { return nil }
    if isOwn { try db.execute(sql: "PRAGMA defer_foreign_keys = ON") }
    let report = try graph.keepingCoreData(access) { try merged(rows) }
    if let mark { try metadata.set(mark.text(), for: mark.name) }
    return report
  }

  private func merged(_ rows: any StagingSink) throws -> TransferReport {
    try TransferRun(layout.knowing(rows), in: db, watch: watch, rebuildsIndexes: isOwn).merge(plan, rows)
  }
}
