import MOCloneEngine
import MOCloneModel

/// The objects of a sample graph that a plan clones with a root, found by walking the plan: what a run is measured by.
struct SampleClosure {
  /// In the order in which they are reached.
  private(set) var objects: [Int] = []
  /// The relationship that each object was first reached over, and the rule's reason; nil for the root.
  private(set) var accessPaths: [Int: RelationshipPlan] = [:]

  private struct Step: Hashable {
    var object: Int
    var node: Int
  }

  init(of root: SampleGraph.Object, by plan: ClonePlan, in graph: SampleGraph, _ model: SampleModel) {
    guard let start = plan.root(of: root.entity) else { return }
    let links = SampleLinks(graph)
    let entities = Dictionary(uniqueKeysWithValues: graph.objects.map { ($0.id, $0.entity) })
    objects = [root.id]
    var steps = [Step(object: root.id, node: start.id)]
    var seen = Set(steps)
    var next = 0
    while next < steps.count {
      let step = steps[next]
      next += 1
      for planned in plan.nodes[step.node].relationships where planned.rule == .clone {
        let end = model.end(planned.relationship)
        for other in end?.others(of: step.object, links) ?? [] where other != root.id {
          guard let node = planned.targets.first(where: { plan.nodes[$0].entity == entities[other] }) else {
            continue
          }
          if accessPaths[other] == nil {
            accessPaths[other] = planned
            objects.append(other)
          }
          let reached = Step(object: other, node: node)
          if seen.insert(reached).inserted { steps.append(reached) }
        }
      }
    }
  }
}
