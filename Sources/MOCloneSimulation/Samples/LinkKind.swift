import MOCloneModel

/// A relationship and its inverse as one kind of link, seen from one of the two: the to-one, the required or the first by name.
///
/// A class, for every end of every kind names it, and there are thousands where all entities are related.
package final class LinkKind: Sendable {
  package let relationship: RelationshipDescription
  package let inverse: RelationshipDescription?
  /// Whether several sources may link to one destination.
  package let sharesDestinations: Bool
  package let name: String

  var names: Set<String> { Set([relationship, inverse].compactMap { $0?.qualifiedName }) }

  private init(
    _ relationship: RelationshipDescription, inverse: RelationshipDescription?, home: SchemaMapping
  ) {
    self.relationship = relationship
    self.inverse = inverse
    name = relationship.qualifiedName
    if let inverse {
      sharesDestinations = inverse.isToMany
    } else if case .inverseForeignKey = home[relationship.entity].relationships[relationship.name] {
      sharesDestinations = false
    } else {
      sharesDestinations = true
    }
  }

  /// Every kind of link of a model, in the order of declaration.
  package static func all(of model: ObjectModel) -> [LinkKind] {
    let mapping = SchemaMapping(model)
    return model.entities.flatMap(\.relationships).compactMap { relationship in
      let inverse = model.inverse(of: relationship)
      if let inverse, inverse.comesBefore(relationship) { return nil }
      return LinkKind(relationship, inverse: inverse, home: mapping)
    }
  }
}

extension RelationshipDescription {
  /// Whether the link of a pair is seen from here.
  fileprivate func comesBefore(_ inverse: RelationshipDescription) -> Bool {
    if isToMany != inverse.isToMany { return !isToMany }
    if isOptional != inverse.isOptional { return !isOptional }
    return qualifiedName < inverse.qualifiedName
  }
}
