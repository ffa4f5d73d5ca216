import MOCloneKit
import MOCloneSQL

extension Console {
  /// Warns before a run by a plan of tables that it will scan, with the statements that add the missing indexes, and of
  /// derived values that it copies.
  static func warn(of plan: ClonePlan, in graph: any StoreGraph) throws {
    for index in try graph.check(plan) {
      note("warning: \(index.message(isFollowed: index.relationship != nil)) \(index.statement);")
    }
    for finding in try graph.copiedDerivations(plan) { note("warning: \(finding.message)") }
  }
}
