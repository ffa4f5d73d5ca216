import MOCloneModel

/// A request read by the model: every name settled.
package struct CopyRules: Sendable {
  package let model: ObjectModel
  package private(set) var identities: Identities
  package let overwrites: Bool
  package let joinsDuplicates: Bool
  package let limit: Int?
  package let follow: CopyRequest.Follow
  /// Nil where every object is copied.
  package let roots: [CopyRoot]?
  private let exclusions: [Exclusions.Name]
  /// The relationships that identities lead over, by qualified name.
  let identifying: Set<String>
  /// The attributes that both stores compute, by `Entity.name`: what they hold are no values of the source's own.
  package var computed: Set<String> = []

  /// - Parameters:
  ///   - isSubtree: whether subtrees are cut out, whose members are looked for by nothing.
  ///   - entities: what the call is about, beside the entities of the request.
  /// - Throws: `CloneError` with everything in the request that does not fit the model.
  package init(
    _ request: CopyRequest, in model: ObjectModel, isSubtree: Bool = false, of entities: [String] = []
  ) throws {
    self.model = model
    overwrites = request.overwrites
    joinsDuplicates = request.joinsDuplicates
    limit = request.limit
    follow = request.follow
    var failures: [CloneError.Failure] = []
    let named = entities + request.entities.compactMap { try? model.entityName($0) }
    let identities = try failures.gather {
      try Identities(model, identifiedBy: request.identifiedBy, of: named)
    }
    let exclusions = try request.exclude.compactMap { name in
      try failures.gather { try Self.exclusion(name, in: model) }
    }
    let roots = try failures.gather { try CopyRoot.roots(request, in: model) }
    if let limit = request.limit, limit < 1 {
      failures.append(.init(.invalidValue, "the limit is \(limit), but it must be 1 or more"))
    }
    guard let identities, let roots, failures.isEmpty else { throw CloneError(failures) }
    self.identities = isSubtree ? identities.withoutCycles : identities
    self.roots = roots
    self.exclusions = exclusions
    identifying = Set(
      model.entities.flatMap { identities[$0.name]?.paths ?? [] }.flatMap(\.steps).map(\.qualifiedName))
    try (requiredExclusions + (isSubtree ? [] : excludedIdentities)).throwIfAny()
  }

  /// The same for a target that may lack some entities: nothing is to be found there, so that objects which identify each
  /// other, as folders do whose names are unique within their parents, can be copied all the same.
  ///
  /// - Parameter isEmpty: whether the target has no object of an entity.
  package func lookingUpNothing(where isEmpty: (String) throws -> Bool) rethrows -> CopyRules {
    var rules = self
    rules.identities = try identities.withoutCycles(where: isEmpty)
    return rules
  }

  private static func exclusion(_ text: String, in model: ObjectModel) throws -> Exclusions.Name {
    let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
    let entity = parts.count == 2 ? try model.entityName(parts[0]) : nil
    let name = parts.last ?? ""
    let entities = model.entities.map(\.name).filter { entity == nil || model.isKind($0, of: entity!) }
    let known = Set(entities.flatMap { model.propertyNames(of: $0) })
    guard known.contains(name) else {
      throw CloneError(
        .unknownName, "no entity has the excluded name '\(text)'",
        help: didYouMean(name, known: known.sorted()))
    }
    if let entity, let inherited = model.relationships(of: entity).first(where: { $0.name == name })?.entity,
      inherited != entity
    {
      throw CloneError(
        .invalidValue,
        "'\(name)' of \(entity) is declared by \(inherited), and a copy leaves a relationship out of all objects or of none",
        help: "write '\(inherited).\(name)'")
    }
    return Exclusions.Name(text: text, entity: entity, property: name)
  }

  // MARK: Values

  /// The attributes of a concrete entity that an object and its counterpart should agree in; the date of change is
  /// the operation's own.
  package func compared(of entity: String, _ modified: ModifiedRule) -> [AttributeDescription] {
    model.attributes(of: entity).filter {
      !$0.isTransient && !$0.isDerived && $0 != modified.attribute(of: entity, in: model)
    }
  }

  /// Whether an attribute is a part of what must be unique.
  package func isUnique(_ attribute: AttributeDescription) -> Bool {
    constraints(on: attribute).contains { $0.contains(attribute.name) }
  }

  /// Whether an attribute must be unique together with other properties.
  package func isUniqueBesideOthers(_ attribute: AttributeDescription) -> Bool {
    constraints(on: attribute).contains { $0.count > 1 && $0.contains(attribute.name) }
  }

  private func constraints(on attribute: AttributeDescription) -> some Sequence<[String]> {
    model.entities.lazy.filter { entity in
      model.isKind(entity.name, of: attribute.entity) || model.isKind(attribute.entity, of: entity.name)
    }.flatMap(\.uniquenessConstraints)
  }

  // MARK: Exclusions

  /// Whether an attribute is left out of the objects of a concrete entity.
  package func excludes(_ attribute: AttributeDescription, of entity: String) -> Bool {
    isNamed(attribute.name, of: entity)
  }

  /// Whether a relationship is left out, also because its inverse is named. What objects require or are identified by stays
  /// then: it is not followed from the side that is named.
  package func excludes(_ relationship: RelationshipDescription) -> Bool {
    func isNamed(_ side: RelationshipDescription) -> Bool { self.isNamed(side.name, of: side.entity) }
    if isNamed(relationship) { return true }
    guard let inverse = model.inverse(of: relationship), isNamed(inverse) else { return false }
    return [relationship, inverse].allSatisfy { $0.isOptional && !identifying.contains($0.qualifiedName) }
  }

  private func isNamed(_ property: String, of entity: String) -> Bool {
    exclusions.contains { $0.matches(property, of: entity, in: model) }
  }

  /// Whether the objects that a relationship leads to come along: also against its direction, where it has no inverse.
  package func follows(_ relationship: RelationshipDescription) -> Bool { !excludes(relationship) }

  /// Whether the pairs of a relationship are formed again: where one of its sides is not left out.
  package func forms(_ relationship: RelationshipDescription) -> Bool {
    !excludes(relationship) || model.inverse(of: relationship).map { !excludes($0) } ?? false
  }

  /// Whether an object that exists loses what a to-one relationship leads to where the source's references nothing: not
  /// what one of the two sides requires.
  package func clears(_ relationship: RelationshipDescription) -> Bool {
    let inverse = model.inverse(of: relationship)
    return overwrites && !relationship.isToMany && !excludes(relationship)
      && [relationship, inverse].allSatisfy { $0?.isOptional != false }
  }

  private var requiredExclusions: [CloneError.Failure] {
    concreteEntities.flatMap { entity -> [CloneError.Failure] in
      let attributes = model.attributes(of: entity).filter {
        excludes($0, of: entity) && !$0.isOptional && $0.defaultValue == nil && !$0.isTransient
      }
      let relationships = model.relationships(of: entity).filter {
        !$0.isToMany && !$0.isOptional && !forms($0)
      }
      return (attributes.map(\.name) + relationships.map(\.name)).map { name in
        .init(
          .requiredLeftEmpty, "'\(name)' of \(entity) is required, so it cannot be left out", entity: entity,
          property: name)
      }
    }
  }

  private var excludedIdentities: [CloneError.Failure] {
    concreteEntities.flatMap { entity -> [CloneError.Failure] in
      guard let identity = identities[entity] else { return [] }
      let left = identity.paths.filter { path in
        path.steps.first.map { !forms($0) } ?? excludes(path.attribute!, of: entity)
      }
      return left.map {
        .init(
          .invalidValue, "'\($0)' identifies \(entity), so it cannot be left out", entity: entity,
          property: "\($0)")
      }
    }
  }

  /// Every entity that can have objects.
  package var concreteEntities: [String] {
    model.entities.filter { !$0.isAbstract }.map(\.name)
  }
}

