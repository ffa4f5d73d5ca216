import MOCloneModel

/// What a clone holds in a relationship, as far as it can be told from another.
enum RelationshipEffect: Sendable, Equatable {
  case cloned
  case linked
  /// Linked among the copied objects only: a link to others would take them from their originals.
  case linkedWithin
  case none

  init(_ planned: RelationshipPlan?, in graph: CloneGraph) {
    switch planned?.rule {
    case .clone: self = .cloned
    case .link:
      let isShared = graph.mapping.canShare(planned!.relationship, in: graph.plan.model)
      self = isShared ? .linked : .linkedWithin
    case .incoming, .exclude, nil: self = .none
    }
  }

  /// What a change of the order in a relationship that is copied or linked as before is called; nil where none changes.
  static func changeOfOrder(from old: RelationshipPlan?, to new: RelationshipPlan?) -> CloneDifference.Kind? {
    guard let old, let new, new.rule.asks, old.relationship.isOrdered != new.relationship.isOrdered else {
      return nil
    }
    return new.relationship.isOrdered ? .ruleChanged : .noLongerOrdered
  }

  /// What a change from one to the other is called; nil where nothing changes.
  static func change(from old: Self, to new: Self) -> CloneDifference.Kind? {
    switch (old, new) {
    case _ where old == new: nil
    case (.linked, .cloned): .linkBecameCopy
    case (_, .cloned): .newlyCloned
    case (.cloned, .linked): .copyBecameLink
    case (.cloned, _): .noLongerCloned
    case (.linked, _), (_, .none): .noLongerLinked
    default: .newlyLinked
    }
  }
}
