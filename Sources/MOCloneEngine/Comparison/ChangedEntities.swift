import MOCloneModel

/// Where two models can differ in what a clone holds, so that the many roots that never come there need not be planned.
struct ChangedEntities {
  /// The entities whose own rules, or those of the other ends of their relationships, are not the same.
  let entities: Set<String>
  /// The entities from which relationships lead to one of them in either model.
  private let origins: Set<String>

  init(old: ObjectModel, new: ObjectModel, mappings: (old: SchemaMapping, new: SchemaMapping)) {
    let names = (old.entities + new.entities).map(\.name).uniqued()
    let edited = Set(
      old.userInfoKeys == new.userInfoKeys
        ? names.filter {
          old.entity($0) != new.entity($0) || mappings.old.entities[$0] != mappings.new.entities[$0]
        } : names)
    entities = Set(
      names.filter { name in
        [old, new].contains { Self.related(to: name, in: $0).contains(where: edited.contains) }
      })
    origins = Self.origins(of: entities, in: [old, new])
  }

  func canBeReached(from root: String) -> Bool { origins.contains(root) }

  /// An entity, what it inherits from, and what its relationships lead to.
  private static func related(to name: String, in model: ObjectModel) -> [String] {
    guard model.entity(name) != nil else { return [name] }
    return model.lineage(of: name)
      + model.relationships(of: name).flatMap {
        model.concreteEntities(of: $0.destination) + [$0.destination]
      }
  }

  private static func origins(of entities: Set<String>, in models: [ObjectModel]) -> Set<String> {
    var sources: [String: [String]] = [:]
    for model in models {
      for entity in model.entities {
        for relationship in model.relationships(of: entity.name) {
          for destination in model.concreteEntities(of: relationship.destination) {
            sources[destination, default: []].append(entity.name)
          }
        }
      }
    }
    var found = entities
    var pending = Array(entities)
    while let name = pending.popLast() {
      for source in sources[name] ?? [] where found.insert(source).inserted { pending.append(source) }
    }
    return found
  }
}
