import MOCloneModel

extension MemoryGraph: SubtreeGraph {
  /// Clones subtrees of another graph, of any kind, into this one.
  ///
  /// Members of a subtree are always made. An object outside, which the subtree is linked to, is looked for here by
  /// what identifies it. Keys that are kept must be integers.
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

  package func members(of plan: ClonePlan, _ roots: [ObjectID]) throws -> [ObjectID] {
    try MemoryCloner(graph: self).originals(roots, plan)
  }

  package func passing<Result>(_ body: (any SubtreeGraph) throws -> Result) throws -> Result {
    try body(MemoryGraph(model: model, checksUniqueValues: false))
  }

  @discardableResult
  package func reading<Result>(_ body: () throws -> Result) throws -> Result { try body() }

  package func bring(
    _ cut: CopyCut, rules: CopyRules, roots: [ObjectID], from source: any ObjectGraph, run: MoveRun
  ) throws -> CutResult {
    let policy = TransferPolicy.cut(cut)
    return try transfer(run) {
      let (rows, numbers) = try source.inOneState {
        try GraphRows(
          rules, policy: policy, modified: run.modified, from: source, in: store.layout, cut: cut
        ).staged()
      }
      let (write, report) = try write(rows, policy, run, run.modified)
      let made = roots.compactMap { numbers[$0].flatMap { write.objects[$0] } }
      return CutResult(roots: made.map(objectID), report: report)
    }
  }
}
