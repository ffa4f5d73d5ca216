/// How large a model of a file may be: entities share what they inherit, so a small file could ask for very much.
package enum ModelLimits {
  package static let entities = 10_000
  package static let ancestors = 32
  /// Inherited properties count at every entity that has them.
  package static let properties = 50_000
  /// SQLite has no more columns in a table either.
  package static let propertiesOfOne = 2_000
  /// In bytes; libyaml has the same limit for keys without a question mark.
  package static let key = 1024
  /// In bytes, as compiling a regular expression takes time that grows faster than its length.
  package static let pattern = 4096

  package static func finding(about entities: [EntityDescription]) -> Diagnostic? {
    if entities.count > Self.entities { return .tooManyEntities(entities.count) }
    let parents = Dictionary(entities.map { ($0.name, $0.parent) }) { first, _ in first }
    let own = Dictionary(entities.map { ($0.name, size(of: $0)) }) { a, b in a + b }
    var total = 0
    for entity in entities {
      var lineage = [entity.name]
      while let parent = parents[lineage[lineage.count - 1]] ?? nil, !lineage.contains(parent) {
        lineage.append(parent)
        if lineage.count > ancestors { return .tooManyAncestors(entity.name) }
      }
      let size = lineage.reduce(0) { $0 + (own[$1] ?? 0) }
      if size > propertiesOfOne { return .tooManyProperties(size, of: entity.name) }
      total += size
    }
    return total > properties ? .tooManyProperties(total) : nil
  }

  /// The properties of an entity, and the names in its lists, which are checked one by one as well.
  private static func size(of entity: EntityDescription) -> Int {
    let columns = entity.relationships.reduce(0) {
      $0 + $1.columns.count + ($1.joinTable.map { $0.columns.count + $0.inverseColumns.count } ?? 0)
    }
    let names = entity.uniquenessConstraints.reduce(entity.primaryKey.count) { $0 + $1.count }
    return entity.attributes.count + entity.relationships.count + columns + names
  }
}

extension Diagnostic {
  package static func tooManyEntities(_ count: Int) -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .model / "entities",
      "the model has \(count) entities; the limit is \(ModelLimits.entities)",
      help: "leave out entities that nobody clones; tables that a model does not name stay as they are")
  }

  package static func tooManyAncestors(_ entity: String) -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .entity(entity),
      "'\(entity.shortened)' has more than \(ModelLimits.ancestors) ancestors",
      help: "let it inherit from an entity further up")
  }

  package static func tooManyProperties(_ count: Int, of entity: String) -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .entity(entity),
      "'\(entity.shortened)' has \(count) properties and columns including inherited ones; the limit for one entity is "
        + "\(ModelLimits.propertiesOfOne)",
      help: "split the entity")
  }

  package static func tooManyProperties(_ count: Int) -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .model / "entities",
      "the entities have \(count) properties and columns including inherited ones; the limit for a file is "
        + "\(ModelLimits.properties)",
      help: "leave out entities that nobody clones; tables that a model does not name stay as they are")
  }
}
