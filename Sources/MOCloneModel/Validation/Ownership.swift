/// Which objects own which, as the delete rules, required to-ones and one-to-ones of a model say.
///
/// A relationship that cascades owns its destinations. Where none cascades into an entity, every required to-one of it leads to an
/// owner, for the object cannot be without; and of two that are each other's only one, the one without the foreign key owns the other.
/// An owner's list that is annotated `exclude` or `onClone: link` says that copies of the owner do without: it owns nothing.
struct Ownership {
  let checks: ModelChecks
  private var model: ObjectModel { checks.sound }
  /// The entities whose objects a relationship cascades to, by the destination that it names.
  private let cascaded: Set<String>

  init(_ checks: ModelChecks) {
    self.checks = checks
    cascaded = Set(
      checks.soundRelationships.filter { relationship in
        relationship.deleteRule == .cascade && checks.sound.inverse(of: relationship)?.isToMany != true
      }.map(\.destination))
  }

  /// Whether a relationship leads from an owner to what it owns.
  func owns(_ relationship: RelationshipDescription) -> Bool {
    let annotations = checks.written(relationship.userInfo).meaning
    return !annotations.isExcluded && annotations.onClone != .link && ownsUnlessAnnotated(relationship)
  }

  /// The same for a relationship without annotations.
  func ownsUnlessAnnotated(_ relationship: RelationshipDescription) -> Bool {
    let inverse = model.inverse(of: relationship)
    guard inverse?.isToMany != true else { return false }
    if relationship.deleteRule == .cascade { return true }
    guard let inverse, model.lineage(of: relationship.destination).allSatisfy({ !cascaded.contains($0) })
    else {
      return false
    }
    return relationship.isToMany ? !inverse.isOptional : leadsToOwner(inverse)
  }

  /// Whether a relationship and its inverse are both to-one, and this one leads from the owned object to its owner.
  func leadsToOwner(_ relationship: RelationshipDescription) -> Bool {
    guard !relationship.isToMany, let inverse = model.inverse(of: relationship), !inverse.isToMany else {
      return false
    }
    let (own, other) = (relationship.deleteRule == .cascade, inverse.deleteRule == .cascade)
    if own != other { return other }
    return checks.mapping[relationship.entity].foreignKey(relationship.name) != nil
  }
}

extension ObjectModel {
  /// The relationships, as `Entity.name`, that lead from an owner to what it owns.
  package var owningRelationships: Set<String> {
    let ownership = Ownership(ModelChecks(self, keys: userInfoKeys))
    return Set(entities.flatMap(\.relationships).filter(ownership.owns).map(\.qualifiedName))
  }
}
