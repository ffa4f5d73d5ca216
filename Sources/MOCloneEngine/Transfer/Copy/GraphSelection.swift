import MOCloneModel

/// The objects of a graph that a transfer takes along: all, what a selection reaches, or a subtree with what it is linked
/// to.
package struct GraphSelection {
  package let source: any ObjectGraph
  /// Nil for a copy.
  let links: SubtreeLinks?
  private let rules: CopyRules
  /// Nil where every object is taken.
  private let reached: Set<ObjectID>?

  /// - Throws: `CloneError` (`store-mismatch`) where the graph has another model.
  package init(
    _ rules: CopyRules, from source: any ObjectGraph, of model: ObjectModel, subtree: CopiedSubtree? = nil
  ) throws {
    try source.checkModel(model)
    (self.rules, self.source) = (rules, source)
    let links = try subtree.map { try SubtreeLinks($0.found(in: source), rules: rules, source: source) }
    self.links = links
    reached = try links.map { $0.members.union($0.linked) } ?? SourceReach(rules, source: source).objects
  }

  /// The members of a subtree.
  package var members: [ObjectID] { links.map { Array($0.members) } ?? [] }

  package func contains(_ object: ObjectID) -> Bool { reached?.contains(object) ?? true }

  /// Whether two objects of a join table belong together where both are taken along and only their source knows it.
  package func pairs(_ object: ObjectID, _ relationship: RelationshipDescription, _ other: ObjectID) -> Bool {
    let inverse = source.model.inverse(of: relationship)
    guard let links, links.isAskedPartly(relationship) || inverse.map(links.isAskedPartly) == true else {
      return true
    }
    return links.pairs(object, relationship: relationship, other: other, inverse: inverse)
  }

  /// The objects of an entity and of what inherits from it, in the order of their keys.
  package func objects(of entity: String) throws -> [ObjectID] {
    guard let reached else { return try source.objectIDs(entity) }
    // A store may hold far more than what is reached.
    return reached.filter { source.model.isKind($0.entity, of: entity) }.sorted { $0.key.precedes($1.key) }
  }

  /// Objects that are not taken along and that lie on the paths which identify others.
  package func identityEnds() throws -> Set<ObjectID> {
    var ends: Set<ObjectID> = []
    for object in reached ?? [] {
      for path in rules.identities[object.entity]?.paths ?? [] {
        var place = object
        for step in path.steps {
          guard let next = try source.destinations(step.name, of: place).first else { break }
          if !contains(next) { ends.insert(next) }
          place = next
        }
      }
    }
    return ends
  }
}
