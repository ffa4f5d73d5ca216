import MOCloneEngine
import MOCloneModel

/// Makes requests from a seed: a root, exclusions, values that are set, counts.
public struct RandomRequest {
  /// The place of the root among the objects of the graph.
  public let root: Int
  /// The entity that is asked for: the root's or one it inherits from.
  public let entity: String
  private var request = CloneRequest()
  /// The to-one relationships that are set, each with the place of its destination.
  private var destinations: [String: Int] = [:]
  private var random: SplitMix64

  /// The request of a seed for a graph that `RandomGraph` has filled.
  ///
  /// - Parameters:
  ///   - seed: what decides on everything.
  ///   - model: the model of the graph.
  ///   - objects: the objects of the graph, in the order in which they were filled in.
  ///   - hasAnyRoot: objects whose key holds their owner's cannot be cloned beside themselves, so they are no roots unless
  ///     that is wanted.
  public init(seed: UInt64, model: ObjectModel, objects: [ObjectID], hasAnyRoot: Bool = false) {
    random = SplitMix64(seed: seed ^ 0x5A5A_A5A5)
    let roots = objects.indices.filter { place in
      let key = SchemaMapping(model)[objects[place].entity].key
      let isMade = key.contains {
        if case .uuid = $0.source { true } else { $0.source == .max }
      }
      return key.count < 2 || hasAnyRoot && isMade
    }
    root = random.pick(roots)
    let concrete = objects[root].entity
    entity = random.pick(model.lineage(of: concrete))
    request.count = random.chance(25) ? random.number(2...3) : 1
    if random.chance(30) { addExclusion(model, concrete) }
    if random.chance(30) { addValue(model, concrete) }
    if random.chance(15) { addDestination(model, objects) }
  }

  /// The request with the keys of one graph.
  public func request(objects: [ObjectID]) -> CloneRequest {
    var request = request
    for (name, place) in destinations {
      request.set[name] = .string(objects[place].key.description)
    }
    return request
  }

  /// The relationships that are set, and their inverses.
  func givenRelationships(_ model: ObjectModel) -> Set<String> {
    let given = model.entities.flatMap(\.relationships).filter { destinations[$0.name] != nil }
    return Set(given.flatMap { [$0.name] + ($0.inverse.map { [$0] } ?? []) })
  }

  private mutating func addExclusion(_ model: ObjectModel, _ concrete: String) {
    let entity = random.chance(60) ? concrete : random.pick(model.entities).name
    let optional = model.attributes(of: entity).filter { $0.isOptional && $0.column == nil }.map(\.name)
    let names = model.relationships(of: entity).map(\.name) + optional
    guard !names.isEmpty else { return }
    let name = random.pick(names)
    if entity == concrete, random.chance(40) {
      request.excludeAtRoot = [name]
    } else {
      request.exclude = [random.chance(50) ? name : "\(entity).\(name)"]
    }
  }

  private mutating func addValue(_ model: ObjectModel, _ concrete: String) {
    let attributes = model.attributes(of: concrete).filter { $0.column == nil }
    guard !attributes.isEmpty else { return }
    let attribute = random.pick(attributes)
    if attribute.isOptional, random.chance(50) {
      request.unset = [attribute.name]
    } else if attribute.type == .string {
      request.set[attribute.name] = "given"
    } else if attribute.type.isInteger {
      request.set[attribute.name] = 4711
    }
  }

  private mutating func addDestination(_ model: ObjectModel, _ objects: [ObjectID]) {
    let relationships = model.relationships(of: objects[root].entity).filter { !$0.isToMany }
    guard !relationships.isEmpty else { return }
    let relationship = random.pick(relationships)
    let others = objects.indices.filter { model.isKind(objects[$0].entity, of: relationship.destination) }
    guard !others.isEmpty else { return }
    destinations[relationship.name] = random.pick(others)
  }
}

extension RandomRequest: CustomStringConvertible {
  public var description: String {
    "clone \(entity) object \(root), destinations \(destinations), \(request)"
  }
}
