import MOCloneModel

extension MemoryGraph: ImportingGraph {
  public func importRows(
    _ plan: ImportPlan, _ run: MoveRun, mark: ImportMark?, _ fill: (any ImportSink) throws -> Void
  ) throws -> MoveReport? {
    if let mark, try metadata(mark.name) != nil { return nil }
    var report: MoveReport?
    do {
      try atomically {
        let rows = MemoryImport(self, plan, run)
        try fill(rows)
        try rows.finish()
        report = rows.report
        if run.isDryRun { throw DryRunEnd() }
        if let mark { try setMetadata(mark.text(), for: mark.name) }
      }
    } catch is DryRunEnd {}
    return report
  }
}

/// Takes back what a dry run did.
private struct DryRunEnd: Error {}
