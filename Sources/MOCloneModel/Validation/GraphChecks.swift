/// Checks that reason about what a clone would contain: they follow the relationships that are cloned.
struct GraphChecks {
  let checks: ModelChecks
  let edges: CloneEdges
  let ownership: Ownership
  var model: ObjectModel { checks.sound }
  /// How many entities a check passes at most; a model where that is not enough is too large to read the rest.
  static let mostSteps = 20_000

  init(_ checks: ModelChecks) {
    self.checks = checks
    edges = CloneEdges(checks)
    ownership = Ownership(checks)
  }

  /// Whether a relationship is cloned only because it names no inverse, which is a finding of its own.
  func isNameless(_ relationship: RelationshipDescription) -> Bool {
    let annotations = checks.written(relationship.userInfo)
    return relationship.inverse == nil && !annotations.has(.exclude) && !annotations.has(.onClone)
      && annotations.misspelt.isEmpty
  }

  /// Whether linking would take nothing from an original.
  func canLink(_ relationship: RelationshipDescription) -> Bool {
    checks.mapping.canShare(relationship, in: model)
  }

  func leadsToOwner(_ relationship: RelationshipDescription) -> Bool { ownership.leadsToOwner(relationship) }
}

extension ModelPath {
  /// A way as it is printed: `Note.items > Item.note`; a long one without its middle.
  static func way(_ relationships: [RelationshipDescription], to property: String) -> String {
    let steps = relationships.map(\.qualifiedName) + [property]
    let shown = steps.count > 8 ? Array(steps.prefix(3) + ["..."] + steps.suffix(3)) : steps
    return shown.joined(separator: " > ")
  }
}
