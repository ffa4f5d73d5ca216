import MOCloneEngine
import MOCloneModel

/// Makes small random graphs of any valid model, in which its constraints hold.
///
/// Objects and links are made first, then what breaks a constraint is taken away: so no order in which objects could need each
/// other has to be found, and a cycle of required relationships is nothing special.
struct SampleMaker {
  let model: SampleModel
  private var random: SplitMix64
  private var values: SampleValues
  private var graph = SampleGraph()
  /// The objects of each concrete entity.
  private var objects: [String: [Int]] = [:]
  /// More entities than these make a graph that nobody can read.
  static let mostEntities = 24

  init(_ model: SampleModel, seed: UInt64) {
    self.model = model
    random = SplitMix64(seed: seed)
    values = SampleValues(model, random: SplitMix64(seed: ~seed))
  }

  /// A graph of an entity and what is near it.
  static func graph(_ model: SampleModel, around entity: String, seed: UInt64) -> SampleGraph {
    var maker = SampleMaker(model, seed: seed)
    return maker.graph(around: entity)
  }

  private mutating func graph(around entity: String) -> SampleGraph {
    let near = Neighbourhood(model: model).entities(around: entity, atMost: model.mostEntities)
    let most = near.count > Self.mostEntities ? 1 : near.count > 12 ? 2 : 4
    for entity in near { addObjects(of: entity, atMost: most) }
    for kind in model.kinds(among: near).shuffled(using: &random) { link(kind) }
    return SamplePruning(model).pruned(SampleSettling(model: model).settled(graph))
  }

  // MARK: Objects

  private mutating func addObjects(of entity: String, atMost most: Int) {
    let count = max(random.number(1...most), min(model.leastCount(of: entity), 12))
    for _ in 0..<count {
      guard let values = values.values(of: entity) else { return }
      let id = graph.objects.count + 1
      graph.objects.append(SampleGraph.Object(id: id, entity: entity, values: values))
      objects[entity, default: []].append(id)
    }
  }

  private func objects(of entity: String) -> [Int] {
    model.model.concreteEntities(of: entity).flatMap { objects[$0] ?? [] }
  }

  // MARK: Links

  private mutating func link(_ kind: LinkKind) {
    let sources = objects(of: kind.relationship.entity).shuffled(using: &random)
    let destinations = objects(of: kind.relationship.destination)
    guard !sources.isEmpty, !destinations.isEmpty else { return }
    if kind.relationship.isToMany {
      kind.sharesDestinations
        ? linkMany(kind, sources: sources, destinations: destinations)
        : linkMembers(kind, sources: sources, destinations: destinations)
    } else {
      linkOnes(kind, sources: sources, destinations: destinations)
    }
  }

  /// Each source gets one destination, first those that need a source.
  private mutating func linkOnes(_ kind: LinkKind, sources: [Int], destinations: [Int]) {
    var room = Room(kind.inverse, objects: destinations)
    for source in sources {
      let others = destinations.filter { isTree(kind, source: source, destination: $0) && room.has($0) }
      let needing = others.filter { room.needs($0) }
      let isWanted = !kind.relationship.isOptional || !needing.isEmpty || random.chance(70)
      let choice = !needing.isEmpty ? needing : others
      guard isWanted else { continue }
      if !choice.isEmpty {
        add(kind, source: source, destination: random.pick(choice), room: &room)
      } else if !kind.relationship.isOptional, let any = destinations.first(where: { room.has($0) }) {
        add(kind, source: source, destination: any, room: &room)
      }
    }
  }

  /// Links between objects of one entity mostly lead to earlier ones, as in a tree.
  private mutating func isTree(_ kind: LinkKind, source: Int, destination: Int) -> Bool {
    destination < source || kind.relationship.entity != kind.relationship.destination
  }

  /// Each destination gets one source at most.
  private mutating func linkMembers(_ kind: LinkKind, sources: [Int], destinations: [Int]) {
    var room = Room(kind.relationship, objects: sources)
    for destination in destinations.shuffled(using: &random) {
      let needing = sources.filter { room.needs($0) }
      let others = sources.filter { room.has($0) && $0 != destination }
      guard !others.isEmpty, !needing.isEmpty || random.chance(70) else { continue }
      let source = random.pick(needing.isEmpty ? others : needing)
      room.take(source)
      graph.links.append(SampleGraph.Link(relationship: kind.name, source: source, destination: destination))
    }
  }

  private mutating func linkMany(_ kind: LinkKind, sources: [Int], destinations: [Int]) {
    var room = Room(kind.inverse, objects: destinations)
    for source in sources {
      let least = kind.relationship.minCount ?? 0
      let most = kind.relationship.maxCount ?? max(3, least)
      guard least <= most else { continue }
      let count = random.number(least...min(most, max(3, least)))
      // Those that need a source come first.
      let others = destinations.filter { room.has($0) }.shuffled(using: &random)
      let (needing, rest) = (others.filter { room.needs($0) }, others.filter { !room.needs($0) })
      for destination in (needing + rest).prefix(count) {
        add(kind, source: source, destination: destination, room: &room)
      }
    }
  }

  private mutating func add(_ kind: LinkKind, source: Int, destination: Int, room: inout Room) {
    room.take(destination)
    graph.links.append(SampleGraph.Link(relationship: kind.name, source: source, destination: destination))
  }
}

/// How many more links a relationship of each of some objects takes and needs.
private struct Room {
  private var counts: [Int: Int]
  private let least: Int
  private let most: Int

  init(_ relationship: RelationshipDescription?, objects: [Int]) {
    counts = Dictionary(uniqueKeysWithValues: objects.map { ($0, 0) })
    guard let relationship else {
      (least, most) = (0, .max)
      return
    }
    least = relationship.isToMany ? relationship.minCount ?? 0 : relationship.isOptional ? 0 : 1
    most = relationship.isToMany ? relationship.maxCount ?? .max : 1
  }

  func has(_ object: Int) -> Bool { counts[object]! < most }
  func needs(_ object: Int) -> Bool { counts[object]! < least }
  mutating func take(_ object: Int) { counts[object]! += 1 }
}
