import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension SQLiteGraph {
  /// Copies objects of another graph into this one, with everything they are related to, each once.
  ///
  /// Objects are found by what identifies them, made where they are not there, and related to each other as in the
  /// source, which is only read. All happens in one transaction of its own, or in a savepoint of the caller's, or nothing
  /// does.
  ///
  /// Another store is attached: the number of statements depends on the model alone, and memory does not grow with the
  /// objects. Objects of a graph of any other kind are staged in temporary tables first, by one prepared statement a
  /// table that runs once for each of them; SQLite keeps these tables in a file.
  ///
  /// - Returns: what was done, or would be where the run only looks.
  /// - Throws: `CloneError` with everything that was found: `store-mismatch` where one of the stores does not fit the
  ///   model, `ambiguous-identity`, `required-left-empty`, `unique-value`; `CancellationError`.
  @discardableResult
  public func copy(
    from source: any ObjectGraph, _ request: CopyRequest = CopyRequest(), run: MoveRun = MoveRun()
  ) throws -> MoveReport {
    let rules = try CopyRules(request, model)
    return try transferring(from: source, rules, .copy(rules), run) { db, transfer in
      try once(run, .copy, db) { try transfer.copy() }
    }
  }

  /// Runs a closure in a transaction, which a dry run takes back, in which the objects of a source are at hand.
  func transferring<Result>(
    from source: any ObjectGraph, _ rules: CopyRules, _ policy: TransferPolicy, cut: CopyCut? = nil,
    _ run: MoveRun, _ body: (Database, TransferRun) throws -> Result
  ) throws -> Result {
    let attached = source as? SQLiteGraph
    let there = try attached.map { SourceTables(attached: try $0.fittingSchema("the source")) }
    let store = StoreLayout(model: model, mapping: mapping, schema: try fittingSchema("the store"))
    let layout = try TransferLayout(
      rules, policy, from: there ?? SourceTables(staging: store), into: store, cut: cut)
    guard let attached else { return try staging(source, rules, layout, run, body) }
    return try attached.withFile { path in
      try moving(run, attaching: CopySource(path: path)) { access, watch in
        try refuseOwnFile(path, access.db)
        return try body(access.db, TransferRun(layout, access.db, watch))
      }
    }
  }

  private func staging<Result>(
    _ source: any ObjectGraph, _ rules: CopyRules, _ layout: TransferLayout, _ run: MoveRun,
    _ body: (Database, TransferRun) throws -> Result
  ) throws -> Result {
    guard source.model == model else {
      throw CloneError(.storeMismatch, "the source has another model, '\(source.model.name)'")
    }
    let selection = try GraphSelection(rules, from: source, cut: layout.cut)
    return try moving(run) { access, watch in
      let db = access.db
      return try db.deferringForeignKeys {
        let staging = GraphStaging(selection, layout, db, run)
        let result = try body(db, TransferRun(layout, db, watch, staging: staging))
        for table in try db.temporaryTables(layout.prefix) { try db.execute(sql: "DELETE FROM \(table)") }
        return result
      }
    }
  }

  /// Does something that the store's metadata does not say is done, and says so there.
  func once(
    _ run: MoveRun, _ operation: MoveReport.Operation, _ db: Database, _ body: () throws -> MoveReport
  ) throws -> MoveReport {
    guard let once = run.once else { return try body() }
    let table = MetadataTable(db: db)
    guard try table.value(once.name) == nil else {
      var report = MoveReport(operation, isDryRun: run.isDryRun)
      report.reason = "'\(once.name)' was done before"
      return report
    }
    let report = try body()
    try report.checkNotEmpty(once)
    try table.set(OnceMark(.done, hash: once.hash, at: run.generator.now()).text, for: once.name)
    return report
  }

  private func refuseOwnFile(_ path: String, _ db: Database) throws {
    let own = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'") ?? ""
    let resolved = [own, path].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
    guard !own.isEmpty, resolved[0] == resolved[1] else { return }
    throw CloneError(.invalidValue, "'\(path)' cannot be copied into itself")
  }

  /// The schema of the store's tables.
  ///
  /// - Throws: `CloneError` with everything in which the store differs from the model.
  func fittingSchema(_ name: String) throws -> StoreSchema {
    let schema = try read { access in
      let tables = StoreCheck.tables(of: model.entities.map(\.name), model, mapping)
      return try SchemaReader(db: access.db, mapping: mapping).schema(of: tables)
    }
    let findings = StoreValidator(schema: schema, model: model).findings.filter { $0.severity == .error }
    guard findings.isEmpty else {
      throw CloneError(
        findings.map { .init($0.code, "\(name) does not match the model: \($0.message)") })
    }
    return schema
  }

  /// The file of the store for the time of a closure; a store in memory is written to a temporary one.
  func withFile<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = try read {
      try String.fetchOne($0.db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'")
    }
    if let path, !path.isEmpty { return try body(path) }
    let temporary = FileManager.default.temporaryDirectory
      .appendingPathComponent("moclone-\(UUID().uuidString).sqlite").path
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    let queue = try DatabaseQueue(path: temporary)
    try read { access in try queue.writeWithoutTransaction { try access.db.backup(to: $0) } }
    try queue.close()
    return try body(temporary)
  }
}

extension SQLiteGraph: CopyingGraph {
  /// Copies objects of another graph of the same model, as ``copy(from:_:run:)`` does.
  public func copyObjects(
    from source: any ObjectGraph, _ request: CopyRequest, run: MoveRun
  ) throws -> MoveReport {
    try copy(from: source, request, run: run)
  }
}
