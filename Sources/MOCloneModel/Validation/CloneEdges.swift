/// Which entities are cloned over which relationships, as the annotations alone decide.
///
/// An edge holds in some way of arriving; where its relationship is the inverse of the arrival it does not, so
/// ways found here are possible, not certain.
struct CloneEdges {
  /// A clone arrives at an entity from another one.
  struct Edge {
    var source: String
    var relationship: RelationshipDescription
  }

  /// By the concrete entity arrived at, in the order of declaration.
  private let arrivals: [String: [Edge]]

  init(_ checks: ModelChecks) {
    var arrivals: [String: [Edge]] = [:]
    let model = checks.sound
    for source in checks.entities where !source.isAbstract {
      for relationship in model.relationships(of: source.name) where checks.clones(relationship) {
        for destination in model.concreteEntities(of: relationship.destination) {
          arrivals[destination, default: []].append(Edge(source: source.name, relationship: relationship))
        }
      }
    }
    self.arrivals = arrivals
  }

  /// The ways of arriving at a concrete entity over one relationship.
  func arriving(at entity: String) -> [Edge] {
    arrivals[entity] ?? []
  }

  /// The entities that a path to one of the given ones may pass.
  func ancestors(of entities: [String]) -> Set<String> {
    var found: Set<String> = []
    var pending = entities
    while let entity = pending.popLast() {
      for edge in arriving(at: entity) where found.insert(edge.source).inserted {
        pending.append(edge.source)
      }
    }
    return found
  }
}

extension ModelChecks {
  /// Whether a relationship's destinations are cloned where it is not the way back to the parent.
  func clones(_ relationship: RelationshipDescription) -> Bool {
    let annotations = written(relationship.userInfo).meaning
    if annotations.isExcluded { return false }
    if let onClone = annotations.onClone { return onClone == .clone }
    return sound.inverse(of: relationship)?.isToMany != true
  }
}
