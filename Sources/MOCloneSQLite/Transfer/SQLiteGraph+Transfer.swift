import GRDB
import MOCloneEngine
import MOCloneSQL

extension SQLiteGraph: SyncingGraph, TransferGraph {
  /// Makes objects follow a full set of rows, which are staged in temporary tables first.
  public func sync(
    _ plan: SyncPlan, options: TransferOptions, source: String, _ fill: (any SyncSink) throws -> Void
  ) throws -> TransferReport {
    try moving(options) { try $0.sync(plan, watch: $1, source: source, fill: fill) }
  }

  /// Merges objects that share their identity, in statements whose number depends on the model alone.
  public func dedupe(_ request: DedupeRequest, options: TransferOptions) throws -> TransferReport {
    try options.whole { options in
      let plan = try DedupePlan(model, request: request)
      return try moving(options) { access, watch in
        try SQLiteGraph.with(access.db, model: model) {
          try access.dedupe(request, plan: plan, watch: watch, in: $0)
        }
      }
    }
  }
}
