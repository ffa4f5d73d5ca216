import MOCloneModel

extension MemoryGraph: SubtreeGraph {
  package func members(of plan: ClonePlan, _ roots: [ObjectID]) throws -> any ObjectList {
    try Set(MemoryCloner(graph: self).originals(roots, plan))
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
      let (rows, numbers) = try run.reading(source) {
        try GraphRows(
          rules, run: run, modified: run.modified, from: source, in: store.layout, cut: cut
        ).staged()
      }
      let (write, report) = try write(rows, policy, run, run.modified)
      let made = roots.compactMap { numbers[$0].flatMap { write.objects[$0] } }
      return CutResult(roots: made.map(objectID), report: report)
    }
  }
}
