import MOCloneModel

/// The access paths from one root, and the shortest path to each.
struct ReachedNodes {
  let graph: CloneGraph
  /// By the number of the node, breadth first.
  private(set) var nodes: [Int] = []
  /// Of each node: the one before it on the shortest path, itself for the root, -1 where it is not reached.
  private var parents: [Int]
  /// Of each node: the length of the shortest path.
  private var depths: [Int]
  /// Of each node: the last one of the path's beginning, which is kept where the path is cut.
  private var heads: [Int]

  init(_ graph: CloneGraph, from root: Int) {
    self.graph = graph
    parents = Array(repeating: -1, count: graph.plan.nodes.count)
    depths = Array(repeating: 0, count: parents.count)
    heads = depths
    var isTaken = Array(repeating: false, count: graph.names.count)
    parents[root] = root
    nodes = [root]
    var next = 0
    while next < nodes.count {
      let node = nodes[next]
      // All that clone a relationship reach the same nodes.
      for relationship in graph.cloned[node] where !isTaken[relationship] {
        isTaken[relationship] = true
        for target in graph.targets[relationship] {
          parents[target] = node
          depths[target] = depths[node] + 1
          heads[target] = depths[node] < PathEnds.first ? target : heads[node]
          nodes.append(target)
        }
      }
      next += 1
    }
  }

  func contains(_ node: Int) -> Bool { parents[node] >= 0 }

  /// Whether an access path of another graph is reached here too.
  func reaches(_ node: PlanNode) -> Bool { graph.node(like: node).map { contains($0.id) } ?? false }

  /// Only what is kept of a long path is walked.
  func path(to node: Int) -> [String] {
    guard depths[node] > PathEnds.longest else { return steps(depths[node], to: node) }
    return steps(PathEnds.first, to: heads[node]) + ["..."] + steps(PathEnds.last, to: node)
  }

  /// The last relationships on the path to a node.
  private func steps(_ count: Int, to node: Int) -> [String] {
    var steps: [String] = []
    var node = node
    while steps.count < count, let relationship = graph.accessPaths[node] {
      steps.append(graph.names[relationship])
      node = parents[node]
    }
    return steps.reversed()
  }

  /// What a cloned relationship brings that another graph does not reach in the same ways, itself at least.
  func objects(
    over relationship: RelationshipPlan, at node: Int, without other: ReachedNodes
  ) -> [CloneDifference.Reached] {
    let path = (path(to: node) + [relationship.relationship.qualifiedName]).withoutMiddle
    var found: [CloneDifference.Reached] = []
    var entities: Set<String> = []
    var seen = Set(relationship.targets)
    var pending = relationship.targets.map { (node: $0, path: path) }
    var next = 0
    while next < pending.count {
      let (id, path) = pending[next]
      let node = graph.plan.nodes[id]
      next += 1
      if entities.insert(node.entity).inserted { found.append(.init(entity: node.entity, path: path)) }
      guard !other.reaches(node) else { continue }
      for relationship in graph.cloned[id] {
        let targets = graph.targets[relationship].filter { seen.insert($0).inserted }
        let longer = (path + [graph.names[relationship]]).withoutMiddle
        pending += targets.map { ($0, longer) }
      }
    }
    return found
  }
}

/// What is kept of a long path, so that reports of chains do not grow with their square.
private enum PathEnds {
  static let first = 3
  static let last = 12
  /// With the mark between them.
  static let longest = first + 1 + last
}

extension [String] {
  /// A path; of a long one its beginning and its end.
  fileprivate var withoutMiddle: [String] {
    count > PathEnds.longest ? prefix(PathEnds.first) + ["..."] + suffix(PathEnds.last) : self
  }
}
