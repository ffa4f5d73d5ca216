/// A name that parents and destinations use, but no entity has.
struct MissingEntity {
  /// More places than these are counted only.
  private static let mostPlaces = 5

  var name: String
  /// The entities that name it as their parent.
  var parents: [String] = []
  var destinations: [RelationshipDescription] = []

  private var places: [ModelPath] {
    parents.map { ModelPath.entity($0) / "parent" }
      + destinations.map { ModelPath.relationship($0) / "destination" }
  }

  /// Another name wherever this one is.
  func renamed(_ name: String) -> ModelEdit {
    ModelEdit(places.map { .set($0, name) })
  }

  /// All places but the first, which the finding itself names.
  var otherPlaces: [Diagnostic.Note] {
    let more = places.count - 1 - Self.mostPlaces
    return places.dropFirst().prefix(Self.mostPlaces).enumerated().map { i, place in
      let isLast = more > 0 && i == Self.mostPlaces - 1
      return Diagnostic.Note(
        isLast ? "it is also named here, and in \(more) more places" : "it is also named here", at: place)
    }
  }
}

extension ModelChecks {
  /// In the order in which they are first named; parents before destinations.
  var missingEntities: [MissingEntity] {
    guard lacksRelationships || !orphans.isEmpty else { return [] }
    var missing: [MissingEntity] = []
    var places: [String: Int] = [:]
    func note(_ name: String, _ use: (inout MissingEntity) -> Void) {
      guard model.entity(name) == nil else { return }
      let place = places[name] ?? missing.count
      if place == missing.count { missing.append(MissingEntity(name: name)) }
      places[name] = place
      use(&missing[place])
    }
    for entity in model.firstDeclarations {
      if let parent = entity.parent { note(parent) { $0.parents.append(entity.name) } }
    }
    for relationship in relationships {
      note(relationship.destination) { $0.destinations.append(relationship) }
    }
    return missing
  }
}
