import MOCloneModel

extension ObjectGraph {
  /// Finds the object that has the identity of some values, or makes it.
  ///
  /// A name of `values` may lead through to-one relationships (`unit.name`): their destinations are found or made
  /// first. A to-one relationship itself takes the key of its destination. What is found stays as it is.
  ///
  /// - Parameters:
  ///   - entity: the name of the entity.
  ///   - values: values by attribute and to-one relationship.
  ///   - request: what identifies entities, in place of their first uniqueness constraint. Objects of an entity
  ///     without either are always made.
  ///   - modified: which date attribute a new object gets where `values` give none.
  /// - Returns: the object, and whether it was made.
  /// - Throws: `CloneError`: `null-identity` where a part of the identity is null or empty, `ambiguous-identity` where
  ///   several objects have it, `unknown-name` where the entity has no such property, and what `insert` throws; nothing is
  ///   then made.
  @discardableResult
  public func findOrCreate(
    _ entity: String, _ values: [String: AttributeValue], identifiedBy request: IdentityRequest = [:],
    modified: ModifiedRule = ModifiedRule()
  ) throws -> (object: ManagedObject, isNew: Bool) {
    let finder = ObjectFinder(
      identities: try Identities(model, identifiedBy: request, of: [entity]), modified: modified)
    let found = try atomically { try finder.findOrCreate(entity, values, in: self) }
    return (ManagedObject(id: found.object, graph: self), found.isNew)
  }
}

/// Finds objects by their identity, and makes those that are not there, one by one.
public struct ObjectFinder: Sendable {
  /// What identifies the objects of each entity.
  public let identities: Identities
  /// Which date attribute a new object gets where its values give none.
  public let modified: ModifiedRule

  /// Creates a finder, which can be used with any graph of the identities' model.
  public init(identities: Identities, modified: ModifiedRule = ModifiedRule()) {
    self.identities = identities
    self.modified = modified
  }

  private var model: ObjectModel { identities.model }

  /// Finds or makes an object, and before it the destinations that its values name by a path.
  public func findOrCreate(
    _ entity: String, _ values: [String: AttributeValue], in graph: any ObjectGraph
  ) throws -> (object: ObjectID, isNew: Bool) {
    guard model.entity(entity) != nil else { throw CloneError.unknownEntity(entity, in: model) }
    let values = try settled(values, of: entity, in: graph)
    for unknown in values.keys.sorted() where !model.propertyNames(of: entity).contains(unknown) {
      throw CloneError.unknownProperty(unknown, of: entity, in: model)
    }
    if let identity = identities[entity], let found = try find(identity, values, in: graph) {
      return (found, false)
    }
    return (
      try graph.insertObject(entity, key: nil, values: modified.adding(to: values, of: entity, in: model)),
      true
    )
  }

  /// The object of an identity; nil where there is none.
  ///
  /// - Throws: `CloneError` (`null-identity`, `ambiguous-identity`, `identity-of-other-entity`).
  public func find(
    _ identity: Identity, _ values: [String: AttributeValue], in graph: any ObjectGraph
  ) throws -> ObjectID? {
    let key = try key(identity, values: values, in: graph)
    if let empty = zip(identity.paths, key).first(where: { $1.isEmpty }) {
      throw CloneError.nullIdentity(identity, "\(empty.0)")
    }
    let found = try graph.objects(identity, key)
    func shown() -> [IdentityPart] { identity.shown(key, in: SchemaMapping(model)) }
    guard found.count <= 1 else { throw CloneError.ambiguousIdentity(identity, shown(), found) }
    guard let object = found.first else { return nil }
    guard model.isKind(object.entity, of: identity.entity) else {
      throw CloneError.identityOfOtherEntity(identity, shown(), object)
    }
    return object
  }

  /// What an object with some values would be identified by.
  private func key(
    _ identity: Identity, values: [String: AttributeValue], in graph: any ObjectGraph
  ) throws -> [IdentityPart] {
    try identity.paths.map { path in
      guard let first = path.steps.first else {
        let attribute = path.attribute!
        let value = values[attribute.name] ?? attribute.defaultValue ?? .null
        guard let fitted = attribute.type.value(fitting: value) else {
          _ = try attribute.checked(value, for: identity.entity)
          return .value(.null)
        }
        return .value(fitted)
      }
      guard let reference = values[first.name], !reference.isNull else { return .value(.null) }
      let start = try destination(first, reference: reference, in: graph)
      return try graph.part(
        IdentityPath(steps: Array(path.steps.dropFirst()), attribute: path.attribute), of: start)
    }
  }

