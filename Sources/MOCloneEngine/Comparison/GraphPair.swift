import MOCloneModel

/// A relationship as two models plan it at one access path; nil where a model has none there.
typealias RelationshipPair = (old: RelationshipPlan?, new: RelationshipPlan?)

/// The clones under two models, and what many access paths have in common.
final class GraphPair {
  let old: CloneGraph
  let new: CloneGraph
  let joins: (old: JoinedLists, new: JoinedLists)
  private var verdicts: [Key: Bool] = [:]
  /// Of each relationship of a graph: the same number for the same access paths behind it.
  private let numbers: (old: [Int], new: [Int])

  private struct Key: Hashable {
    var old: ObjectIdentifier?
    var new: ObjectIdentifier?
  }

  init(old: CloneGraph, new: CloneGraph) {
    self.old = old
    self.new = new
    joins = (JoinedLists(old), JoinedLists(new))
    var known: [Set<String>: Int] = [:]
    numbers = (Self.numbers(old, known: &known), Self.numbers(new, known: &known))
  }

  private static func numbers(_ graph: CloneGraph, known: inout [Set<String>: Int]) -> [Int] {
    zip(graph.names, graph.targets).map { name, targets in
      let step = Set(targets.map { graph.plan.nodes[$0].entity } + [name])
      if let number = known[step] { return number }
      known[step] = known.count
      return known.count - 1
    }
  }

  /// Whether clones hold a relationship otherwise.
  func differ(_ pair: RelationshipPair) -> Bool {
    let key = Key(old: pair.old?.identity, new: pair.new?.identity)
    if let verdict = verdicts[key] { return verdict }
    let verdict =
      RelationshipEffect(pair.old, in: old) != RelationshipEffect(pair.new, in: new)
      || RelationshipEffect.changeOfOrder(from: pair.old, to: pair.new) != nil
    verdicts[key] = verdict
    return verdict
  }

  /// Whether a node has the same access paths behind it in both graphs.
  func goesOnAlike(_ nodes: (old: PlanNode, new: PlanNode)) -> Bool {
    old.cloned[nodes.old.id].map { numbers.old[$0] } == new.cloned[nodes.new.id].map { numbers.new[$0] }
  }
}
