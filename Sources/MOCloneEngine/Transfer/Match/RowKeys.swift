import MOCloneModel

/// Reads what identifies the rows of one entity.
struct RowKeys {
  /// Where a part of an identity is found in a row.
  private enum Part {
    case value(place: Int, standard: AttributeValue)
    /// At the end of the path, by its name.
    case given(String)
    case reference(place: Int, IdentityPath)
    case absent
  }

  private let parts: [Part]

  init(_ identity: Identity, of entity: TransferPlan.Entity) {
    parts = identity.paths.map { path in
      if entity.givenPaths.contains(path.description) { return .given(path.description) }
      guard let step = path.steps.first else {
        let attribute = path.attribute!
        return entity.attribute(attribute.name).map {
          .value(place: $0, standard: attribute.defaultValue ?? .null)
        } ?? .absent
      }
      return entity.reference(step).map { .reference(place: $0, path) } ?? .absent
    }
  }

  /// - Parameter follow: what lies at the end of a path that begins with a reference.
  func key(
    of row: StagedRow,
    _ follow: (StagedReference, ArraySlice<RelationshipDescription>, AttributeDescription?) throws ->
      MatchPart
  ) rethrows -> IdentityIndex.Key {
    try parts.map { part in
      switch part {
      case .value(let place, let standard): .value(row.values[place] ?? standard)
      case .given(let name):
        switch row.ends[name] {
        case .row(let other): try follow(.row(other), [], nil)
        case let end: end ?? .empty
        }
      case .reference(let place, let path):
        try follow(row.references[place], path.steps[...], path.attribute)
      case .absent: .empty
      }
    }
  }
}
