/// Where the inverses of an Xcode model's relationships are declared.
struct XcodeInverses {
  private var parents: [String: String] = [:]
  private var relationships: [String: Set<String>] = [:]

  init(_ root: XcodeElement) {
    for entity in root.children(named: "entity") {
      guard let name = entity["name"], relationships[name] == nil else { continue }
      parents[name] = entity["parentEntity"]
      relationships[name] = Set(entity.children(named: "relationship").compactMap { $0["name"] })
    }
  }

  /// The entity that declares a relationship which another one has, be it from an ancestor; nil where none does.
  func declaring(_ relationship: String, in entity: String) -> String? {
    var (next, seen): (String?, Set<String>) = (entity, [])
    while let entity = next, seen.insert(entity).inserted {
      if relationships[entity]?.contains(relationship) == true { return entity }
      next = parents[entity]
    }
    return nil
  }
}
