/// How large a model of a file may be: entities share what they inherit, so a small file could ask for very much.
enum ModelLimits {
  static let entities = 2_000
  static let ancestors = 32
  /// Inherited properties count at every entity that has them.
  static let properties = 100_000

  static func finding(about entities: [EntityDescription]) -> Diagnostic? {
    if entities.count > Self.entities { return .tooManyEntities(entities.count) }
    let parents = Dictionary(entities.map { ($0.name, $0.parent) }) { first, _ in first }
    let own = Dictionary(entities.map { ($0.name, $0.attributes.count + $0.relationships.count) }) { a, _ in a
    }
    var total = 0
    for entity in entities {
      var lineage = [entity.name]
      while let parent = parents[lineage[lineage.count - 1]] ?? nil, !lineage.contains(parent) {
        lineage.append(parent)
        if lineage.count > ancestors { return .tooManyAncestors(entity.name) }
      }
      total += lineage.reduce(0) { $0 + (own[$1] ?? 0) }
    }
    return total > properties ? .tooManyProperties(total) : nil
  }
}

extension Diagnostic {
  static func tooManyEntities(_ count: Int) -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .model / "entities",
      "the model has \(count) entities; a file may have \(ModelLimits.entities)")
  }

  static func tooManyAncestors(_ entity: String) -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .entity(entity),
      "'\(entity.shortened)' inherits over more than \(ModelLimits.ancestors) entities")
  }

  static func tooManyProperties(_ count: Int) -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .model / "entities",
      "the entities have \(count) properties with those inherited; a file may ask for \(ModelLimits.properties)"
    )
  }
}
