import MOCloneModel

/// The ways of arriving from one root, each with the shortest path to it.
struct ReachedNodes {
  /// What makes two nodes of two plans the same way of arriving.
  struct Arrival: Hashable {
    var entity: String
    var relationship: String?

    init(_ node: PlanNode) {
      entity = node.entity
      relationship = node.arrival?.qualifiedName
    }
  }

  let plan: ClonePlan
  /// Breadth first.
  private(set) var arrivals: [Arrival] = []
  private var places: [Arrival: (node: Int, path: [String])] = [:]

  init(_ plan: ClonePlan, from root: String) {
    self.plan = plan
    if let node = plan.root(of: root) { add(node, path: []) }
    var next = 0
    while next < arrivals.count {
      let (id, path) = places[arrivals[next]]!
      for relationship in plan.nodes[id].relationships {
        let path = path + [relationship.relationship.qualifiedName]
        for target in relationship.targets { add(plan.nodes[target], path: path) }
      }
      next += 1
    }
  }

  private mutating func add(_ node: PlanNode, path: [String]) {
    let arrival = Arrival(node)
    guard places[arrival] == nil else { return }
    places[arrival] = (node.id, path)
    arrivals.append(arrival)
  }

  func node(_ arrival: Arrival) -> PlanNode? { places[arrival].map { plan.nodes[$0.node] } }

  func path(to arrival: Arrival) -> [String] { places[arrival]?.path ?? [] }

  /// What a cloned relationship brings that another plan does not reach in the same ways, itself at least.
  func objects(
    over relationship: RelationshipPlan, at arrival: Arrival, without other: ReachedNodes
  ) -> [CloneDifference.Reached] {
    let path = path(to: arrival) + [relationship.relationship.qualifiedName]
    var found: [CloneDifference.Reached] = []
    var seen: Set<Int> = Set(relationship.targets)
    var pending = relationship.targets.map { ($0, path) }
    while !pending.isEmpty {
      let (id, path) = pending.removeFirst()
      let node = plan.nodes[id]
      if !found.contains(where: { $0.entity == node.entity }) {
        found.append(CloneDifference.Reached(entity: node.entity, path: path))
      }
      guard other.node(Arrival(node)) == nil else { continue }
      for relationship in node.relationships {
        let next = relationship.targets.filter { seen.insert($0).inserted }
        pending += next.map { ($0, path + [relationship.relationship.qualifiedName]) }
      }
    }
    return found
  }
}