  private func destination(
    _ relationship: RelationshipDescription, reference: AttributeValue, in graph: any ObjectGraph
  ) throws -> ObjectID {
    let key = ObjectKey(reference: reference)
    guard let found = try graph.find(relationship.destination, key: key) else {
      throw CloneError.noSuchObject(relationship.destination, key)
    }
    return found
  }

  /// Values without paths: what they lead to is found or made.
  private func settled(
    _ values: [String: AttributeValue], of entity: String, in graph: any ObjectGraph
  ) throws -> [String: AttributeValue] {
    var settled: [String: AttributeValue] = [:]
    var nested: [String: [String: AttributeValue]] = [:]
    for (name, value) in values {
      guard let dot = name.firstIndex(of: ".") else {
        settled[name] = value
        continue
      }
      nested[String(name[..<dot]), default: [:]][String(name[name.index(after: dot)...])] = value
    }
    for (name, values) in nested.sorted(by: { $0.key < $1.key }) {
      guard let relationship = model.relationship(name, of: entity) else {
        throw CloneError.unknownRelationship(name, of: entity, in: model)
      }
      // All null is a relationship that is empty.
      if values.values.allSatisfy(\.isNull) { continue }
      let object = try findOrCreate(relationship.destination, values, in: graph).object
      settled[name] = object.key.reference
    }
    return settled
  }
}

extension ObjectGraph {
  /// What an object holds for one part of an identity.
  public func part(_ path: IdentityPath, of object: ObjectID) throws -> IdentityPart {
    var place = object
    for step in path.steps {
      guard let next = try destinations(step.name, of: place).first else { return .value(.null) }
      place = next
    }
    return try path.attribute.map { .value(try value($0.name, of: place)) } ?? .object(place)
  }

  /// Every object of an identity's scope that has a key, in the order of their own keys.
  public func objects(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID] {
    try objectIDs(identity.scope).filter { object in
      try zip(identity.paths, key).allSatisfy { try part($0, of: object) == $1 }
    }
  }
}

extension ObjectKey {
  /// A key as the value of a to-one relationship: its single part, or the text of several.
  public var reference: AttributeValue {
    parts.count == 1 ? parts[0] : .string(description)
  }

  /// Reads a key that is the value of a to-one relationship.
  public init(reference: AttributeValue) {
    self.init([reference])
  }
}

extension CloneError {
  /// The error that a part of an identity is null or empty.
  public static func nullIdentity(_ identity: Identity, _ part: String) -> CloneError {
    CloneError(
      .nullIdentity,
      "\(identity.entity) is identified by \(identity.names), and '\(part)' is null or empty, so no object can be matched",
      entity: identity.entity, property: part)
  }

  /// The error that several objects have one identity.
  public static func ambiguousIdentity(
    _ identity: Identity, _ key: [IdentityPart], _ objects: [ObjectID]
  ) -> CloneError {
    return CloneError(
      .ambiguousIdentity,
      "\(objects.count) objects have \(identity.names) \(Identity.text(key)): \(objects.listed())",
      help: "merge them with `\(identity.merging)`, or name attributes that tell them apart",
      entity: identity.entity)
  }

  /// The error that an object of another sub-entity has an identity.
  public static func identityOfOtherEntity(
    _ identity: Identity, _ key: [IdentityPart], _ object: ObjectID
  ) -> CloneError {
    CloneError(
      .identityOfOtherEntity,
      "\(object) has \(identity.names) \(Identity.text(key)), but is not \(identity.entity): they are unique among all "
        + "objects of \(identity.scope)", entity: identity.entity, object: object)
  }
}

extension CloneError.Failure {
  /// Objects of the source that have one identity.
  ///
  /// - Parameter isByCollation: whether the source can tell them apart, and the target alone takes them for equal.
  package static func repeatedInSource(
    _ identity: Identity, objects: [ObjectID], isByCollation: Bool = false
  ) -> Self {
    let target = isByCollation ? " by the collation of the target, which takes different texts for equal" : ""
    let first =
      isByCollation ? "give one of them another value there" : "merge them there with `\(identity.merging)`"
    return .init(
      .ambiguousIdentity,
      "\(objects.count) objects of the source have one \(identity.names)\(target): \(objects.listed())",
      help:
        "\(first), make one of them by `moclone copy --join-duplicates`, or name attributes that tell them apart",
      entity: identity.entity)
  }
}
