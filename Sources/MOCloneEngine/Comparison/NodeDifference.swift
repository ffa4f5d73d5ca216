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
  private(set) var relationships: [RelationshipPair] = []
  /// Whether what lies behind can have other ancestors: other relationships are cloned, or another value can be followed.
  private(set) var movesAncestors = false
  /// Whether anything is otherwise without that.
  var isChanged: Bool { !values.isEmpty || !changedFollowers.isEmpty || !relationships.isEmpty }

  init(_ old: PlanNode, new: PlanNode, graphs: GraphPair) {
    self.old = old
    self.new = new
    compareAttributes(graphs)
    compareKeys(graphs)
    values += CloneDifference.Change.addedConstraints(old, new, graphs)
    relationships = Self.pairs(old, new: new).filter(graphs.differ)
    movesAncestors =
      !graphs.goesOnAlike((old, new))
      || graphs.old.provided(old.entity) != graphs.new.provided(new.entity)
  }

  private func compareAttributes(_ graphs: GraphPair) {
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
          kind: kind, subject: subject(name), before: graphs.old.words(before, name: name, node: old),
          after: graphs.new.words(after, name: name, node: new)))
    }
  }

  /// An attribute with the entity that declares it.
  func subject(_ attribute: String) -> String {
    let declared = (new.attributes + old.attributes).first { $0.attribute.name == attribute }
    return "\(declared?.attribute.entity ?? new.entity).\(attribute)"
  }

  /// How a key is made that no attribute names.
  private func compareKeys(_ graphs: GraphPair) {
    let (before, after) = (graphs.old.mapping[old.entity].key, graphs.new.mapping[new.entity].key)
    for (before, after) in zip(before, after) where before.column == after.column {
      let (was, now) = (AttributeEffect.key(before.source), AttributeEffect.key(after.source))
      guard let kind = AttributeEffect.change(from: was, to: now) else { continue }
      values.append(
        .init(kind: kind, subject: "\(new.entity).\(before.column)", before: was.words, after: now.words))
    }
  }

  /// Each relationship of either; one with another destination is one that went and one that came.
  private static func pairs(_ old: PlanNode, new: PlanNode) -> [RelationshipPair] {
    func isSame(_ a: RelationshipDescription, _ b: RelationshipDescription) -> Bool {
      a.name == b.name && a.destination == b.destination
    }
    let places = zip(old.relationships, new.relationships).prefix {
      $0.identity == $1.identity || isSame($0.relationship, $1.relationship)
    }
    // Most nodes have the same ones in the same order, which few comparisons show.
    let (had, has) = (old.relationships.dropFirst(places.count), new.relationships.dropFirst(places.count))
    let others = Dictionary(has.map { ($0.relationship.name, $0) }) { first, _ in first }
    func same(_ planned: RelationshipPlan, in others: [String: RelationshipPlan]) -> RelationshipPlan? {
      others[planned.relationship.name].flatMap {
        isSame($0.relationship, planned.relationship) ? $0 : nil
      }
    }
    let formers = Dictionary(had.map { ($0.relationship.name, $0) }) { first, _ in first }
    return places.map { ($0, $1) } + had.map { ($0, same($0, in: others)) }
      + has.filter { same($0, in: formers) == nil }.map { (nil, $0) }
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

  func words(_ effect: AttributeEffect, name: String, node: PlanNode) -> String {
    let isTransient = effect == .absent && plan.model.attribute(name, of: node.entity) != nil
    return isTransient ? "transient" : effect.words
  }
}
