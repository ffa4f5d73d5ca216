import GRDB
import MOCloneEngine
import MOCloneSQL

extension SQLiteGraph: SyncingGraph, MovingGraph {
  /// Makes objects follow a full set of rows, which are staged in temporary tables first.
  public func sync(
    _ plan: SyncPlan, run: MoveRun, source: String, _ fill: (any SyncSink) throws -> Void
  ) throws -> MoveReport {
    try moving(run) { try $0.sync(plan, watch: $1, source: source, fill: fill) }
  }

  /// Merges objects that share their identity, in statements whose number depends on the model alone.
  public func dedupe(_ request: DedupeRequest, run: MoveRun) throws -> MoveReport {
    try run.whole { run in
      let plan = try DedupePlan(model, request: request)
      return try moving(run) { access, watch in
        try SQLiteGraph.with(access.db, model: model) {
          try access.dedupe(request, plan: plan, watch: watch, in: $0)
        }
      }
    }
  }
}
