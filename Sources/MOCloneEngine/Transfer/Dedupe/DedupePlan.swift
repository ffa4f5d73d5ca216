import MOCloneModel

/// The entities whose duplicates are looked for, each with what identifies its objects.
package struct DedupePlan {
  package struct Unit {
    /// The entity, with those that inherit from it.
    package var entity: String
    package var identity: Identity
    /// The date attribute that tells which object is newest; nil where the entity has none.
    package var date: AttributeDescription?
    /// Whether nobody has asked for these objects, which have no identity but their key: one must not vanish.
    package var isGuarded = false
    /// Whether the objects belong to others by a one-to-one relationship and are merged as their owners are.
    package var isRelatedObject = false
    /// Whether the objects of a group belong to one object by a one-to-one relationship, so that no group can be kept as
    /// it is.
    package var isInseparable = false
    /// How a call asks for the objects, so that one of those that become equal stays.
    package var naming = ""
    /// The entity that one-to-one objects belong to.
    package var owner: String { identity.paths[0].steps[0].destination }
  }

  /// What others are identified by comes before them.
  package let units: [Unit]
  /// Whether merging can make objects equal that were not, so that one look is not enough.
  package let needsAnotherLook: Bool
  /// Whether a tie is left alone only among objects that were equal before the merge, as what that makes equal becomes one;
  /// or can have other keys after it.
  package let remembersTies: Bool

  /// - Throws: `CloneError` (`unknown-entity`, `unknown-name`, `identity-cycle`) with everything that is wrong.
  package init(_ model: ObjectModel, request: DedupeRequest) throws {
    let (identities, names) = try Self.resolved(model, request: request)
    var asked = names
    if asked.isEmpty {
      asked = model.entities.map(\.name)
    } else {
      try Self.checkIdentities(asked, identities: identities)
    }
    // What is only deleted makes nothing equal.
    let first = Self.units(asked, identities: identities)
    let found = request.merge == .none ? first : Self.withDependents(first, identities: identities)
    let order = try Self.order(found, identities: identities)
    let units = order.map { unit in
      var unit = unit
      unit.date = model.attribute(request.newest, of: unit.entity).flatMap {
        $0.type == .date && !$0.isTransient ? $0 : nil
      }
      let isNamed = names.contains { model.isKind(unit.entity, of: $0) }
      unit.isInseparable = Self.isInseparable(unit.identity, in: model)
      unit.isGuarded = !isNamed && (unit.isRelatedObject || identities.isByKey(unit.identity.entity))
      unit.naming =
        (names.isEmpty ? "name the entities to merge, \(unit.entity) among them" : "name \(unit.entity) too")
        + Self.option(unit, identities: identities)
      return unit
    }
    try Self.checkDate(request.newest, units: units, in: model)
    self.units = units
    let overlaps = units.contains { unit in
      units.contains { $0.entity != unit.entity && model.isKind($0.entity, of: unit.entity) }
    }
    needsAnotherLook =
      overlaps
      || request.merge == .merge
        && units.contains { unit in unit.identity.paths.contains { !$0.steps.isEmpty } }
    let mapping = SchemaMapping(model)
    let changesKeys = units.contains { unit in mapping[unit.entity].key.contains { $0.source.isReference } }
    remembersTies = (needsAnotherLook || changesKeys) && request.merge == .merge && request.tie == .skip
  }

  /// What identifies objects, and the entities that are asked for.
  private static func resolved(
    _ model: ObjectModel, request: DedupeRequest
  ) throws -> (Identities, [String]) {
    var failures: [CloneError.Failure] = []
    let names = try request.entities.compactMap { name in
      try failures.gather { try model.entityName(name) }
    }
    let identities = try failures.gather {
      try Identities(model, identifiedBy: request.identifiedBy, of: names)
    }
    guard let identities, failures.isEmpty else { throw CloneError(failures) }
    return (identities, names)
  }

  private static func checkIdentities(_ asked: [String], identities: Identities) throws {
    let without = asked.filter { !identities.exist(for: $0) }
    guard !without.isEmpty else { return }
    throw CloneError(
      without.map {
        .init(
          .unknownName,
          "\($0) has no uniqueness constraint, so duplicates cannot be told apart",
          help: "name the attributes that identify them with --by", entity: $0)
      })
  }

  /// What a call needs beside the name of a unit's entity: an identity, where the entity has none.
  private static func option(_ unit: Unit, identities: Identities) -> String {
    guard unit.isRelatedObject, !identities.exist(for: unit.entity) else { return "" }
    let model = identities.model
    let isCycle = identities.lead(
      from: model.concreteEntities(of: unit.owner), to: model.concreteEntities(of: unit.entity))
    return " (--by \(unit.entity)=\(isCycle ? "ATTRIBUTE" : unit.identity.names))"
  }

  private static func isInseparable(_ identity: Identity, in model: ObjectModel) -> Bool {
    guard identity.paths.count == 1, identity.paths[0].attribute == nil, identity.paths[0].steps.count == 1
    else { return false }
    return model.inverse(of: identity.paths[0].steps[0])?.isToMany == false
  }

  /// A name that nobody gave may be absent.
  private static func checkDate(_ name: String, units: [Unit], in model: ObjectModel) throws {
    guard name != "modified", !units.isEmpty, units.allSatisfy({ $0.date == nil }) else { return }
    let dates = units.flatMap { model.attributes(of: $0.entity) }.filter { $0.type == .date }.map(\.name)
    throw CloneError(
      .unknownName,
      "none of these entities has a Date attribute '\(name)'",
      help: didYouMean(name, known: Set(dates).sorted()), property: name)
  }

  /// One unit for all entities that share what identifies them.
  private static func units(_ asked: [String], identities: Identities) -> [Unit] {
    let model = identities.model
    var units: [Unit] = []
    for entity in asked {
      for member in model.entities.map(\.name) where model.isKind(member, of: entity) {
        guard let identity = identities[member] else { continue }
        let isAsked = asked.contains { model.isKind(identity.scope, of: $0) }
        let place = isAsked ? identity.scope : entity
        units.append(Unit(entity: place, identity: identity))
      }
    }
    return units.enumerated().filter { i, unit in
      !units.enumerated().contains { j, other in
        let isSame = other.identity.paths == unit.identity.paths
        let covers = model.isKind(unit.entity, of: other.entity)
        return isSame && covers && (other.entity != unit.entity || j < i)
      }
    }.map(\.element)
  }

  /// Adds entities that are identified by those found: merging makes some of their objects equal.
  private static func withDependents(_ units: [Unit], identities: Identities) -> [Unit] {
    var units = units
    var isGrowing = true
    while isGrowing {
      let more = Self.units(identities.model.entities.map(\.name), identities: identities).filter { unit in
        !units.contains { identities.model.isKind(unit.entity, of: $0.entity) }
          && units.contains { needs(unit, other: $0, in: identities.model) }
      }
      units += more
      let relatedObjects = relatedObjects(of: units, identities.model)
      units += relatedObjects
      isGrowing = !more.isEmpty || !relatedObjects.isEmpty
    }
    return units
  }

  /// The one-to-one objects of merged objects: two of them that would belong to one survivor are merged as well, unless
  /// they belong to it otherwise, too, as contacts of which one is the main one.
  private static func relatedObjects(of units: [Unit], _ model: ObjectModel) -> [Unit] {
    let mapping = SchemaMapping(model)
    var relatedObjects: [Unit] = []
    for relationship in model.entities.flatMap(\.relationships) {
      guard let inverse = model.inverse(of: relationship), !relationship.isToMany, !inverse.isToMany,
        !mapping.leadsToMember(inverse, in: model)
      else { continue }
      let entity = relationship.entity
      let isMerged = units.contains {
        model.isKind(relationship.destination, of: $0.entity)
          || model.isKind($0.entity, of: relationship.destination)
      }
      let paths = [IdentityPath(steps: [relationship], attribute: nil)]
      let isKnown = (units + relatedObjects).contains { $0.entity == entity && $0.identity.paths == paths }
      guard isMerged, !isKnown else { continue }
      let identity = Identity(entity: entity, scope: entity, paths: paths)
      relatedObjects.append(Unit(entity: entity, identity: identity, isRelatedObject: true))
    }
    return relatedObjects
  }

  /// Whether objects of one unit are identified by objects of another.
  private static func needs(_ unit: Unit, other: Unit, in model: ObjectModel) -> Bool {
    unit.identity.paths.contains { path in
      path.steps.contains {
        model.isKind($0.destination, of: other.entity) || model.isKind(other.entity, of: $0.destination)
      }
    }
  }

  private static func order(_ units: [Unit], identities: Identities) throws -> [Unit] {
    // Only objects that identify each other cannot be told apart; attributes on the way can.
    _ = try identities.order(units.flatMap { identities.model.concreteEntities(of: $0.entity) })
    var ordered: [Unit] = []
    var rest = units
    while !rest.isEmpty {
      let next =
        rest.firstIndex { unit in
          !rest.contains { $0.entity != unit.entity && needs(unit, other: $0, in: identities.model) }
        } ?? 0
      ordered.append(rest.remove(at: next))
    }
    return ordered
  }
}