/// Objects that a request names: those of an entity that hold some values.
package struct CopyRoot: Sendable {
  /// The entity of the objects; those of its sub-entities are meant too.
  package var entity: String
  /// The values that the objects must hold, all of them; without any every object is meant.
  package var conditions: [(attribute: AttributeDescription, value: AttributeValue)]

  /// Nil where every object of every entity is meant.
  static func roots(_ request: CopyRequest, in model: ObjectModel) throws -> [CopyRoot]? {
    var failures: [CloneError.Failure] = []
    var names: [String] = []
    // Without named entities those that the conditions are about are meant.
    for name in request.entities.isEmpty ? request.filters.map(\.entity) : request.entities {
      guard let entity = try failures.gather({ try model.entityName(name) }) else { continue }
      if !names.contains(entity) { names.append(entity) }
    }
    try failures.throwIfAny()
    if names.isEmpty && request.limit == nil { return nil }
    if names.isEmpty { names = model.entities.filter { $0.parent == nil }.map(\.name) }
    var roots = names.map { CopyRoot(entity: $0, conditions: []) }
    for filter in request.filters {
      _ = try failures.gather { try add(filter, to: &roots, model: model) }
    }
    try failures.throwIfAny()
    return roots
  }

  private static func add(_ filter: CopyFilter, to roots: inout [CopyRoot], model: ObjectModel) throws {
    let entity = try model.entityName(filter.entity)
    guard let attribute = model.attribute(filter.attribute, of: entity) else {
      throw CloneError.unknownAttribute(filter.attribute, of: entity, in: model)
    }
    guard let value = attribute.type.value(fitting: filter.value), !attribute.isTransient else {
      throw CloneError([
        .notValid(
          filter.value.description, for: attribute, of: entity, lookingUp: "choose by another attribute")
      ])
    }
    let places = roots.indices.filter { model.isKind(roots[$0].entity, of: entity) }
    guard !places.isEmpty else {
      throw CloneError([unnamed(entity, limitedTo: "'\(attribute.name)' \(filter.value)", roots, model)])
    }
    for place in places { roots[place].conditions.append((attribute, value)) }
  }

  /// A condition about an entity that is not named itself.
  private static func unnamed(
    _ entity: String, limitedTo condition: String, _ roots: [CopyRoot], _ model: ObjectModel
  ) -> CloneError.Failure {
    let ancestors = model.lineage(of: entity).dropFirst()
    guard let root = roots.map(\.entity).first(where: { ancestors.contains($0) }) else {
      return CloneError.Failure(
        .unknownName, "'\(entity)' is limited to \(condition), and is not among what is copied",
        entity: entity)
    }
    // With an entity that has objects of its own those of its sub-entities would be named, too.
    let isNameable = ancestors.allSatisfy { model.entity($0)?.isAbstract == true }
    let names = model.concreteEntities(of: root).map { "'\($0)'" }.listed()
    return CloneError.Failure(
      .unknownName, "'\(entity)' is limited to \(condition), but is copied as a sub-entity of '\(root)' only",
      help: isNameable ? "name those of \(names) that are to be copied instead of '\(root)'" : nil,
      entity: entity)
  }
}
