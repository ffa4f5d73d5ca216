import MOCloneModel

extension MemoryGraph: SubtreeGraph {
  package func members(of plan: ClonePlan, _ roots: [ObjectID]) throws -> any ObjectList {
    try Set(MemoryCloner(graph: self).originals(roots, plan))
  }

  package func passing<Result>(_ body: (any SubtreeGraph) throws -> Result) throws -> Result {
    try body(MemoryGraph(model: model, checksUniqueValues: false))
  }

  /// None.
  package func computedAttributes() -> Set<String> { [] }

  @discardableResult
  package func reading<Result>(_ body: () throws -> Result) throws -> Result { try body() }

  package func copySubtree(
    _ subtree: CopiedSubtree, rules: CopyRules, roots: [ObjectID], from source: any ObjectGraph,
    options: TransferOptions
  ) throws -> SubtreeResult {
    let policy = TransferPolicy.subtree(subtree)
    return try transfer(options) {
      let (rows, numbers) = try options.reading(source) {
        try GraphRows(
          rules, options: options, modified: options.modified, from: source, in: store.layout,
          subtree: subtree
        ).staged()
      }
      let (write, report) = try write(rows, policy, options, options.modified)
      let made = roots.compactMap { numbers[$0].flatMap { write.objects[$0] } }
      return SubtreeResult(roots: made.map(objectID), report: report)
    }
  }
}
