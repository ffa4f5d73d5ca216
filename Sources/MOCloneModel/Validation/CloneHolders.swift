/// Which entities' clones may hold objects of an entity, each looked up once.
struct CloneHolders {
  private let graph: GraphChecks
  private var known: [String: Set<String>] = [:]
  /// How many entities may yet be passed.
  var stepsLeft = GraphChecks.mostSteps * 10

  init(_ graph: GraphChecks) {
    self.graph = graph
  }

  /// The entities above an entity, itself among them.
  mutating func of(_ entity: String) -> Set<String> {
    if let holders = known[entity] { return holders }
    let ways = graph.model.concreteEntities(of: entity).flatMap { graph.edges.waysUp(from: $0) }
    stepsLeft -= ways.count
    let found = Set(ways.map(\.entity))
    known[entity] = found
    return found
  }
}
