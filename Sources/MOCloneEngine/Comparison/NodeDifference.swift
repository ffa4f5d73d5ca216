import MOCloneModel

/// What two models say otherwise of one access path, whatever the root.
final class NodeDifference {
  let old: PlanNode
  let new: PlanNode
  /// Attributes and parts of the key whose rule is not the same, but for followers.
  private(set) var values: [CloneDifference.Change] = []
  /// The attributes that follow an ancestor in either model.
  private(set) var followers: [String] = []
  /// Those of them whose rule is not the same, wherever the ancestor is.
  private(set) var changedFollowers: [String] = []
  /// The relationships that clones hold otherwise, as they are in both models.
  private(set) var relationships: [(old: RelationshipPlan?, new: RelationshipPlan?)] = []
  /// Whether what lies behind can have other ancestors: other relationships are cloned, or another value can be followed.
  private(set) var movesAncestors = false
  /// Whether anything is otherwise without that.
  var isChanged: Bool { !values.isEmpty || !changedFollowers.isEmpty || !relationships.isEmpty }

  init(_ old: PlanNode, _ new: PlanNode, _ graphs: (old: CloneGraph, new: CloneGraph)) {
    self.old = old
    self.new = new
    compareAttributes(graphs)
    compareKeys(graphs)
    relationships = Self.pairs(old, new).filter { was, now in
      RelationshipEffect(was, of: old.entity, in: graphs.old.plan.model, graphs.old.mapping)
        != RelationshipEffect(now, of: new.entity, in: graphs.new.plan.model, graphs.new.mapping)
        || RelationshipEffect.changeOfOrder(from: was, to: now) != nil
    }
    movesAncestors =
      Self.steps(old, graphs.old) != Self.steps(new, graphs.new)
      || graphs.old.provided(old.entity) != graphs.new.provided(new.entity)
  }

  private func compareAttributes(_ graphs: (old: CloneGraph, new: CloneGraph)) {
    let all = old.attributes + new.attributes
    for name in all.map(\.attribute.name).uniqued() {
      let (was, now) = (old.rule(ofAttribute: name), new.rule(ofAttribute: name))
      guard was?.isFollowing != true, now?.isFollowing != true else {
        followers.append(name)
        let (before, after) = (graphs.old.anyAncestor(was), graphs.new.anyAncestor(now))
        if before != after { changedFollowers.append(name) }
        continue
      }
      let (before, after) = (
        AttributeEffect(was, in: graphs.old.plan) { _ in [] },
        AttributeEffect(now, in: graphs.new.plan) { _ in [] }
      )
      guard let kind = AttributeEffect.change(from: before, to: after) else { continue }
      values.append(
        .init(
          kind: kind, subject: subject(name), before: graphs.old.words(before, name, old),
          after: graphs.new.words(after, name, new), roots: []))
    }
  }

  /// An attribute with the entity that declares it.
  func subject(_ attribute: String) -> String {
    let declared = (new.attributes + old.attributes).first { $0.attribute.name == attribute }
    return "\(declared?.attribute.entity ?? new.entity).\(attribute)"
  }

  /// How a key is made that no attribute names.
  private func compareKeys(_ graphs: (old: CloneGraph, new: CloneGraph)) {
    let (before, after) = (graphs.old.mapping[old.entity].key, graphs.new.mapping[new.entity].key)
    for (before, after) in zip(before, after) where before.column == after.column {
      let (was, now) = (AttributeEffect.key(before.source), AttributeEffect.key(after.source))
      guard let kind = AttributeEffect.change(from: was, to: now) else { continue }
      values.append(
        .init(
          kind: kind, subject: "\(new.entity).\(before.column)", before: was.words, after: now.words,
          roots: []))
    }
  }

  /// Each relationship of either; one with another destination is one that went and one that came.
  private static func pairs(
    _ old: PlanNode, _ new: PlanNode
  ) -> [(old: RelationshipPlan?, new: RelationshipPlan?)] {
    func same(_ relationship: RelationshipPlan, in node: PlanNode) -> RelationshipPlan? {
      node.plan(ofRelationship: relationship.relationship.name).flatMap {
        $0.relationship.destination == relationship.relationship.destination ? $0 : nil
      }
    }
    return old.relationships.map { ($0, same($0, in: new)) }
      + new.relationships.filter { same($0, in: old) == nil }.map { (nil, $0) }
  }

  /// The access paths that follow.
  private static func steps(_ node: PlanNode, _ graph: CloneGraph) -> [Set<String>] {
    node.relationships.filter { $0.rule == .clone }.map { planned in
      Set(planned.targets.map { graph.plan.nodes[$0].entity } + [planned.relationship.qualifiedName])
    }
  }
}

extension CloneGraph {
  /// The slots that objects of an entity have the value of.
  fileprivate func provided(_ entity: String) -> Set<FollowSlot> {
    Set(providers.filter { $0.value.contains(entity) }.keys)
  }

  /// A rule as it is where there is an ancestor, for comparison.
  fileprivate func anyAncestor(_ rule: AttributeRule?) -> AttributeEffect {
    AttributeEffect(rule, in: plan) { _ in [""] }
  }

  func words(_ effect: AttributeEffect, _ name: String, _ node: PlanNode) -> String {
    let isTransient = effect == .absent && plan.model.attribute(name, of: node.entity) != nil
    return isTransient ? "transient" : effect.words
  }
}
