/// Takes away what breaks a constraint, and what cannot be without it, until all constraints hold.
struct SamplePruning {
  private let faults: SampleFaults

  init(_ model: SampleModel) {
    faults = SampleFaults(model: model)
  }

  func pruned(_ graph: SampleGraph) -> SampleGraph {
    var graph = graph
    while true {
      let broken = Set(faults.faults(graph).map(\.object))
      if broken.isEmpty { return graph }
      graph = graph.without(broken)
    }
  }
}
