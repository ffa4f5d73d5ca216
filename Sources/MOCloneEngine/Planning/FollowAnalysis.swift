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
    var parents: [[Int]] = Array(repeating: [], count: nodes.count)
    for node in nodes {
      for target in node.relationships.flatMap(\.targets) { parents[target].append(node.id) }
    }
    self.parents = parents
    slots = Self.slots(nodes.map(\.entity), in: model, keys: keys)
  }

  /// What the attributes of some entities follow.
  static func slots(_ entities: [String], in model: ObjectModel, keys: AnnotationKeys) -> [FollowSlot] {
    entities.uniqued().flatMap(model.attributes).compactMap { slot(of: $0, keys: keys) }.uniqued()
  }

  static func slot(of attribute: AttributeDescription, keys: AnnotationKeys) -> FollowSlot? {
    guard !attribute.isTransient, !attribute.userInfo.isEmpty else { return nil }
    return CloneAnnotations(userInfo: attribute.userInfo, keys: keys).followParent.map {
      FollowSlot(attribute: $0.attribute, type: attribute.type, entity: $0.entity)
    }
  }

  /// One answer for an entity, however it was reached: an object has one path, whatever other ways lead to it.
  func sources(of slot: FollowSlot, for entity: String) -> FollowSources {
    let (providers, isMissing) = providers(of: slot, for: entity)
    if providers.isEmpty { return .none }
    return providers.allSatisfy(\.isRoot) && !isMissing ? .root : .carried
  }

  /// The nodes at which the nearest ancestor can be, and whether some way down from the root has none.
  func providers(of slot: FollowSlot, for entity: String) -> (nodes: [PlanNode], isMissing: Bool) {
    var seen: Set<Int> = []
    var pending = nodes.filter { $0.entity == entity && !$0.isRoot }.map(\.id)
    var found: [PlanNode] = []
    var isMissing = false
    while let id = pending.popLast() {
      for parent in parents[id] where seen.insert(parent).inserted {
        let node = nodes[parent]
        if model.provides(slot, node.entity) {
          found.append(node)
        } else if node.isRoot {
          isMissing = true
        } else {
          pending.append(parent)
        }
      }
    }
    return (found, isMissing)
  }
}

extension ObjectModel {
  /// Whether an object of an entity has the attribute that a slot follows.
  public func provides(_ slot: FollowSlot, _ entity: String) -> Bool {
    guard slot.entity.map({ isKind(entity, of: $0) }) ?? true else { return false }
    return attribute(slot.attribute, of: entity).map { $0.type == slot.type && !$0.isTransient } ?? false
  }
}
