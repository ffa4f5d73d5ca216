import MOCloneModel

/// Compares the clones of one root under two models.
struct RootComparison {
  let root: String
  let old: ReachedNodes
  let new: ReachedNodes
  let mappings: (old: SchemaMapping, new: SchemaMapping)
  /// The entities at which something can differ; elsewhere only the ancestors of followers.
  let changed: Set<String>

  /// The changes at every way of arriving that both have; what lies behind a change belongs to it.
  func changes() -> [CloneDifference.Change] {
    new.arrivals.flatMap { arrival -> [CloneDifference.Change] in
      guard let before = old.node(arrival), let after = new.node(arrival) else { return [] }
      let isChanged = changed.contains(arrival.entity)
      return (isChanged ? relationships(before, after, arrival) + key(arrival) : [])
        + attributes(before, after, arrival, isChanged)
    }
  }

  /// How a key is made that no attribute names.
  private func key(_ arrival: ReachedNodes.Arrival) -> [CloneDifference.Change] {
    let (before, after) = (mappings.old[arrival.entity].key, mappings.new[arrival.entity].key)
    return zip(before, after).compactMap { before, after in
      let (was, now) = (AttributeEffect.key(before.source), AttributeEffect.key(after.source))
      guard before.column == after.column, let kind = AttributeEffect.change(from: was, to: now) else {
        return nil
      }
      return change(
        kind, "\(arrival.entity).\(before.column)", was.words, now.words, path: new.path(to: arrival),
        objects: [])
    }
  }

  private func attributes(
    _ before: PlanNode, _ after: PlanNode, _ arrival: ReachedNodes.Arrival, _ isChanged: Bool
  ) -> [CloneDifference.Change] {
    let all = before.attributes + after.attributes
    let names = (isChanged ? all : all.filter(\.rule.isFollowing)).map(\.attribute.name).uniqued()
    return names.compactMap { name in
      let was = AttributeEffect(before.rule(ofAttribute: name), in: old.plan) {
        old.ancestors($0, of: before)
      }
      let now = AttributeEffect(after.rule(ofAttribute: name), in: new.plan) { new.ancestors($0, of: after) }
      guard let kind = AttributeEffect.change(from: was, to: now) else { return nil }
      let attribute = all.last { $0.attribute.name == name }!.attribute
      return change(
        kind, "\(attribute.entity).\(name)", words(was, name, old.plan, arrival),
        words(now, name, new.plan, arrival),
        path: new.path(to: arrival), objects: [])
    }
  }

  private func words(
    _ effect: AttributeEffect, _ name: String, _ plan: ClonePlan, _ arrival: ReachedNodes.Arrival
  ) -> String {
    let isTransient = effect == .absent && plan.model.attribute(name, of: arrival.entity) != nil
    return isTransient ? "transient" : effect.words
  }

  private func relationships(
    _ before: PlanNode, _ after: PlanNode, _ arrival: ReachedNodes.Arrival
  ) -> [CloneDifference.Change] {
    let both = (before.relationships + after.relationships).map {
      ($0.relationship.name, $0.relationship.destination)
    }
    var seen: Set<[String]> = []
    return both.filter { seen.insert([$0, $1]).inserted }.compactMap { name, destination in
      let was = before.plan(ofRelationship: name).flatMap {
        $0.relationship.destination == destination ? $0 : nil
      }
      let now = after.plan(ofRelationship: name).flatMap {
        $0.relationship.destination == destination ? $0 : nil
      }
      return relationship(was, now, arrival)
    }
  }

  private func relationship(
    _ was: RelationshipPlan?, _ now: RelationshipPlan?, _ arrival: ReachedNodes.Arrival
  ) -> CloneDifference.Change? {
    let before = RelationshipEffect(was, of: arrival.entity, in: old.plan.model, mappings.old)
    let after = RelationshipEffect(now, of: arrival.entity, in: new.plan.model, mappings.new)
    let change = RelationshipEffect.change(from: before, to: after)
    guard let kind = change ?? RelationshipEffect.changeOfOrder(from: was, to: now),
      let relationship = (now ?? was)?.relationship
    else { return nil }
    let objects: [CloneDifference.Reached] =
      if change == nil {
        []
      } else if after == .cloned {
        new.objects(over: now!, at: arrival, without: old)
      } else if before == .cloned {
        old.objects(over: was!, at: arrival, without: new)
      } else {
        [.init(entity: relationship.destination, path: new.path(to: arrival) + [relationship.qualifiedName])]
      }
    return self.change(
      kind, relationship.qualifiedName, words(before, was, relationship.name, arrival, old.plan),
      words(after, now, relationship.name, arrival, new.plan),
      path: new.path(to: arrival), objects: objects)
  }

  private func words(
    _ effect: RelationshipEffect, _ plan: RelationshipPlan?, _ name: String, _ arrival: ReachedNodes.Arrival,
    _ clone: ClonePlan
  ) -> String {
    guard let plan else {
      let other = clone.model.relationship(name, of: arrival.entity)
      return other.map { "'\(name)' leads to \($0.destination)" } ?? "not in the model"
    }
    let reason = clone.describe(plan.reason, plan.relationship)
    let order = plan.relationship.isOrdered ? " in order" : ""
    return switch effect {
    case .cloned: "cloned\(order) (\(reason))"
    case .linked: "linked\(order) (\(reason))"
    case .linkedWithin: "linked\(order) among the copied objects only (\(reason))"
    case .none: "left out (\(reason))"
    }
  }

  private func change(
    _ kind: CloneDifference.Kind, _ subject: String, _ before: String, _ after: String, path: [String],
    objects: [CloneDifference.Reached]
  ) -> CloneDifference.Change {
    CloneDifference.Change(
      kind: kind, subject: subject, before: before, after: after,
      roots: [CloneDifference.Root(entity: root, path: path, objects: objects)])
  }
}
