import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension PostgresGraph {
  /// Runs an operation that moves data under a watch, in a transaction, or in a savepoint of the one that is under way.
  ///
  /// A dry run is the same operation, rolled back, so that it meets whatever the run would meet.
  ///
  /// - Parameters:
  ///   - entities: those whose tables are read or written; nil for all.
  ///   - retries: how often the body may run again after a conflict with another transaction.
  func moving<Result>(
    _ options: TransferOptions, of entities: Set<String>? = nil, retries: Int = 1,
    body: (RowAccess<PostgresConnection>, RunWatch) throws -> Result
  ) throws -> Result {
    var result: Result?
    do {
      return try write(holding: tables(.writes), retries: options.isDryRun ? 0 : retries) { access in
        try checkVisible(entities)
        let watch = RunWatch(options)
        result = try connection.watched(by: watch) { try body(access, watch) }
        if options.isDryRun { throw TakenBack() }
        return result!
      }
    } catch is TakenBack {
      return result!
    } catch {
      throw refusedAtEnd(error)
    }
  }

  /// - Parameters:
  ///   - entities: those that are read; nil for all of the model.
  ///   - andReferred: whether what their rows refer to is looked up as well.
  /// - Throws: `CloneError` where what the role sees of their tables is not all that they hold.
  private func checkVisible(_ entities: Set<String>?, andReferred: Bool = false) throws {
    let tables = StoreCheck.tables(
      among: entities ?? Set(model.entities.map(\.name)), andReferred: andReferred, model, mapping: mapping)
    try PostgresTableState.check(tables.sorted(), in: connection)
  }

  package func withRows<Result>(
    of entities: Set<String>?, makesTables: Bool, _ body: (SourceRows) throws -> Result
  ) throws -> Result? {
    func rows(_ access: RowAccess<PostgresConnection>) throws -> Result {
      try checkVisible(entities, andReferred: true)
      let rows = try SourceRows(access) { [self] plan, roots, body in
        let session = try session(plan, options: CloneOptions(), dialect: .postgresForLooking)
        try CloneExecutor(session, plan: plan, options: CloneOptions()).eachClosure(
          of: existing(roots, plan: plan, access: access), body)
      }
      return try connection.sorting { try body(rows) }
    }
    let tables = try tables(.reads)
    guard makesTables else { return try read(holding: tables, rows) }
    return try look(holding: tables) { try self.makesTables() ? rows($0) : nil }
  }

  /// The dialect of a run, by who makes its UUIDs.
  private func dialect(_ options: TransferOptions) -> Dialect {
    options.generator.isRandom ? .postgres : .postgresWithGivenUUIDs
  }
}

extension PostgresGraph: TransferGraph {
  /// Merges objects that share their identity, in statements whose number depends on the model alone.
  public func dedupe(_ request: DedupeRequest, options: TransferOptions) throws -> TransferReport {
    try options.whole { options in
      let plan = try DedupePlan(model, request: request)
      return try moving(options) {
        try $0.dedupe(request, plan: plan, watch: $1, in: self, dialect: dialect(options))
      }
    }
  }
}

extension PostgresGraph: SyncingGraph {
  /// Makes objects follow a full set of rows, which are staged in temporary tables first.
  public func sync(
    _ plan: SyncPlan, options: TransferOptions, source: String, _ fill: (any SyncSink) throws -> Void
  ) throws -> TransferReport {
    try moving(options, retries: 0) {
      try $0.sync(plan, watch: $1, source: source, in: dialect(options), fill: fill)
    }
  }
}

extension PostgresGraph: ImportingGraph {
  /// None: the objects lie in a server.
  public var files: [String] { [] }

  /// Rows are gathered in temporary tables by COPY and merged from there, in one transaction; memory does not grow with
  /// them.
  ///
  /// A dry run is the same, rolled back.
  public func importRows(
    _ plan: ImportPlan, _ options: TransferOptions, mark: ImportMark?, _ fill: (any ImportSink) throws -> Void
  ) throws -> TransferReport? {
    try moving(options, retries: 0) { access, watch in
      if let mark, try access.metadata.value(mark.name) != nil { return nil }
      let store = try access.storeLayout(of: plan.entities.map(\.name), in: dialect(options))
      let layout = try TransferLayout(plan, into: store, prefix: "import_")
      for table in layout.temporaryTables {
        for statement in table.setUp { try connection.execute(statement) }
      }
      let rows = connection.stagingSink(layout)
      try fill(rows)
      try rows.finish()
      let report = try connection.deferringForeignKeys {
        try TransferRun(layout.knowing(rows), in: connection, watch: watch).merge(plan, rows)
      }
      if let mark { try access.metadata.set(mark.text(), for: mark.name) }
      return report
    }
  }
}

extension PostgresGraph: CopyingGraph, RowGraph {
  /// Merges a local store into this one: a copy whose new objects were changed now, after which duplicates are merged. What
  /// is marked as done once there is done here, too.
  ///
  /// - Throws: as `copyObjects(from:_:options:)`.
  @discardableResult
  public func seed(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest = [:],
    options: TransferOptions = TransferOptions()
  ) throws -> TransferReport {
    try seed(from: source, identifiedBy: request, options: options) { _, options in
      try dedupe(DedupeRequest(identifiedBy: request), options: options)
    }
  }

  package func unnamedContents(sharing target: StoreSchema?) throws -> [String] {
    try read(holding: tables(.reads)) { try $0.unnamedColumns(sharing: target, where: false) }
  }

  /// Runs a closure in a transaction, which a dry run takes back, in which the objects of a source are at hand.
  package func transferring<Result>(
    from source: any ObjectGraph, _ rules: CopyRules, policy: TransferPolicy, subtree: CopiedSubtree?,
    options: TransferOptions, body: (RowAccess<PostgresConnection>, TransferRun) throws -> Result
  ) throws -> Result {
    try source.checkModel(model)
    try refuseItself(source)
    return try StagedSource.open(source, into: self, rules: rules, subtree: subtree) { source in
      try moving(options, of: EntityReach(rules, of: subtree)?.entities) { access, watch in
        let store = try access.storeLayout(in: dialect(options))
        let tables = try SourceTables(staging: store, sharing: source.layout(like: store))
        let rules = try rules.knowing(store, subtree: subtree) { try source.layout() }
        let layout = try TransferLayout(rules, policy: policy, from: tables, into: store, subtree: subtree)
        return try access.staging(source, in: layout, watch: watch, body: body)
      }
    }
  }
}
