/// A model of entities with their attributes and relationships, resolved: inheritance is flattened, inverses found.
///
/// ```swift
/// let model = try ObjectModel(
///   name: "Shelf",
///   entities: [
///     EntityDescription(
///       name: "Book",
///       attributes: [AttributeDescription(name: "title", type: .string)],
///       relationships: [
///         RelationshipDescription(name: "pages", destination: "Page", isToMany: true, inverse: "book")
///       ]),
///     EntityDescription(
///       name: "Page",
///       relationships: [RelationshipDescription(name: "book", destination: "Book", inverse: "pages")]),
///   ])
/// ```
public struct ObjectModel: Sendable, Equatable {
  /// The name of the model; it may be empty.
  public let name: String
  /// The names of the annotation keys in `userInfo`.
  public let userInfoKeys: AnnotationKeys
  /// How the model is stored in SQL, where entities and attributes do not say otherwise.
  public let store: StoreOptions
  /// The entities in the order of their declaration.
  public let entities: [EntityDescription]
  /// The keys of one's own, which begin with `x-`: kept with the model, but no operation reads them.
  public let extensions: [String: ExtensionValue]
  let index: ModelIndex
  /// The same for all copies of one model.
  package let memo: ModelMemo

  /// Resolves and validates a model.
  ///
  /// - Throws: `ModelError` with every finding, where at least one is an error that is not about some clones only.
  public init(
    name: String, userInfoKeys: AnnotationKeys = .default, store: StoreOptions = StoreOptions(),
    entities: [EntityDescription], extensions: [String: ExtensionValue] = [:]
  ) throws(ModelError) {
    self.init(
      unvalidated: name, userInfoKeys: userInfoKeys, store: store, entities: entities, extensions: extensions)
    let diagnostics = ModelValidator.validate(self)
    if diagnostics.contains(where: \.forbidsUse) {
      throw ModelError(diagnostics: diagnostics)
    }
  }

  /// Resolves a model that may be faulty, for the validator: unknown names are dangling, the first of two equal
  /// names counts, cycles of parents are cut.
  package init(
    unvalidated name: String, userInfoKeys: AnnotationKeys, store: StoreOptions,
    entities: [EntityDescription],
    extensions: [String: ExtensionValue] = [:]
  ) {
    self.name = name
    self.userInfoKeys = userInfoKeys
    self.store = store
    self.entities = entities.map { $0.owningItsProperties() }
    self.extensions = extensions
    index = ModelIndex(entities: self.entities)
    memo = ModelMemo()
  }

  /// The order of declaration is for people; two models with the same entities are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.name == b.name && a.userInfoKeys == b.userInfoKeys && a.store == b.store
      && a.extensions == b.extensions && a.entities.count == b.entities.count
      && a.entities.allSatisfy { $0 == b.entity($0.name) }
  }
}

/// What follows from a model and is asked for often: worked out once.
package final class ModelMemo: Sendable {
  private let mapping = Locked<SchemaMapping?>(nil)

  func mapping(_ make: () -> SchemaMapping) -> SchemaMapping {
    mapping.withLock { mapping in
      if let mapping { return mapping }
      let made = make()
      mapping = made
      return made
    }
  }
}

extension ObjectModel {
  /// The entity of a name; nil where the model has none.
  public func entity(_ name: String) -> EntityDescription? {
    index.number[name].map { entities[$0] }
  }

  /// The attributes of an entity, inherited ones first.
  public func attributes(of entity: String) -> [AttributeDescription] {
    index.number[entity].map { index.attributes[$0] } ?? []
  }

  /// The relationships of an entity, inherited ones first.
  public func relationships(of entity: String) -> [RelationshipDescription] {
    index.number[entity].map { index.relationships[$0] } ?? []
  }

  /// An attribute of an entity, inherited ones included; nil where it has none of that name.
  public func attribute(_ name: String, of entity: String) -> AttributeDescription? {
    index.number[entity].flatMap { index.attribute(name, of: $0) }
  }

  /// A relationship of an entity, inherited ones included; nil where it has none of that name.
  public func relationship(_ name: String, of entity: String) -> RelationshipDescription? {
    index.number[entity].flatMap { index.relationship(name, of: $0) }
  }

  /// The entity's parent, parent's parent and so on, the entity itself first.
  public func lineage(of entity: String) -> [String] {
    index.number[entity].map { index.lineage($0).map { entities[$0].name } } ?? []
  }

  /// The uppermost entity that an entity inherits from: the one whose table it is in.
  public func rootEntity(of entity: String) -> String {
    index.number[entity].map { entities[index.roots[$0]].name } ?? entity
  }

  /// Whether an entity is another one or inherits from it.
  public func isKind(_ entity: String, of base: String) -> Bool {
    guard let entity = index.number[entity] else { return false }
    return sequence(first: entity) { index.parent[$0] }.contains { entities[$0].name == base }
  }

