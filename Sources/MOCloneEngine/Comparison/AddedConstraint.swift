import MOCloneModel

extension CloneDifference.Change {
  /// The uniqueness constraints that only the new model has, and that a clone violates, because it copies the values.
  static func addedConstraints(_ old: PlanNode, _ new: PlanNode, _ graphs: GraphPair) -> [Self] {
    let (was, now) = (graphs.old.plan.model, graphs.new.plan.model)
    let known = Set(
      was.lineage(of: old.entity).compactMap(was.entity).flatMap(\.uniquenessConstraints).map(Set.init))
    return now.lineage(of: new.entity).compactMap(now.entity).flatMap { declaring in
      declaring.uniquenessConstraints.filter { names in
        !names.isEmpty && !known.contains(Set(names)) && names.allSatisfy { new.repeats($0) }
      }.map { Self(addedConstraint: $0, of: declaring.name) }
    }
  }

  private init(addedConstraint names: [String], of entity: String) {
    let rest = names.count == 1 ? "" : " together with \(names.dropFirst().joined(separator: ", "))"
    self.init(
      kind: .constraintAdded, subject: "\(entity).\(names[0])", before: "copied",
      after: "unique\(rest) and copied, so a clone is refused")
  }
}

extension PlanNode {
  /// Whether a clone holds what its original holds.
  fileprivate func repeats(_ name: String) -> Bool {
    switch rule(ofAttribute: name) {
    case .copy, .key(.copied): true
    case nil: plan(ofRelationship: name)?.rule == .link
    default: false
    }
  }
}
