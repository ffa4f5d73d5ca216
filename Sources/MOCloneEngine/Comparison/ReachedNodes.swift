import MOCloneModel

/// The ways of arriving from one root, and the shortest path to each.
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
  private let follow: FollowAnalysis
  private var numbers: [Arrival: Int] = [:]
  /// Of each node: the one before it on the shortest path, -1 for the root, nil where it is not reached.
  private var parents: [Int?]

  init(_ plan: ClonePlan, from root: String) {
    self.plan = plan
    follow = FollowAnalysis(
      model: plan.model, keys: plan.request.annotationKeys ?? plan.model.userInfoKeys, nodes: plan.nodes)
    parents = Array(repeating: nil, count: plan.nodes.count)
    var pending: [Int] = []
    if let node = plan.root(of: root) {
      parents[node.id] = -1
      pending = [node.id]
    }
    var next = 0
    while next < pending.count {
      let id = pending[next]
      let arrival = Arrival(plan.nodes[id])
      numbers[arrival] = id
      arrivals.append(arrival)
      for target in plan.nodes[id].relationships.flatMap(\.targets) where parents[target] == nil {
        parents[target] = id
        pending.append(target)
      }
      next += 1
    }
  }

  /// The entities that the nearest ancestor with a value can be of, for objects of an entity; of the root none.
  func ancestors(_ slot: FollowSlot, of node: PlanNode) -> [String] {
    guard !node.isRoot else { return [] }
    return follow.providers(of: slot, for: node.entity).nodes.map(\.entity).uniqued().sorted()
  }

  func node(_ arrival: Arrival) -> PlanNode? { numbers[arrival].map { plan.nodes[$0] } }

  func path(to arrival: Arrival) -> [String] {
    var path: [String] = []
    var id = numbers[arrival] ?? -1
    while id >= 0, let relationship = plan.nodes[id].arrival {
      path.append(relationship.qualifiedName)
      id = parents[id] ?? -1
    }
    return path.reversed()
  }

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