  /// An entity and all that inherit from it, abstract ones left out, in the order of their declaration.
  public func concreteEntities(of base: String) -> [String] {
    index.number[base].map { index.descendants($0).map { entities[$0] } }?
      .filter { !$0.isAbstract }.map(\.name) ?? []
  }

  /// The relationship that leads back, if the model names one that exists.
  public func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    relationship.inverse.flatMap { self.relationship($0, of: relationship.destination) }
  }
}

/// What `ObjectModel` looks up by an entity's place in the order of declaration.
struct ModelIndex: Sendable {
  private(set) var number: [String: Int] = [:]
  private(set) var parent: [Int?] = []
  private(set) var children: [[Int]] = []
  /// The uppermost ancestor of each entity.
  private(set) var roots: [Int] = []
  private(set) var attributes: [[AttributeDescription]] = []
  private(set) var relationships: [[RelationshipDescription]] = []
  /// Where each attribute and each relationship of an entity is, where it has many.
  private var attributePlaces: [[String: Int]] = []
  private var relationshipPlaces: [[String: Int]] = []
  /// Entities that inherit from themselves.
  private(set) var cyclic: Set<Int> = []
  /// Entities whose ancestry was cut for its length.
  private(set) var tooDeep: Set<Int> = []
  /// More generations than any model has.
  static let greatestDepth = 32

  init(entities: [EntityDescription]) {
    for (i, entity) in entities.enumerated() where number[entity.name] == nil { number[entity.name] = i }
    parent = entities.map { $0.parent.flatMap { number[$0] } }
    cutAncestry()
    children = Array(repeating: [], count: entities.count)
    for (i, parent) in parent.enumerated() { if let parent { children[parent].append(i) } }
    roots = entities.indices.map { lineage($0).last! }
    attributes = entities.indices.map { i in inherited(by: i) { entities[$0].attributes } }
    relationships = entities.indices.map { i in inherited(by: i) { entities[$0].relationships } }
    attributePlaces = attributes.map { Self.places(of: $0.map(\.name)) }
    relationshipPlaces = relationships.map { Self.places(of: $0.map(\.name)) }
  }

  /// So many are found as fast one after another.
  private static let few = 8

  private static func places(of names: [String]) -> [String: Int] {
    guard names.count > few else { return [:] }
    return Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  func attribute(_ name: String, of entity: Int) -> AttributeDescription? {
    let all = attributes[entity]
    if all.count <= Self.few { return all.first { $0.name == name } }
    return attributePlaces[entity][name].map { all[$0] }
  }

  func relationship(_ name: String, of entity: Int) -> RelationshipDescription? {
    let all = relationships[entity]
    if all.count <= Self.few { return all.first { $0.name == name } }
    return relationshipPlaces[entity][name].map { all[$0] }
  }

  /// What an entity has with its ancestors, theirs first; without a parent its own list is shared, not copied.
  private func inherited<T>(by entity: Int, _ own: (Int) -> [T]) -> [T] {
    parent[entity] == nil ? own(entity) : lineage(entity).reversed().flatMap(own)
  }

  func lineage(_ entity: Int) -> [Int] {
    Array(sequence(first: entity) { parent[$0] })
  }

  /// An entity and all below it, in the order of declaration.
  func descendants(_ entity: Int) -> [Int] {
    var found = [entity]
    var next = 0
    while next < found.count {
      found += children[found[next]]
      next += 1
    }
    return found.sorted()
  }

  /// Cuts cycles of parents, and ancestries so long that what is inherited would fill the memory; one pass.
  private mutating func cutAncestry() {
    var depth: [Int?] = Array(repeating: nil, count: parent.count)
    for start in parent.indices where depth[start] == nil {
      var path: [Int] = []
      var place: [Int: Int] = [:]
      var next: Int? = start
      while let entity = next, depth[entity] == nil {
        if let first = place[entity] {
          for member in path[first...] { parent[member] = nil }
          cyclic.formUnion(path[first...])
          break
        }
        place[entity] = path.count
        path.append(entity)
        next = parent[entity]
      }
      for entity in path.reversed() {
        let above = parent[entity].map { depth[$0]! + 1 } ?? 0
        if above > Self.greatestDepth {
          parent[entity] = nil
          tooDeep.insert(entity)
        }
        depth[entity] = above > Self.greatestDepth ? 0 : above
      }
    }
  }
}

extension EntityDescription {
  fileprivate func owningItsProperties() -> EntityDescription {
    let isOwner =
      attributes.allSatisfy { $0.entity == name } && relationships.allSatisfy { $0.entity == name }
    if isOwner { return self }
    var copy = self
    for i in copy.attributes.indices { copy.attributes[i].entity = name }
    for i in copy.relationships.indices { copy.relationships[i].entity = name }
    return copy
  }
}
