import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel

extension SQLiteGraph {
  /// Clones subtrees of another store into this one.
  ///
  /// Members of a subtree are always made. An object outside, which the subtree is linked to, is looked for here by
  /// what identifies it.
  ///
  /// - Parameter plan: what a subtree is, and the values of its clones unless the request keeps keys and values.
  /// - Throws: `CloneError` with everything that was found, `missing-linked` for links that lead nowhere here.
  @discardableResult
  public func clone(
    _ plan: ClonePlan, roots: [ObjectID], from source: SQLiteGraph, _ request: CutRequest = CutRequest(),
    run: MoveRun = MoveRun()
  ) throws -> CutResult {
    guard !request.keepsKeys || plan.request == CloneRequest(exclude: plan.request.exclude) else {
      throw CloneError(.invalidValue, "a cut-out keeps its values: nothing of it is set or counted")
    }
    let rules = try CopyRules(CopyRequest(identifiedBy: request.identifiedBy), model)
    let members = try source.members(of: plan, roots)
    if request.keepsKeys {
      let cut = CopyCut(members: members, missing: request.missing, keepsKeys: true, asked: plan.askedNames)
      return try self.cut(cut, rules, roots, from: source, run)
    }
    return try source.passing(plan, members, roots, rules, run) { clones, passed in
      let cut = CopyCut(members: clones.mapping.map(\.clone), missing: request.missing, keepsKeys: false)
      return try self.cut(cut, rules, clones.roots, from: passed, run)
    }
  }

  private func cut(
    _ cut: CopyCut, _ rules: CopyRules, _ roots: [ObjectID], from source: SQLiteGraph, _ run: MoveRun
  ) throws -> CutResult {
    try copying(from: source, run) { db, watch, schemas in
      let layout = try CopyLayout(
        rules: rules, mapping: mapping, source: schemas.source, target: schemas.target, cut: cut)
      let operation = CopyOperation(layout, db, watch, operation: .clone)
      let report = try operation.perform()
      return CutResult(roots: try roots.map { try operation.newKey(of: $0) }, report: report)
    }
  }

  /// The originals of a clone.
  private func members(of plan: ClonePlan, _ roots: [ObjectID]) throws -> [ObjectID] {
    try read { access in
      try CloneOperation(access: access, plan: plan, run: CloneRun(keepsMapping: true)).originals(roots)
    }
  }

  /// Cuts subtrees out into a store of their own and clones them there, where nothing else is in the way.
  private func passing(
    _ plan: ClonePlan, _ members: [ObjectID], _ roots: [ObjectID], _ rules: CopyRules, _ run: MoveRun,
    _ body: (CloneResult, SQLiteGraph) throws -> CutResult
  ) throws -> CutResult {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("moclone-\(UUID().uuidString).sqlite").path
    defer { for ending in ["", "-journal", "-wal", "-shm"] { unlink(path + ending) } }
    try read { try StoreSchemaCopy($0.db).makeTables(at: path) }
    var configuration = Configuration()
    // It holds a part of the tables and rows that references lead to.
    configuration.foreignKeysEnabled = false
    let passed = SQLiteGraph(try DatabaseQueue(path: path, configuration: configuration), model: model)
    let cut = CopyCut(
      members: members, missing: .create, keepsKeys: true, asked: plan.askedNames, isPassing: true)
    var quiet = run.quiet
    quiet.isDryRun = false
    _ = try passed.cut(cut, rules, [], from: self, quiet)
    let clones = try passed.run(
      plan, roots: roots, run: CloneRun(generator: run.generator, keepsMapping: true), saves: true)
    return try body(clones, passed)
  }
}

extension ClonePlan {
  /// The relationships that some object of a subtree asks for.
  fileprivate var askedNames: Set<String> {
    Set(nodes.flatMap(\.relationships).filter(\.rule.asks).map(\.relationship.qualifiedName))
  }
}
