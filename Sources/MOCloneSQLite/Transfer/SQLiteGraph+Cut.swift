import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel

extension SQLiteGraph: SubtreeGraph {
  /// Clones subtrees of another graph into this one.
  ///
  /// Members of a subtree are always made. An object outside, which the subtree is linked to, is looked for here by
  /// what identifies it.
  ///
  /// - Parameters:
  ///   - plan: what a subtree is, and the values of its clones unless the request keeps keys and values.
  ///   - roots: the roots, in the order given.
  ///   - source: the graph to read from.
  ///   - request: what is asked for.
  ///   - run: how the run reports and whether it only looks.
  /// - Throws: `CloneError` with everything that was found, `missing-linked` for links that lead nowhere here.
  @discardableResult
  public func clone(
    _ plan: ClonePlan, roots: [ObjectID], from source: any ObjectGraph, _ request: CutRequest = CutRequest(),
    run: MoveRun = MoveRun()
  ) throws -> CutResult {
    try cloned(plan, roots: roots, from: source, request: request, run: run)
  }

  package func bring(
    _ cut: CopyCut, rules: CopyRules, roots: [ObjectID], from source: any ObjectGraph, run: MoveRun
  ) throws -> CutResult {
    try transferring(from: source, rules, policy: .cut(cut), cut: cut, run: run) { _, transfer in
      let report = try transfer.copy()
      return CutResult(roots: try roots.map { try transfer.newKey(of: $0) }, report: report)
    }
  }

  /// The originals of a clone.
  package func members(of plan: ClonePlan, _ roots: [ObjectID]) throws -> [ObjectID] {
    try look { access in
      try CloneOperation(access: access, plan: plan, run: CloneRun(keepsMapping: true)).originals(roots)
    }
  }

  package func passing<Result>(_ body: (any SubtreeGraph) throws -> Result) throws -> Result {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("moclone-\(UUID().uuidString).sqlite").path
    defer { for ending in ["", "-journal", "-wal", "-shm"] { unlink(path + ending) } }
    let files = try read { access in
      try StoreSchemaCopy(access.db).makeTables(at: path)
      return try ExternalFiles(of: access.path)
    }
    defer { ExternalFiles(of: path).unlink() }
    try ExternalFiles(of: path).link(to: files)
    var configuration = Configuration()
    // It holds a part of the tables and rows that references lead to.
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    return try body(SQLiteGraph(owning: queue, model: model, coreData: nil))
  }
}
