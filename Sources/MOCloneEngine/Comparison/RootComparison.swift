import MOCloneModel

/// Compares the clones of one root under two models.
struct RootComparison {
  let root: String
  let old: ReachedNodes
  let new: ReachedNodes
  /// By the node's number in the new graph; nil where the old one has no such node.
  let differences: [NodeDifference?]
  let joins: (old: JoinedLists, new: JoinedLists)

  /// The changes on every access path that both have; what lies behind a change belongs to it.
  func changes() -> [CloneDifference.Change] {
    let common = new.nodes.compactMap { differences[$0] }.filter { old.contains($0.old.id) }
    let areMoved = common.contains(where: \.movesAncestors)
    let ancestors = (old: Ancestors(old), new: Ancestors(new))
    return common.filter { areMoved || $0.isChanged }.flatMap { node in
      node.relationships.compactMap { relationship($0.old, $0.new, node) }
        + node.values.map { at(node, $0) }
        + (areMoved ? node.followers : node.changedFollowers).compactMap { follower($0, node, ancestors) }
    } + joinedLists
  }

  /// The lists of other objects that are joined now and were not before.
  private var joinedLists: [CloneDifference.Change] {
    let before = Set(joins.old.joined(by: old).map(\.list))
    return joins.new.joined(by: new).filter { !before.contains($0.list) }.map { list, node in
      CloneDifference.Change(joining: list, root: root, path: new.path(to: node))
    }
  }

  private func at(_ node: NodeDifference, _ change: CloneDifference.Change) -> CloneDifference.Change {
    self.change(change.kind, change.subject, change.before, change.after, node, objects: [])
  }

  private func follower(
    _ name: String, _ node: NodeDifference, _ ancestors: (old: Ancestors, new: Ancestors)
  ) -> CloneDifference.Change? {
    let was = effect(node.old.rule(ofAttribute: name), node.old, old, ancestors.old)
    let now = effect(node.new.rule(ofAttribute: name), node.new, new, ancestors.new)
    guard let kind = AttributeEffect.change(from: was, to: now) else { return nil }
    return change(
      kind, node.subject(name), old.graph.words(was, name, node.old), new.graph.words(now, name, node.new),
      node, objects: [])
  }

  private func effect(
    _ rule: AttributeRule?, _ node: PlanNode, _ reached: ReachedNodes, _ ancestors: Ancestors
  ) -> AttributeEffect {
    AttributeEffect(rule, in: reached.graph.plan) { slot in
      node.isRoot ? [] : ancestors.entities(slot, above: node.entity).sorted()
    }
  }

  private func relationship(
    _ was: RelationshipPlan?, _ now: RelationshipPlan?, _ node: NodeDifference
  ) -> CloneDifference.Change? {
    let before = effect(was, node.old, old.graph)
    let after = effect(now, node.new, new.graph)
    let change = RelationshipEffect.change(from: before, to: after)
    guard let kind = change ?? RelationshipEffect.changeOfOrder(from: was, to: now),
      let relationship = (now ?? was)?.relationship
    else { return nil }
    let objects: [CloneDifference.Reached] =
      if change == nil {
        []
      } else if after == .cloned {
        new.objects(over: now!, at: node.new.id, without: old)
      } else if before == .cloned {
        old.objects(over: was!, at: node.old.id, without: new)
      } else {
        [
          .init(
            entity: relationship.destination,
            path: new.path(to: node.new.id) + [relationship.qualifiedName])
        ]
      }
    return self.change(
      kind, relationship.qualifiedName, words(before, was, relationship.name, node.old, old.graph.plan),
      words(after, now, relationship.name, node.new, new.graph.plan), node, objects: objects)
  }

  private func effect(_ plan: RelationshipPlan?, _ node: PlanNode, _ graph: CloneGraph) -> RelationshipEffect
  {
    RelationshipEffect(plan, of: node.entity, in: graph.plan.model, graph.mapping)
  }

  private func words(
    _ effect: RelationshipEffect, _ planned: RelationshipPlan?, _ name: String, _ node: PlanNode,
    _ plan: ClonePlan
  ) -> String {
    guard let planned else {
      let other = plan.model.relationship(name, of: node.entity)
      return other.map { "the destination of '\(name)' is \($0.destination)" } ?? "not in the model"
    }
    let reason = plan.describe(planned.reason, planned.relationship)
    let order = planned.relationship.isOrdered ? " in order" : ""
    return switch effect {
    case .cloned: "cloned\(order) (\(reason))"
    case .linked: "linked\(order) (\(reason))"
    case .linkedWithin: "linked\(order) among the copied objects only (\(reason))"
    case .none: "left out (\(reason))"
    }
  }

  private func change(
    _ kind: CloneDifference.Kind, _ subject: String, _ before: String, _ after: String,
    _ node: NodeDifference, objects: [CloneDifference.Reached]
  ) -> CloneDifference.Change {
    CloneDifference.Change(
      kind: kind, subject: subject, before: before, after: after,
      roots: [CloneDifference.Root(entity: root, path: new.path(to: node.new.id), objects: objects)])
  }
}
