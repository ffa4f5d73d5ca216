import GRDB
import MOCloneEngine
import MOCloneModel

extension SQLiteGraph {
  /// Merges a local store into this one: a copy whose new objects were changed now, after which duplicates are merged.
  ///
  /// The source stays as it is; ``hasCounterparts(of:_:seeded:)`` tells whether it can go.
  ///
  /// - Throws: as ``copy(from:_:run:)``.
  @discardableResult
  public func seed(
    from source: SQLiteGraph, identifiedBy request: IdentityRequest = [:], run: MoveRun = MoveRun()
  ) throws -> MoveReport {
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

  /// Whether every object of a source has its counterpart here.
  ///
  /// - Parameter seeded: what the seed made, for entities whose objects nothing identifies.
  public func hasCounterparts(
    of source: SQLiteGraph, identifiedBy request: IdentityRequest, seeded: MoveReport
  ) throws -> Bool {
    guard seeded.skipped == nil else { return false }
    let again = try copy(from: source, CopyRequest(identifiedBy: request), run: MoveRun(isDryRun: true))
    let identities = try Identities(model, identifiedBy: request)
    return try model.entities.filter { !$0.isAbstract }.allSatisfy { entity in
      let missing = again.created?[entity.name] ?? 0
      if identities[entity.name] != nil { return missing == 0 }
      // Each of these was made, so it would be made again.
      let count = try source.objectIDs(entity.name).filter { $0.entity == entity.name }.count
      return missing == count && seeded.created?[entity.name] ?? 0 == count
    }
  }
}
