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
      node.relationships.compactMap { relationship($0.old, now: $0.new, node: node) }
        + node.values.map { at(node, change: $0) }
        + (areMoved ? node.followers : node.changedFollowers).compactMap {
          follower($0, node: node, ancestors: ancestors)
        }
    } + joinedLists
  }

  /// The lists of other objects that are joined now and were not before.
  private var joinedLists: [CloneDifference.Change] {
    let before = Set(joins.old.joined(by: old).map(\.list))
    return joins.new.joined(by: new).filter { !before.contains($0.list) }.map { list, node in
      CloneDifference.Change(joining: list, root: root, path: new.path(to: node))
    }
  }

  private func at(_ node: NodeDifference, change: CloneDifference.Change) -> CloneDifference.Change {
    self.change(
      change.kind, subject: change.subject, before: change.before, after: change.after, node: node,
      objects: [])
  }

  private func follower(
    _ name: String, node: NodeDifference, ancestors: (old: Ancestors, new: Ancestors)
  ) -> CloneDifference.Change? {
    let was = effect(node.old.rule(ofAttribute: name), node: node.old, reached: old, ancestors: ancestors.old)
    let now = effect(node.new.rule(ofAttribute: name), node: node.new, reached: new, ancestors: ancestors.new)
    guard let kind = AttributeEffect.change(from: was, to: now) else { return nil }
    return change(
      kind, subject: node.subject(name), before: old.graph.words(was, name: name, node: node.old),
      after: new.graph.words(now, name: name, node: node.new),
      node: node, objects: [])
  }

  private func effect(
    _ rule: AttributeRule?, node: PlanNode, reached: ReachedNodes, ancestors: Ancestors
  ) -> AttributeEffect {
    AttributeEffect(rule, in: reached.graph.plan) { slot in
      node.isRoot ? [] : ancestors.entities(slot, above: node.entity).sorted()
    }
  }

  private func relationship(
    _ was: RelationshipPlan?, now: RelationshipPlan?, node: NodeDifference
  ) -> CloneDifference.Change? {
    let before = RelationshipEffect(was, in: old.graph)
    let after = RelationshipEffect(now, in: new.graph)
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
      kind, subject: relationship.qualifiedName,
      before: words(before, planned: was, name: relationship.name, node: node.old, plan: old.graph.plan),
      after: words(after, planned: now, name: relationship.name, node: node.new, plan: new.graph.plan),
      node: node, objects: objects)
  }

  private func words(
    _ effect: RelationshipEffect, planned: RelationshipPlan?, name: String, node: PlanNode,
    plan: ClonePlan
  ) -> String {
    guard let planned else {
      let other = plan.model.relationship(name, of: node.entity)
      return other.map { "the destination of '\(name)' is \($0.destination)" } ?? "not in the model"
    }
    let reason = plan.describe(planned.reason, relationship: planned.relationship)
    let order = planned.relationship.isOrdered ? " in order" : ""
    return switch effect {
    case .cloned: "cloned\(order) (\(reason))"
    case .linked: "linked\(order) (\(reason))"
    case .linkedWithin: "linked\(order) among the copied objects only (\(reason))"
    case .none: "left out (\(reason))"
    }
  }

  private func change(
    _ kind: CloneDifference.Kind, subject: String, before: String, after: String,
    node: NodeDifference, objects: [CloneDifference.Reached]
  ) -> CloneDifference.Change {
    CloneDifference.Change(
      kind: kind, subject: subject, before: before, after: after,
      roots: [CloneDifference.Root(entity: root, path: new.path(to: node.new.id), objects: objects)])
  }
}
