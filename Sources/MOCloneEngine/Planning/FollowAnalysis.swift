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
    var seen: Set<FollowSlot> = []
    slots = nodes.flatMap { model.attributes(of: $0.entity) }
      .compactMap { Self.slot(of: $0, keys: keys) }
      .filter { seen.insert($0).inserted }
  }

  static func slot(of attribute: AttributeDescription, keys: AnnotationKeys) -> FollowSlot? {
    guard !attribute.isTransient else { return nil }
    return CloneAnnotations(userInfo: attribute.userInfo, keys: keys).followParent.map {
      FollowSlot(attribute: $0.attribute, type: attribute.type, entity: $0.entity)
    }
  }

  /// One answer for an entity, however it was reached: an object has one path, whatever other ways lead to it.
  func sources(of slot: FollowSlot, for entity: String) -> FollowSources {
    var seen: Set<Int> = []
    var pending = nodes.filter { $0.entity == entity && !$0.isRoot }.map(\.id)
    var found: Set<FollowSources.Kind> = []
    while let id = pending.popLast() {
      for parent in parents[id] where seen.insert(parent).inserted {
        let node = nodes[parent]
        switch (model.provides(slot, node.entity), node.isRoot) {
        case (true, true): found.insert(.root)
        case (true, false): found.insert(.other)
        case (false, true): found.insert(.missing)
        case (false, false): pending.append(parent)
        }
      }
    }
    switch found {
    case [.root]: return .root
    case [.missing], []: return .none
    default: return .carried
    }
  }
}

extension FollowSources {
  fileprivate enum Kind { case root, other, missing }
}

extension ObjectModel {
  /// Whether an object of an entity has the attribute that a slot follows.
  public func provides(_ slot: FollowSlot, _ entity: String) -> Bool {
    guard slot.entity.map({ isKind(entity, of: $0) }) ?? true else { return false }
    return attribute(slot.attribute, of: entity).map { $0.type == slot.type && !$0.isTransient } ?? false
  }
}
