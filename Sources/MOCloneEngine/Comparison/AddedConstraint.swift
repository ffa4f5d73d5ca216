import MOCloneModel

/// A uniqueness constraint that only the new model has, and that a clone violates, because it copies the values.
struct AddedConstraint {
  private let entity: String
  private let names: [String]

  static func all(_ old: PlanNode, _ new: PlanNode, _ graphs: GraphPair) -> [AddedConstraint] {
    let known = Set(constraints(old.entity, in: graphs.old.plan.model).map { Set($0.names) })
    return constraints(new.entity, in: graphs.new.plan.model).filter { constraint in
      !constraint.names.isEmpty && !known.contains(Set(constraint.names))
        && constraint.names.allSatisfy { isRepeated($0, node: new) }
    }
  }

  private static func constraints(_ entity: String, in model: ObjectModel) -> [AddedConstraint] {
    model.lineage(of: entity).compactMap(model.entity).flatMap { declaring in
      declaring.uniquenessConstraints.map { AddedConstraint(entity: declaring.name, names: $0) }
    }
  }

  /// Whether a clone holds what its original holds.
  private static func isRepeated(_ name: String, node: PlanNode) -> Bool {
    switch node.rule(ofAttribute: name) {
    case .copy, .key(.copied): true
    case nil: node.plan(ofRelationship: name)?.rule == .link
    default: false
    }
  }

  var change: CloneDifference.Change {
    CloneDifference.Change(
      kind: .constraintAdded, subject: "\(entity).\(names[0])", before: "copied",
      after: names.count == 1
        ? "unique and copied, so a clone is refused"
        : "unique together with \(names.dropFirst().joined(separator: ", ")) and copied, so a clone is refused"
    )
  }
}
