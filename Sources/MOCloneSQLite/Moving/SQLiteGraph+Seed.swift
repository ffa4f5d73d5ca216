import GRDB
import MOCloneEngine
import MOCloneModel

extension SQLiteGraph {
  /// Merges a local store into this one: a copy whose new objects were changed now, after which duplicates are merged.
  ///
  /// The source stays as it is; ``hasCounterparts(of:identifiedBy:seeded:)`` tells whether it can go.
  ///
  /// - Throws: as ``copy(from:_:run:)``.
  @discardableResult
  public func seed(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest = [:], run: MoveRun = MoveRun()
  ) throws -> MoveReport {
    guard let source = source as? SQLiteGraph else { throw Self.otherKind }
    let rules = try CopyRules(CopyRequest(identifiedBy: request), model)
    return try copying(from: source, run) { db, watch, schemas in
      let layout = try CopyLayout(
        rules: rules, mapping: mapping, source: schemas.source, target: schemas.target)
      return try once(run, .seed, db) {
        var report = try CopyOperation(layout, db, watch, operation: .seed, stampsNew: true).perform()
        guard !run.isDryRun else { return report }
        report.merged = try SQLiteGraph.with(db, model: model) { graph in
          try graph.dedupe(DedupeRequest(identifiedBy: request), run: run)
        }.merged
        return report
      }
    }
  }
}
