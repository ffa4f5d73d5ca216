import MOCloneModel

/// Where the nearest ancestor with a followed attribute can be, read off the plan's edges.
struct FollowAnalysis {
  let slots: [FollowSlot]
  private let model: ObjectModel
  private let nodes: [PlanNode]
  private let parents: [[Int]]

  init(model: ObjectModel, keys: AnnotationKeys, nodes: [PlanNode]) {
    self.model = model
    self.nodes = nodes
    slots = Self.slots(nodes.map(\.entity), in: model, keys: keys)
    parents = slots.isEmpty ? [] : PlanNode.parents(nodes)
  }

  /// What the attributes of some entities follow.
  static func slots(_ entities: [String], in model: ObjectModel, keys: AnnotationKeys) -> [FollowSlot] {
    entities.uniqued().flatMap(model.attributes).compactMap { slot(of: $0, keys: keys) }.uniqued()
  }

  static func slot(of attribute: AttributeDescription, keys: AnnotationKeys) -> FollowSlot? {
    guard !attribute.isTransient, !attribute.isKeptByTriggers, !attribute.userInfo.isEmpty else { return nil }
    return CloneAnnotations(userInfo: attribute.userInfo, keys: keys).followParent.map {
      FollowSlot(attribute: $0.attribute, type: attribute.type, entity: $0.entity)
    }
  }

  /// One answer for an entity, however it was reached: an object has one path, whatever other ways lead to it.
  func sources(of slot: FollowSlot, for entity: String) -> FollowSources {
    let above = AncestorNodes(of: slot, above: entity, in: model, nodes: nodes, parents: parents)
    if above.providers.isEmpty { return .none }
    return above.providers.allSatisfy { nodes[$0].isRoot } && !above.isMissing ? .root : .carried
  }
}

/// The nodes at which the ancestors of an entity's objects can stand, up to the nearest that has a followed attribute.
///
/// An object has one path, whatever other access paths lead to it: what lies above it can have been reached over any
/// access path of its entity, also over one from which the object itself cannot be reached.
package struct AncestorNodes {
  /// Nodes whose objects have the attribute.
  package private(set) var providers: Set<Int> = []
  /// Nodes whose objects lack it and hand on what their own ancestors have.
  package private(set) var carriers: Set<Int> = []
  /// Whether some path down from the root has no such ancestor.
  package private(set) var isMissing = false

  init(
    of slot: FollowSlot, above entity: String, in model: ObjectModel, nodes: [PlanNode], parents: [[Int]]
  ) {
    let byEntity = Dictionary(grouping: nodes.filter { !$0.isRoot }, by: \.entity)
    var seen: Set<String> = [entity]
    var pending = [entity]
    while let next = pending.popLast() {
      for parent in (byEntity[next] ?? []).flatMap({ parents[$0.id] }) {
        let node = nodes[parent]
        if model.provides(slot, entity: node.entity) {
          providers.insert(parent)
        } else if node.isRoot {
          isMissing = true
        } else {
          carriers.formUnion(byEntity[node.entity]!.map(\.id))
          if seen.insert(node.entity).inserted { pending.append(node.entity) }
        }
      }
    }
    // Each object of an entity can be reached over any of its nodes.
    providers.formUnion(providers.flatMap { nodes[$0].isRoot ? [] : byEntity[nodes[$0].entity]!.map(\.id) })
  }

  /// What lies above an entity of a plan.
  package init(of slot: Int, above entity: String, in plan: ClonePlan) {
    self.init(
      of: plan.slots[slot], above: entity, in: plan.model, nodes: plan.nodes,
      parents: PlanNode.parents(plan.nodes))
  }
}

extension PlanNode {
  /// Of each node: those whose cloned relationships reach it.
  static func parents(_ nodes: [PlanNode]) -> [[Int]] {
    var parents: [[Int]] = Array(repeating: [], count: nodes.count)
    for node in nodes {
      for target in node.relationships.flatMap(\.targets) { parents[target].append(node.id) }
    }
    return parents
  }
}

extension ObjectModel {
  /// Whether an object of an entity has the attribute that a slot follows.
  package func provides(_ slot: FollowSlot, entity: String) -> Bool {
    guard slot.entity.map({ isKind(entity, of: $0) }) ?? true else { return false }
    return attribute(slot.attribute, of: entity).map { $0.type == slot.type && !$0.isTransient } ?? false
  }
}
