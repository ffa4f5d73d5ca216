import MOCloneModel

/// The rule of every relationship of a node; the first that matches wins.
///
/// Access paths of one entity differ by the way back only, so that each entity is looked at once.
struct RelationshipRules {
  let planner: ClonePlanner
  let exclusions: Exclusions
  private var model: ObjectModel { planner.model }

  /// The rules at an entity that is the root, or that is reached over some relationship.
  func relationships(of entity: String, isRoot: Bool) -> [RelationshipPlan] {
    model.relationships(of: entity).map { relationship in
      if isRoot, let given = given(relationship) {
        return RelationshipPlan(
          relationship: relationship, rule: .exclude, reason: .setByRequest, given: given)
      }
      let (rule, reason) = self.rule(of: relationship, at: entity, isRoot: isRoot)
      return RelationshipPlan(relationship: relationship, rule: rule, reason: reason)
    }
  }

  /// What becomes of a relationship where its own inverse led to the object; nil where that changes nothing.
  func wayBack(_ planned: RelationshipPlan) -> RelationshipPlan? {
    switch planned.reason {
    case .excludedByAnnotation, .excludedByRequest, .setByRequest: nil
    default:
      RelationshipPlan(
        relationship: planned.relationship, rule: .incoming, reason: .inverseOfAccessPath)
    }
  }

  private func rule(
    of relationship: RelationshipDescription, at entity: String, isRoot: Bool
  ) -> (RelationshipRule, RuleReason) {
    let annotations = CloneAnnotations(userInfo: relationship.userInfo, keys: planner.keys)
    if annotations.isExcluded { return (.exclude, .excludedByAnnotation) }
    if let name = exclusions.name(excluding: relationship.name, of: entity, isRoot: isRoot) {
      return (.exclude, .excludedByRequest(name))
    }
    if let onClone = annotations.onClone { return (onClone == .clone ? .clone : .link, .onClone) }
    let inverse = model.inverse(of: relationship)
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
