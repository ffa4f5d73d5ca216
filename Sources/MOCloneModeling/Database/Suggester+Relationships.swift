import MOCloneEngine
import MOCloneModel

/// Rows that a clone of another object should leave behind: logs, documents, and what belongs to someone else as well.
extension Suggester {
  /// - Parameter settled: relationships that are left out or kept for another reason, so that no owner is nearer by them.
  func relationshipSuggestions(besides settled: Set<ModelPath>) -> [ModelDraft.Suggestion] {
    let owners = owners
    var shared: [ModelDraft.Suggestion] = []
    let found = shape.objectTables.flatMap { table -> [ModelDraft.Suggestion] in
      let references = shape.references.of(table.id).filter { $0.target != table.id }
      let owning = references.compactMap { reference -> (TableReference, RelationshipDescription)? in
        self.owning(reference).flatMap { $0.isToMany ? (reference, $0) : nil }
      }
      if let reason = recordReason(table) {
        return owning.filter { !isContent(table, of: $0.0) }.map { exclude($0.1, reason) }
      }
      let free = owning.filter { !settled.contains(.relationship($0.1)) }
      let rows =
        sharedRows(table, owning: free, owners: owners) + givenRows(table, owning: free, owners: owners)
      shared += rows
      return rows + mentions(owning)
    }
    return found + linksToSharedRows(leftBy: shared) + ownersLeftOut()
  }

  /// Many-to-many relationships to rows that a clone leaves with their other owner: a copied organization's groups would
  /// have the members of the original one.
  private func linksToSharedRows(leftBy suggestions: [ModelDraft.Suggestion]) -> [ModelDraft.Suggestion] {
    let annotated = applied(suggestions)
    let linked = Set(
      annotated.entities.flatMap(\.relationships).filter {
        $0.isToMany && annotated.inverse(of: $0)?.isToMany == true
      }.map(\.destination))
    return suggestions.flatMap { suggestion -> [ModelDraft.Suggestion] in
      let path = suggestion.path.components
      guard path.count > 3, let list = annotated.relationship(path[3], of: path[1]),
        linked.contains(list.destination), annotated.inverse(of: list)?.isOptional == false,
        let plan = try? ClonePlan(model: annotated, entity: list.entity)
      else { return [] }
      let rows = Set(annotated.concreteEntities(of: list.destination))
      guard rows.isDisjoint(with: plan.nodes.map(\.entity)) else { return [] }
      let reason =
        "a clone of \(list.entity.withArticle) leaves each \(list.destination) with the original, so it has none to link to"
      return plan.nodes.flatMap(\.relationships).map(\.relationship).filter { link in
        link.isToMany && link.destination == list.destination && link.userInfo.isEmpty
          && annotated.inverse(of: link)?.isToMany == true
      }.map { exclude($0, reason) }
    }
  }

  /// Relationships over which clones reach into what others own, or repeat what is unique within an owner that they leave
  /// out; the validator finds them, beside other suggestions.
  ///
  /// Where rows are left to their owner, that decides what else reaches into its parts, so those come first and alone.
  func aggregateSuggestions(
    besides others: [ModelDraft.Suggestion], keeping kept: Set<ModelPath>
  ) -> [ModelDraft.Suggestion] {
    let annotated = applied(others)
    let found = ModelValidator.validate(annotated).compactMap { finding -> (Bool, ModelDraft.Suggestion)? in
      let path = finding.path.components
      guard finding.severity == .warning, path.count > 3,
        let relationship = annotated.relationship(path[3], of: path[1]),
        let reason = Self.reason(of: finding, at: relationship), relationship.userInfo.isEmpty,
        relationship.isOptional, !kept.contains(.relationship(relationship))
      else { return nil }
      let isUnique = finding.code == .uniqueCopied
      // A value that is unique may be a reference itself.
      guard isUnique ? relationship.isToMany : !isAssociation(relationship.destination) else { return nil }
      return (isUnique, exclude(relationship, reason))
    }
    let unique = found.filter { $0.0 }
    return (unique.isEmpty ? found : unique).map { $0.1 }
  }

  private static func reason(of finding: Diagnostic, at list: RelationshipDescription) -> String? {
    switch finding.code {
    case .joinsOtherAggregate: return "a clone would add to what others own"
    case .returnsToKind: return "a clone would come back to others of its kind"
    case .uniqueCopied:
      guard let owner = finding.notes.last?.path.components.dropFirst().first else { return nil }
      return "\(list.destination.withArticle) is cloned with its \(owner): copies here would repeat values "
        + "that are unique there"
    default: return nil
    }
  }

  /// Optional references that say in which role, as `support_rep_id` does, and whose rows stay when the target goes.
  private func mentions(
    _ owning: [(TableReference, RelationshipDescription)]
  ) -> [ModelDraft.Suggestion] {
    owning.compactMap { reference, back in
      let role = shape.names.role(reference)
      guard reference.isOptional, reference.onDelete != "CASCADE", !shape.names.isPlain(reference) else {
        return nil
      }
      let entity = shape.entities[reference.table]
      return exclude(back, "\(entity.withArticle) only names it as its '\(role.lowerCamel)'")
    }
  }
}
