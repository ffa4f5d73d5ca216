import MOCloneModel

/// The rule of every relationship of a node; the first that matches wins.
struct RelationshipRules {
  let planner: ClonePlanner
  let exclusions: Exclusions
  private var model: ObjectModel { planner.model }

  func relationships(of node: PlanNode) -> [RelationshipPlan] {
    model.relationships(of: node.entity).map { relationship in
      if node.isRoot, let given = given(relationship) {
        return RelationshipPlan(
          relationship: relationship, rule: .exclude, reason: .setByRequest, targets: [], given: given)
      }
      let (rule, reason) = self.rule(of: relationship, at: node)
      return RelationshipPlan(relationship: relationship, rule: rule, reason: reason, targets: [], given: nil)
    }
  }

  private func rule(
    of relationship: RelationshipDescription, at node: PlanNode
  ) -> (RelationshipRule, RuleReason) {
    let annotations = CloneAnnotations(userInfo: relationship.userInfo, keys: planner.keys)
    if annotations.isExcluded { return (.exclude, .excludedByAnnotation) }
    if let name = exclusions.name(excluding: relationship.name, of: node.entity, isRoot: node.isRoot) {
      return (.exclude, .excludedByRequest(name))
    }
    let inverse = model.inverse(of: relationship)
    // Relationships are compared, not entities: a tree leads from Folder to Folder by two of them.
    if let accessPath = node.accessPath, let inverse, inverse.qualifiedName == accessPath.qualifiedName {
      return (.incoming, .inverseOfAccessPath)
    }
    switch annotations.onClone {
    case .clone: return (.clone, .onClone)
    case .link: return (.link, .onClone)
    case nil: break
    }
    return inverse?.isToMany == true ? (.link, .inverseIsToMany) : (.clone, .ownsDestination)
  }

  private func given(_ relationship: RelationshipDescription) -> GivenDestination? {
    guard !relationship.isToMany else { return nil }
    if planner.request.unset.contains(relationship.name) { return GivenDestination.none }
    switch planner.request.set[relationship.name] {
    case nil: return nil
    case .null: return GivenDestination.none
    case .string(let text): return .object(ObjectKey(text: text))
    case .some(let value): return .object(ObjectKey([value]))
    }
  }
}
