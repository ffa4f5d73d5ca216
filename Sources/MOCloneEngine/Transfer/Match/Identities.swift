import MOCloneModel

/// What identifies the objects of each entity of a model: what a call names, else the first uniqueness constraint,
/// own or inherited, else a key that people choose or that consists of references.
public struct Identities: Sendable {
  /// The model of the entities.
  public let model: ObjectModel
  private var identities: [String: Identity] = [:]
  private var byKey: Set<String> = []
  /// Those whose identity a call names.
  private var asked: Set<String> = []

  /// Works out what identifies each entity of a model; made once for many objects.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - request: what a call says of identities, which comes before the model's.
  ///   - named: the entities that a call is about. Where there are any, names without an entity hold for these and for
  ///     entities without a constraint of their own.
  /// - Throws: `CloneError` (`unknown-entity`, `unknown-name`, `invalid-value`) with everything that is wrong.
  public init(_ model: ObjectModel, identifiedBy request: IdentityRequest = [:], of named: [String] = [])
    throws
  {
    self.model = model
    let asked = try Self.resolved(request, in: model)
    let mapping = SchemaMapping(model)
    for entity in model.entities.map(\.name) {
      let lineage = model.lineage(of: entity)
      let constraint = Self.constraint(of: entity, model)
      let isNamed = named.contains { lineage.contains($0) || model.lineage(of: $0).contains(entity) }
      if let paths = lineage.compactMap({ asked[$0] }).first {
        identities[entity] = Identity(entity: entity, scope: entity, paths: paths)
        self.asked.insert(entity)
      } else if let paths = Self.common(request, entity: entity, in: model),
        constraint.map({ named.isEmpty ? !$0.isNarrower(than: paths) : isNamed }) ?? true
      {
        identities[entity] = Identity(entity: entity, scope: entity, paths: paths)
        self.asked.insert(entity)
      } else {
        if constraint == nil { byKey.insert(entity) }
        identities[entity] = constraint ?? Self.key(of: entity, model, mapping: mapping)
      }
    }
  }

  /// Nil for an entity without identity: an object of it is never found again.
  public subscript(entity: String) -> Identity? { identities[entity] }

  /// Whether an attribute of a name is a part of what identifies any entity's objects.
  package func areBy(_ attribute: String) -> Bool {
    identities.values.contains { $0.paths.contains { $0.attribute?.name == attribute } }
  }

  /// Whether anything identifies objects of an entity.
  func exist(for entity: String) -> Bool {
    model.concreteEntities(of: entity).contains { self[$0] != nil }
  }

  /// Whether only the key identifies an entity's objects, if anything does.
  func isByKey(_ entity: String) -> Bool { byKey.contains(entity) }

  /// The first uniqueness constraint of an entity, its own before inherited ones.
  private static func constraint(of entity: String, _ model: ObjectModel) -> Identity? {
    for scope in model.lineage(of: entity) {
      guard let names = model.entity(scope)?.uniquenessConstraints.first else { continue }
      guard let paths = try? names.map({ try IdentityPath($0, of: scope, in: model) }) else { continue }
      return Identity(entity: entity, scope: scope, paths: paths)
    }
    return nil
  }
}

extension Identity {
  /// Whether it consists of some paths and of more, as the name of an option within its product: the name alone would find
  /// options of other products.
  fileprivate func isNarrower(than paths: [IdentityPath]) -> Bool {
    let own = Set(self.paths.map(\.description))
    return own.count > paths.count && own.isSuperset(of: paths.map(\.description))
  }
}

// MARK: - Keys

extension Identities {
  /// A key that no store makes, where attributes and to-one relationships are all its parts.
  private static func key(of entity: String, _ model: ObjectModel, mapping: SchemaMapping) -> Identity? {
    let scope = model.rootEntity(of: entity)
    guard let names = mapping[entity].tellingKey,
      let paths = try? names.map({ try IdentityPath($0, of: scope, in: model) })
    else { return nil }
    return Identity(entity: entity, scope: scope, paths: paths)
  }
}

// MARK: - What a call names

extension Identities {
  private static func resolved(_ request: IdentityRequest, in model: ObjectModel) throws -> [String:
    [IdentityPath]]
  {
    var failures: [CloneError.Failure] = []
    var found: [String: [IdentityPath]] = [:]
    for (name, paths) in request.paths.sorted(by: { $0.key < $1.key }) {
      guard let entity = try failures.gather({ try model.entityName(name) }) else { continue }
      found[entity] = try paths.compactMap { path in
        try failures.gather { try IdentityPath(path, of: entity, in: model) }
      }
    }
    if let failure = commonFailure(request, in: model) { failures.append(failure) }
    try failures.throwIfAny()
    return found
  }

  private static func common(_ request: IdentityRequest, entity: String, in model: ObjectModel)
    -> [IdentityPath]?
  {
    guard !request.common.isEmpty else { return nil }
    return try? request.common.map { try IdentityPath($0, of: entity, in: model) }
  }

