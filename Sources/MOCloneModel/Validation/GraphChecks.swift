/// Checks that reason about what a clone would contain: they follow the relationships that are cloned.
struct GraphChecks {
  let checks: ModelChecks
  let edges: CloneEdges
  var model: ObjectModel { checks.sound }

  init(_ checks: ModelChecks) {
    self.checks = checks
    edges = CloneEdges(checks)
  }

  /// Whether a relationship is cloned only because it names no inverse, which is a finding of its own.
  func isNameless(_ relationship: RelationshipDescription) -> Bool {
    let annotations = checks.written(relationship.userInfo)
    return relationship.inverse == nil && !annotations.has(.exclude) && !annotations.has(.onClone)
      && annotations.misspelt.isEmpty
  }

  /// Whether linking would take nothing from an original.
  func canLink(_ relationship: RelationshipDescription) -> Bool {
    if let inverse = model.inverse(of: relationship), !inverse.isToMany { return false }
    guard case .inverseForeignKey = checks.mapping[relationship.entity].relationships[relationship.name]
    else {
      return true
    }
    return false
  }

  /// Whether a relationship and its inverse are both to-one, and this one leads from the owned object to its owner.
  func leadsToOwner(_ relationship: RelationshipDescription) -> Bool {
    guard !relationship.isToMany, let inverse = model.inverse(of: relationship), !inverse.isToMany else {
      return false
    }
    let (own, other) = (relationship.deleteRule == .cascade, inverse.deleteRule == .cascade)
    if own != other { return other }
    guard case .foreignKey = checks.mapping[relationship.entity].relationships[relationship.name] else {
      return false
    }
    return true
  }
}

extension ModelPath {
  /// A way as it is printed: `Note.items > Item.note`.
  static func way(_ relationships: [RelationshipDescription], to property: String) -> String {
    (relationships.map(\.qualifiedName) + [property]).joined(separator: " > ")
  }
}
