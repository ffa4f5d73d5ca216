import MOCloneEngine
import MOCloneModel

/// What making, checking and reading sample graphs asks of a model, worked out once.
package struct SampleModel: Sendable {
  package let model: ObjectModel
  let mapping: SchemaMapping
  let layout: GraphLayout
  package let kinds: [LinkKind]
  private let kindsByName: [String: LinkKind]
  /// The kinds of links by the entity that declares one of their two relationships.
  private let kindsByEntity: [String: [LinkEnd]]
  private var endsByName: [String: LinkEnd] = [:]
  private var leastCounts: [String: Int] = [:]
  /// The concrete entities in the order of declaration.
  package let entities: [String]
  /// The relationships that lead from an owner to what it owns, as `Entity.name`.
  let owning: Set<String>
  /// Those, and the lists whose members are cloned with the object, whether it owns them or not.
  let gathering: Set<String>

  package init(_ model: ObjectModel) {
    self.model = model
    mapping = SchemaMapping(model)
    layout = GraphLayout(model)
    kinds = LinkKind.all(of: model)
    kindsByName = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
    owning = model.owningRelationships
    gathering = owning.union(model.clonedLists)
    entities = model.entities.filter { !$0.isAbstract }.map(\.name)
    var ends: [String: [LinkEnd]] = [:]
    for kind in kinds {
      ends[kind.relationship.entity, default: []].append(LinkEnd(kind: kind, isSource: true))
      if let inverse = kind.inverse {
        ends[inverse.entity, default: []].append(LinkEnd(kind: kind, isSource: false))
      }
    }
    kindsByEntity = ends
    for end in ends.values.joined() { endsByName[end.relationship.qualifiedName] = end }
    for relationship in model.entities.flatMap(\.relationships) {
      let least = max(relationship.minCount ?? 1, leastCounts[relationship.destination] ?? 1)
      leastCounts[relationship.destination] = least
    }
  }

  /// A graph in memory without objects; of a large model it takes long to make.
  func newGraph() -> MemoryGraph {
    MemoryGraph(model: model, layout: layout, checksUniqueValues: true)
  }

  /// More links than these make a graph that nobody can read, and that takes long.
  private static let mostKinds = 150

  /// How many entities a graph holds at most: fewer where each is related to many.
  var mostEntities: Int {
    let related = max(1, 2 * kinds.count / max(1, entities.count))
    return max(6, min(SampleMaker.mostEntities, Self.mostKinds / related))
  }

  /// The kinds of links that have objects of some entities at both ends, in the order of declaration.
  func kinds(among near: [String]) -> [LinkKind] {
    if near.count == entities.count { return kinds }
    let present = Set(near.flatMap(model.lineage))
    return kinds.filter {
      present.contains($0.relationship.entity) && present.contains($0.relationship.destination)
    }
  }

  /// How many objects of an entity any other one asks for.
  func leastCount(of entity: String) -> Int {
    model.lineage(of: entity).compactMap { leastCounts[$0] }.max() ?? 1
  }

  /// The kind of a link of a graph of this model.
  func kind(of link: SampleGraph.Link) -> LinkKind { kindsByName[link.relationship]! }

  /// One of the two ends of a kind of link, as a relationship of the objects there.
  struct LinkEnd: Sendable {
    var kind: LinkKind
    var isSource: Bool
    var relationship: RelationshipDescription { isSource ? kind.relationship : kind.inverse! }

    func others(of object: Int, _ links: SampleLinks) -> [Int] {
      isSource ? links.destinations(of: object, over: kind) : links.sources(of: object, over: kind)
    }
  }

  /// The relationships of an entity, inherited ones included.
  func ends(of entity: String) -> [LinkEnd] {
    model.lineage(of: entity).flatMap { kindsByEntity[$0] ?? [] }
  }

  /// The end of links that a relationship is.
  func end(_ relationship: RelationshipDescription) -> LinkEnd? {
    endsByName[relationship.qualifiedName]
  }

  /// Whether the destination of a kind of link owns its source, or gathers it in another way.
  ///
  /// - Parameter names: the relationships that count, as `Entity.name`.
  func leadsToOwner(_ kind: LinkKind, names: Set<String>) -> Bool {
    kind.inverse.map { names.contains($0.qualifiedName) } ?? false
  }

  /// The attributes that a store holds and that are written by hand.
  func written(_ entity: String) -> [AttributeDescription] {
    model.attributes(of: entity).filter { !$0.isTransient && !$0.isKeptByTriggers }
  }

  /// Who makes the value of an attribute that is in a key column; nil for any other one.
  func keySource(_ attribute: AttributeDescription, of entity: String) -> KeyPart.Source? {
    let home = mapping[entity]
    return home.attributes[attribute.name]?.keyPart.map { home.key[$0].source }
  }

  /// Whether a graph in memory numbers an attribute itself.
  func isNumbered(_ attribute: AttributeDescription, of entity: String) -> Bool {
    switch keySource(attribute, of: entity) {
    case .rowid, .automatic, .max: attribute.type.isInteger
    default: false
    }
  }
}

extension ObjectModel {
  /// The to-many relationships, as `Entity.name`, whose members have one such object and are cloned with it.
  fileprivate var clonedLists: [String] {
    entities.flatMap(\.relationships).filter { relationship in
      let annotations = CloneAnnotations(userInfo: relationship.userInfo, keys: userInfoKeys)
      return relationship.isToMany && inverse(of: relationship)?.isToMany == false
        && !annotations.isExcluded && annotations.onClone != .link
    }.map(\.qualifiedName)
  }
}