  /// Names for all entities must fit one at least.
  private static func commonFailure(_ request: IdentityRequest, in model: ObjectModel) -> CloneError.Failure?
  {
    guard !request.common.isEmpty,
      !model.entities.contains(where: { common(request, entity: $0.name, in: model) != nil })
    else { return nil }
    let names = model.entities.flatMap { model.propertyNames(of: $0.name) }
    let unknown = request.common.first { !names.contains(String($0.prefix { $0 != "." })) }
    return .init(
      .unknownName,
      "no entity has a property \(request.common.map { "'\($0)'" }.joined(separator: " and ")) that could identify it; "
        + "--by names attributes",
      help: unknown.flatMap { didYouMean($0, known: Set(names).sorted()) })
  }
}

// MARK: - Order

extension Identities {
  /// Entities in an order in which the destinations that an entity is identified by come before it.
  ///
  /// - Parameters:
  ///   - entities: the entities to look at.
  ///   - needs: what else must come before an entity.
  /// - Throws: `CloneError` (`identity-cycle`) where there is none.
  public func order(
    _ entities: [String], after needs: (String) -> [String] = { _ in [] }
  ) throws -> [String] {
    var order: [String] = []
    var path: [String] = []
    func visit(_ entity: String) throws {
      guard !order.contains(entity) else { return }
      if let first = path.firstIndex(of: entity) { throw Self.cycle(Array(path[first...]) + [entity]) }
      path.append(entity)
      for needed in destinations(of: entity) + needs(entity) where entities.contains(needed) {
        try visit(needed)
      }
      path.removeLast()
      order.append(entity)
    }
    for entity in entities { try visit(entity) }
    return order
  }

  /// The concrete entities whose objects are a part of an entity's identity.
  private func destinations(of entity: String) -> [String] {
    identities[entity]?.paths.filter { $0.attribute == nil }.flatMap { path in
      model.concreteEntities(of: path.steps.last!.destination)
    } ?? []
  }

  /// The same without constraints of the model that lead back to their entity, as that of a folder's name and parent: nobody
  /// has asked for them, and most subtrees hold none of its objects.
  package var withoutCycles: Identities { withoutCycles { !asked.contains($0) } }

  /// The same without what leads back to its entity, where nothing is to be found by it.
  package func withoutCycles(where isDispensable: (String) throws -> Bool) rethrows -> Identities {
    var rest = self
    for entity in identities.keys.sorted() where try leadsBack(entity) && isDispensable(entity) {
      rest.identities[entity] = nil
    }
    return rest
  }

  private func leadsBack(_ entity: String) -> Bool { lead(from: destinations(of: entity), to: [entity]) }

  /// Whether entities are among others, or identified by objects of these, on and on.
  func lead(from entities: [String], to others: [String]) -> Bool {
    var seen: Set<String> = []
    var open = entities
    while let next = open.popLast() {
      if others.contains(next) { return true }
      if seen.insert(next).inserted { open += destinations(of: next) }
    }
    return false
  }

  package static func cycle(_ entities: [String]) -> CloneError {
    CloneError(
      .identityCycle,
      "\(entities.joined(separator: " is identified by ")): objects that identify each other cannot be told apart",
      help: "name attributes instead with --by", entity: entities.first)
  }
}

extension IdentityPath {
  /// Reads a path as people write it: an attribute or a to-one relationship, over to-one relationships.
  ///
  /// - Throws: `CloneError` (`unknown-name`, `invalid-value`).
  public init(_ text: String, of entity: String, in model: ObjectModel) throws {
    var steps: [RelationshipDescription] = []
    var place = entity
    let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (i, name) in names.enumerated() {
      if i == names.count - 1, let attribute = model.attribute(name, of: place) {
        guard !attribute.isTransient else {
          throw Self.unfit(text, entity: entity, reason: "'\(name)' is transient")
        }
        guard !attribute.isKeptByTriggers else {
          throw Self.unfit(text, entity: entity, reason: "'\(name)' is maintained by the store's triggers")
        }
        self.init(steps: steps, attribute: attribute)
        return
      }
      guard let step = model.relationship(name, of: place) else {
        let map = SchemaMapping(model)[place]
        let isKey = map.namelessKeyColumns.contains { $0.sqlName == name.sqlName }
        throw CloneError(
          .unknownName,
          "\(place) has no property '\(name)' that could identify it",
          help: isKey ? map.keyAdvice : didYouMean(name, known: model.propertyNames(of: place)),
          entity: entity, property: text)
      }
      guard !step.isToMany else { throw Self.unfit(text, entity: entity, reason: "'\(name)' is to-many") }
      steps.append(step)
      place = step.destination
    }
    self.init(steps: steps, attribute: nil)
  }

  private static func unfit(_ text: String, entity: String, reason: String) -> CloneError {
    CloneError(
      .invalidValue, "'\(text)' cannot identify \(entity): \(reason)", entity: entity, property: text)
  }
}

extension ObjectModel {
  /// The name of an entity that may be written in another case.
  ///
  /// - Throws: `CloneError` (`unknown-entity`).
  public func entityName(_ name: String) throws -> String {
    if entity(name) != nil { return name }
    let matching = entities.map(\.name).filter { $0.lowercased() == name.lowercased() }
    guard matching.count == 1 else { throw CloneError.unknownEntity(name, in: self) }
    return matching[0]
  }
}
