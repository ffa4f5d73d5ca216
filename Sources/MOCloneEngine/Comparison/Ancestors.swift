import MOCloneModel

/// Where the followers in the clones of one root find their values.
final class Ancestors {
  private let reached: ReachedNodes
  private var known: [FollowSlot: [String: Set<String>]] = [:]

  init(_ reached: ReachedNodes) {
    self.reached = reached
  }

  /// The entities that the nearest ancestor with a value can be of, for objects of an entity that are not the root.
  func entities(_ slot: FollowSlot, above entity: String) -> Set<String> {
    if known[slot] == nil { known[slot] = search(slot) }
    return known[slot]![entity] ?? []
  }

  /// One answer for an entity, however it is reached, as the planner has it.
  private func search(_ slot: FollowSlot) -> [String: Set<String>] {
    let above = carried(slot)
    var found: [String: Set<String>] = [:]
    for node in reached.nodes {
      guard let accessPath = reached.graph.accessPaths[node], !above[accessPath].isEmpty else { continue }
      found[reached.graph.plan.nodes[node].entity, default: []].formUnion(above[accessPath])
    }
    return found
  }

  /// What comes down over each relationship, passed on until nothing more comes.
  private func carried(_ slot: FollowSlot) -> [Set<String>] {
    let graph = reached.graph
    let providers = graph.providers[slot] ?? []
    var above: [Set<String>] = Array(repeating: [], count: graph.names.count)
    if providers.isEmpty { return above }
    var isDone = false
    while !isDone {
      isDone = true
      // An object has one path, so what it hands on can come down over any access path of its entity.
      let handedOn = reached.nodes.reduce(into: [String: Set<String>]()) { sets, node in
        guard let accessPath = graph.accessPaths[node] else { return }
        sets[graph.plan.nodes[node].entity, default: []].formUnion(above[accessPath])
      }
      for node in reached.nodes {
        let entity = graph.plan.nodes[node].entity
        let isRoot = graph.accessPaths[node] == nil
        let own = providers.contains(entity) ? [entity] : isRoot ? [] : handedOn[entity]!
        for relationship in graph.cloned[node] where !own.isSubset(of: above[relationship]) {
          above[relationship].formUnion(own)
          isDone = false
        }
      }
    }
    return above
  }
}
