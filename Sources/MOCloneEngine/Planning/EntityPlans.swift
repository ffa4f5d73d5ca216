import MOCloneModel

/// The plans of each entity's relationships, which its access paths share.
struct EntityPlans {
  private struct Key: Hashable {
    var entity: String
    var isRoot: Bool
  }

  private struct Plans {
    var relationships: [RelationshipPlan]
    /// Where the targets of a cloned relationship are known.
    var isSettled: [Bool]
    /// By the relationship that led here: the place of its inverse, and what becomes of it.
    var waysBack: [String: (place: Int, plan: RelationshipPlan)] = [:]
  }

  private let rules: RelationshipRules
  private let model: ObjectModel
  private var known: [Key: Plans] = [:]
  private var targets: [String: [Int]] = [:]

  init(_ rules: RelationshipRules, in model: ObjectModel) {
    self.rules = rules
    self.model = model
  }

  /// The relationships at a node.
  ///
  /// - Parameter reach: gives the nodes that a cloned relationship leads to; asked once for each, breadth first.
  mutating func relationships(
    of node: PlanNode, reach: (RelationshipDescription) -> [Int]
  ) -> [RelationshipPlan] {
    let key = Key(entity: node.entity, isRoot: node.isRoot)
    var plans = known.removeValue(forKey: key) ?? made(key)
    let back = node.accessPath.flatMap { plans.waysBack[$0.qualifiedName] }
    for i in plans.relationships.indices where !plans.isSettled[i] && i != back?.place {
      plans.relationships[i].targets = reached(plans.relationships[i].relationship, reach: reach)
      plans.isSettled[i] = true
    }
    var relationships = plans.relationships
    if let back { relationships[back.place] = back.plan }
    known[key] = plans
    return relationships
  }

  private mutating func reached(
    _ relationship: RelationshipDescription, reach: (RelationshipDescription) -> [Int]
  ) -> [Int] {
    let name = relationship.qualifiedName
    let nodes = targets[name] ?? reach(relationship)
    targets[name] = nodes
    return nodes
  }

  private func made(_ key: Key) -> Plans {
    let relationships = rules.relationships(of: key.entity, isRoot: key.isRoot)
    var plans = Plans(relationships: relationships, isSettled: relationships.map { $0.rule != .clone })
    // Relationships are compared, not entities: a tree leads from Folder to Folder by two of them.
    for (place, planned) in relationships.enumerated() where !key.isRoot {
      guard let inverse = model.inverse(of: planned.relationship), let back = rules.wayBack(planned) else {
        continue
      }
      plans.waysBack[inverse.qualifiedName] = (place, back)
    }
    return plans
  }
}