extension DedupePlan {
  /// Tables in an order in which a one-to-one object is deleted before its duplicate takes its place: those that hold
  /// the reference of a one-to-one relationship come before those that it leads to.
  package static func membersFirst<Table>(
    _ tables: [Table], refersTo: (_ member: Table, _ owner: Table) -> Bool
  ) -> [Table] {
    var rest = tables
    var ordered: [Table] = []
    while !rest.isEmpty {
      let next = rest.indices.first { owner in
        !rest.indices.contains { $0 != owner && refersTo(rest[$0], rest[owner]) }
      }
      ordered.append(rest.remove(at: next ?? 0))
    }
    return ordered
  }
}

extension SchemaMapping {
  /// Whether what a one-to-one relationship leads to belongs to its object anyway, as the main one of its contacts: by a key
  /// that holds the object's own, or as a member of a to-many relationship. So nothing has to be merged with it where two
  /// objects become one.
  package func leadsToMember(_ relationship: RelationshipDescription, in model: ObjectModel) -> Bool {
    if self[relationship.entity].leadsBack(relationship.name) { return true }
    let (entity, destination) = (relationship.entity, relationship.destination)
    // In a tree, or where each belongs to the other, nothing tells which of them is the owner.
    guard model.inverse(of: relationship)?.isOptional == true,
      model.rootEntity(of: entity) != model.rootEntity(of: destination)
    else { return false }
    return model.hasMembers(entity, of: destination) && !model.hasMembers(destination, of: entity)
  }
}

