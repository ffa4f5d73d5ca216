import MOCloneModel

extension MemoryGraph {
  /// Runs an operation that moves data: all or nothing, and taken back where it only looks.
  ///
  /// What is unique must be so when all is done.
  func transfer<Result>(_ options: TransferOptions, operation: () throws -> Result) throws -> Result {
    var result: Result?
    do {
      try store.atomically {
        result = try deferringUniqueness(operation)
        if options.isDryRun { throw DryRunEnd() }
      }
    } catch is DryRunEnd {}
    return result!
  }

  /// Does something that the graph's metadata does not say is done, and says so there.
  ///
  /// - Returns: nil where it was done before.
  func once(_ mark: ImportMark?, operation: () throws -> TransferReport) throws -> TransferReport? {
    guard let mark else { return try operation() }
    if try metadata(mark.name) != nil { return nil }
    let report = try operation()
    try setMetadata(mark.text(), for: mark.name)
    return report
  }

  /// Finds or makes objects for rows, and writes what the rows say.
  func write(
    _ rows: StagedRows, _ policy: TransferPolicy, _ options: TransferOptions, _ modified: ModifiedRule
  ) throws -> (write: RowWrite, report: TransferReport) {
    var match = RowMatch(rows, in: self, policy: policy, faults: RowFaults())
    try match.perform()
    var write = RowWrite(match, options: options, modified: modified)
    try write.perform()
    var report = write.counts.report(isDryRun: options.isDryRun)
    let skipped = match.skipped + write.skipped
    if !skipped.isEmpty { report.skipped = skipped }
    return (write, report)
  }
}

/// Takes back what a dry run did.
private struct DryRunEnd: Error {}

extension MemoryGraph: ImportingGraph {
  /// Finds or makes an object for every row; the rows are held in memory meanwhile.
  public func importRows(
    _ plan: ImportPlan, _ options: TransferOptions, mark: ImportMark?, _ fill: (any ImportSink) throws -> Void
  ) throws -> TransferReport? {
    try transfer(options) {
      try once(mark) {
        let rows = StagedRows(TransferPlan(plan))
        try fill(rows)
        let (write, report) = try write(rows, .import(plan), options, options.modified)
        try write.checkUnique()
        return report
      }
    }
  }
}

extension TransferPlan {
  /// Rows of a file, which change nothing that identifies an object; those that would change its key are refused.
  fileprivate init(_ plan: ImportPlan) {
    let entities = plan.entities.map { entity in
      var entity = entity
      entity.overwritten = Set(entity.attributes.map(\.name) + entity.references.map(\.name))
        .subtracting(entity.identifying)
      return entity
    }
    self.init(model: plan.model, entities: entities, joinRows: plan.joinRows)
  }
}
