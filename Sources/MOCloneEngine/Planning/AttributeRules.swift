import MOCloneModel

/// The rule of every stored attribute of a node, in the order of precedence.
struct AttributeRules {
  let planner: ClonePlanner
  let slots: [FollowSlot]
  /// Where the ancestor is that objects of an entity follow.
  let sources: (FollowSlot, String) -> FollowSources
  private let exclusions: Exclusions

  init(
    planner: ClonePlanner, slots: [FollowSlot], sources: @escaping (FollowSlot, String) -> FollowSources
  ) {
    self.planner = planner
    self.slots = slots
    self.sources = sources
    exclusions = Exclusions(request: planner.request, model: planner.model)
  }

  /// Settles the attributes of all nodes; the access paths of an entity share them.
  func settle(_ nodes: inout [PlanNode]) {
    var known: [String: [AttributePlan]] = [:]
    for i in nodes.indices {
      let attributes = nodes[i].isRoot ? nil : known[nodes[i].entity]
      nodes[i].attributes = attributes ?? self.attributes(of: nodes[i])
      if !nodes[i].isRoot { known[nodes[i].entity] = nodes[i].attributes }
    }
  }

  private func attributes(of node: PlanNode) -> [AttributePlan] {
    planner.model.attributes(of: node.entity).filter { !$0.isTransient }.map {
      AttributePlan(attribute: $0, rule: rule(of: $0, at: node))
    }
  }

  private func rule(of attribute: AttributeDescription, at node: PlanNode) -> AttributeRule {
    if node.isRoot, let given = given(attribute) { return .set(given) }
    if attribute.isKeptByTriggers { return .exclude(attribute.blank) }
    if let part = planner.mapping[node.entity].attributes[attribute.name]?.keyPart {
      return .key(planner.mapping[node.entity].key[part].source)
    }
    let annotations = CloneAnnotations(userInfo: attribute.userInfo, keys: planner.keys)
    let excluded = exclusions.name(excluding: attribute.name, of: node.entity, isRoot: node.isRoot)
    if annotations.isExcluded || excluded != nil {
      return .exclude(attribute.blank)
    }
    let own: AttributeRule = annotations.rebuild.map { .rebuild($0) } ?? .copy
    guard let slot = FollowAnalysis.slot(of: attribute, keys: planner.keys) else { return own }
    return following(slot, attribute: attribute, withoutParent: annotations.withoutParent, own: own, at: node)
  }

  private func following(
    _ slot: FollowSlot, attribute: AttributeDescription, withoutParent: ParentFallback?,
    own: AttributeRule, at node: PlanNode
  ) -> AttributeRule {
    let fallback: FollowFallback =
      switch withoutParent {
      case .keep: .rule(own)
      case .blank: .rule(.exclude(attribute.blank))
      case nil: .error
      }
    let sources = node.isRoot ? FollowSources.none : sources(slot, node.entity)
    if sources == .none, case .rule(let rule) = fallback { return rule }
    return .followParent(slot: slots.firstIndex(of: slot)!, sources: sources, fallback: fallback)
  }

  private func given(_ attribute: AttributeDescription) -> AttributeValue? {
    if planner.request.unset.contains(attribute.name) { return .null }
    return planner.request.set[attribute.name].flatMap { attribute.type.value(fitting: $0) }
  }
}
