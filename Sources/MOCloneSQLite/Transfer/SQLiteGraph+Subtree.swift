import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel

extension SQLiteGraph: SubtreeGraph {
  /// The originals of a clone.
  package func members(of plan: ClonePlan, _ roots: [ObjectID]) throws -> any ObjectList {
    let kept = try KeptPairs(mapping)
    var options = CloneOptions(keepsMapping: true)
    options.keeper = kept
    _ = try look { access in
      try CloneOperation(access: access, plan: plan, options: options).looking(from: roots) {
        try $0.originals($1)
      }
    }
    return kept.originals
  }

  package func pairKeeper() throws -> (any PairKeeping)? { try KeptPairs(mapping) }

  package func leavingBehind(
    _ ends: [OpenEnd], by plan: ClonePlan, _ roots: [ObjectID]
  ) throws -> Set<String> {
    try look { access in
      try CloneOperation(access: access, plan: plan, options: CloneOptions(keepsMapping: true))
        .looking(from: roots) { try $0.leavingBehind(ends, of: $1) }
    }
  }

  package func passing<Result>(_ body: (any SubtreeGraph) throws -> Result) throws -> Result {
    try StoreFile.withTemporary { path in
      var configuration = Configuration()
      // Rows come from this store, which may be locked now and then.
      configuration.busyMode = try read { $0.db.configuration.busyMode }
      // It holds a part of the tables and rows that references lead to.
      configuration.foreignKeysEnabled = false
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      let files = try read { access in
        try queue.writeWithoutTransaction {
          try StoreSchemaCopy(db: access.db).makeTables(of: model, access.mapping, in: $0)
        }
        return try ExternalFiles(of: access.path)
      }
      if mapping.coreData != nil { try ExternalFiles(of: path).link(to: files) }
      return try body(SQLiteGraph(owning: queue, model: model, coreData: nil, isDraft: true))
    }
  }
}
