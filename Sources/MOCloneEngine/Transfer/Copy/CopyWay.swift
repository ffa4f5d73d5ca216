import MOCloneModel

/// How a copy reaches an object.
enum CopyWay: Hashable {
  case owned, referred
  /// By a relationship whose other side is to-many, too.
  case paired(String)
}

extension CopyRules {
  /// How the destinations of a relationship are reached from an object; nil where they do not come along.
  ///
  /// Only what was asked for or is owned brings what it owns; nothing is followed back over the pairs that it was reached
  /// by.
  func way(
    over relationship: RelationshipDescription, from way: CopyWay, mapping: SchemaMapping
  ) -> CopyWay? {
    guard follows(relationship) else { return nil }
    if follow == .all { return .owned }
    let inverse = model.inverse(of: relationship)
    switch mapping[relationship.entity].relationships[relationship.name] {
    case .inverseForeignKey: return way == .owned ? .owned : nil
    case .join:
      if let inverse, way == .paired(inverse.qualifiedName) { return nil }
      return .paired(relationship.qualifiedName)
    default:
      let isOneToOne = inverse.map { !$0.isToMany } ?? false
      return isOneToOne && way == .owned ? .owned : .referred
    }
  }
}
