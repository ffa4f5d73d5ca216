import MOCloneEngine
import MOCloneModel

/// One rule of cloning, broken on purpose, so that tests can show that they would find it broken.
///
/// The executors know nothing of it: most faults are edits of the plan that they run, the others of what they made.
enum Fault: String, Sendable, CaseIterable {
  /// Skips every relationship that leads back to the entity an object came from, not the inverse alone.
  case comparesEntities
  case copiesExcluded
  case dropsLinks
  case clonesShared
  case dropsRebuild
  case ignoresFollowParent
  case ignoresRequestValues
  /// What links to an object of the subtree finds the original, not its clone.
  case forgetsIdentity
  case reversesOrder
}

// MARK: - Edits of plans

extension Fault {
  func plan(_ plan: ClonePlan) -> ClonePlan {
    var nodes = plan.nodes
    for i in nodes.indices {
      for j in nodes[i].attributes.indices { edit(&nodes[i].attributes[j]) }
      for j in nodes[i].relationships.indices { edit(&nodes[i].relationships[j], of: nodes[i]) }
    }
    if self == .clonesShared { cloneShared(&nodes, plan) }
    return ClonePlan(
      model: plan.model, entity: plan.entity, request: plan.request, nodes: nodes, rootCount: plan.rootCount,
      slots: plan.slots)
  }

  private func edit(_ attribute: inout AttributePlan) {
    switch (self, attribute.rule) {
    case (.copiesExcluded, .exclude), (.dropsRebuild, .rebuild), (.ignoresFollowParent, .followParent),
      (.ignoresRequestValues, .set):
      attribute.rule = .copy
    default: break
    }
  }

  private func edit(_ relationship: inout RelationshipPlan, of node: PlanNode) {
    switch (self, relationship.reason) {
    case (.comparesEntities, _) where node.accessPath?.entity == relationship.relationship.destination:
      relationship.rule = .incoming
      relationship.targets = []
    case (.copiesExcluded, .excludedByAnnotation), (.copiesExcluded, .excludedByRequest),
      (.ignoresRequestValues, .setByRequest):
      relationship.rule = .link
      relationship.given = nil
    case (.dropsLinks, .inverseIsToMany): relationship.rule = .exclude
    default: break
    }
  }

  /// Clones what is linked, though nothing of what belongs to it.
  private func cloneShared(_ nodes: inout [PlanNode], _ plan: ClonePlan) {
    var known: [String: [Int]] = [:]
    for i in nodes.indices {
      for j in nodes[i].relationships.indices where nodes[i].relationships[j].reason == .inverseIsToMany {
        let relationship = nodes[i].relationships[j].relationship
        let targets = known[relationship.qualifiedName] ?? addLeaves(relationship, &nodes, plan.model)
        known[relationship.qualifiedName] = targets
        nodes[i].relationships[j].rule = .clone
        nodes[i].relationships[j].targets = targets
      }
    }
  }

  private func addLeaves(
    _ arrival: RelationshipDescription, _ nodes: inout [PlanNode], _ model: ObjectModel
  ) -> [Int] {
    // The roots of a plan for the destination are planned in all but how they were reached.
    guard let leaves = try? ClonePlan(model: model, entity: arrival.destination).roots else { return [] }
    return leaves.map { leaf in
      var leaf = leaf
      leaf.id = nodes.count
      leaf.accessPath = arrival
      for i in leaf.attributes.indices { leaf.attributes[i].rule = leaf.attributes[i].rule.withoutFollowing }
      for i in leaf.relationships.indices {
        leaf.relationships[i].rule = .exclude
        leaf.relationships[i].targets = []
      }
      nodes.append(leaf)
      return leaf.id
    }
  }
}

extension AttributeRule {
  fileprivate var withoutFollowing: AttributeRule {
    if case .followParent = self { .copy } else { self }
  }
}

// MARK: - Edits of clones

extension Fault {
  var editsClones: Bool { self == .forgetsIdentity || self == .reversesOrder }

  /// Edits what a run has made.
  func edit(_ mapping: [CloneResult.Pair], of plan: ClonePlan, in graph: any ObjectGraph) throws {
    let originals = Dictionary(mapping.map { ($0.clone, $0.original) }, uniquingKeysWith: { $1 })
    for pair in mapping {
      for relationship in graph.model.relationships(of: pair.clone.entity) {
        let destinations = try graph.destinations(relationship.name, of: pair.clone)
        var edited = destinations
        if self == .reversesOrder, relationship.isOrdered { edited.reverse() }
        if self == .forgetsIdentity, isLinked(relationship, plan) {
          edited = destinations.map { originals[$0] ?? $0 }
        }
        if edited != destinations {
          try graph.setDestinations(edited, relationship.name, of: pair.clone)
        }
      }
    }
  }

  private func isLinked(_ relationship: RelationshipDescription, _ plan: ClonePlan) -> Bool {
    plan.nodes.contains { node in
      node.relationships.contains {
        $0.relationship.qualifiedName == relationship.qualifiedName && $0.rule == .link
      }
    }
  }
}