extension ObjectModel {
  /// Whether a to-many relationship of an entity has objects of another one, each of which belongs to one owner.
  fileprivate func hasMembers(_ entity: String, of member: String) -> Bool {
    relationships(of: member).contains { membership in
      !membership.isToMany && isKind(entity, of: membership.destination)
        && inverse(of: membership)?.isToMany == true
    }
  }
}

extension CloneError {
  /// - Parameters:
  ///   - owners: two objects that do not become one.
  ///   - relationship: what leads from them to one-to-one objects that do.
  package static func relatedObjectsLost(_ owners: [ObjectID], _ relationship: RelationshipDescription)
    -> CloneError
  {
    CloneError(
      .uniqueValue,
      "the merge would make one of the '\(relationship.name)' of \(owners[0]) and \(owners[1]), one of which "
        + "would lose its own",
      help: "merge these two first, or leave \(relationship.destination) out",
      entity: relationship.entity, property: relationship.name)
  }

  /// - Parameters:
  ///   - members: two objects that do not become one.
  ///   - relationship: what leads to them from one-to-one objects that do.
  package static func relatedObjectsApart(
    _ members: [ObjectID], _ relationship: RelationshipDescription
  ) -> CloneError {
    CloneError(
      .uniqueValue,
      "the merge would make \(members[0]) and \(members[1]) the '\(relationship.name)' of one "
        + "\(relationship.entity), but one of them becomes another object by its own identity",
      help: "merge \(relationship.destination) first, on its own",
      entity: relationship.entity, property: relationship.name)
  }

  /// - Parameters:
  ///   - objects: two objects that do not become one.
  ///   - key: the columns of their key.
  ///   - owner: the entity whose merge makes it equal.
  package static func keysCollide(_ objects: [ObjectID], key: [String], owner: String) -> CloneError {
    let entity = objects[0].entity
    return CloneError(
      .uniqueValue,
      "the merge of \(owner) would give \(objects[0]) and \(objects[1]) one key (\(key.joined(separator: ", ")))",
      help: "change or delete one of them first, or make what the key consists of the first uniqueness "
        + "constraint of \(entity) in the model, so that they become one as well",
      entity: entity)
  }

  /// - Parameter groups: objects whose keys would be equal.
  package static func wouldCollide(_ groups: [[ObjectID]], unit: DedupePlan.Unit) -> CloneError {
    let listed = groups.prefix(20).map { $0.map(\.description).joined(separator: " and ") }
    let rest = groups.count > 20 ? "; and \(groups.count - 20) more" : ""
    return CloneError(
      .uniqueValue,
      "the merge would give objects of \(unit.entity) one key (\(unit.identity.names)) whose values differ: "
        + "\(listed.joined(separator: "; "))\(rest)",
      help: "fix them first, or \(unit.naming), so that one of them stays",
      entity: unit.entity)
  }
}
