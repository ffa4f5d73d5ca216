import Foundation
import MOCloneEngine
import MOCloneModel

/// Makes the clones of a closure, first the objects, then their relationships.
struct ReferenceWriter {
  let graph: any ObjectGraph
  let closure: ReferenceClosure
  let rules: ReferenceRules
  let now: Date
  let uuid: () -> UUID
  private var model: ObjectModel { graph.model }

  func write() throws -> CloneResult {
    var result = CloneResult()
    try checkRelatedObjects()
    let wishes = try closure.objects.flatMap { try self.wishes(of: $0) }
    let orders = try outsideOrders(wishes)
    for object in closure.objects {
      try ReferenceValues(writer: self, clones: [:]).checkAncestors(of: object)
    }
    for _ in 0..<rules.request.count {
      let clones = try makeObjects(wishes)
      try connect(clones, wishes, orders)
      result.roots.append(clones[closure.root]!)
      for object in closure.objects {
        result.cloned[object.entity, default: 0] += 1
        result.mapping.append(CloneResult.Pair(original: object, clone: clones[object]!))
      }
    }
    result.linked = linked(wishes)
    return result
  }

  // MARK: Objects

  private func makeObjects(_ wishes: [Wish]) throws -> [ObjectID: ObjectID] {
    let owners = try keyOwners(wishes)
    var clones: [ObjectID: ObjectID] = [:]
    for object in ordered(owners) {
      var values = try ReferenceValues(writer: self, clones: clones).values(of: object)
      for (name, owner) in owners[object] ?? [:] {
        if let clone = owner.isSame ? owner.object : clones[owner.object] {
          values[name] = clone.key.parts[0]
        }
      }
      clones[object] = try graph.insertObject(object.entity, key: nil, values: values)
    }
    for object in closure.objects {
      for (name, value) in try ReferenceValues(writer: self, clones: clones).followers(of: object) {
        try graph.setValue(value, for: name, of: clones[object]!)
      }
    }
    return clones
  }

  private struct KeyOwner {
    var object: ObjectID
    /// Whether it stands for itself, not for its clone.
    var isSame: Bool
  }

  /// The objects whose keys are parts of others' keys: numbers are counted within them.
  private func keyOwners(_ wishes: [Wish]) throws -> [ObjectID: [String: KeyOwner]] {
    let mapping = SchemaMapping(model)
    var owners: [ObjectID: [String: KeyOwner]] = [:]
    for wish in wishes {
      let key = mapping[wish.object.entity].key
      let isPart = key.contains { part in
        if case .relationship(wish.relationship.name, _) = part.source { true } else { false }
      }
      guard isPart, key.contains(where: { $0.source == .max }), let owner = wish.destinations.first else {
        continue
      }
      owners[wish.object, default: [:]][wish.relationship.name] = KeyOwner(
        object: owner, isSame: isSame(owner, wish))
    }
    return owners
  }

  /// The closure: what followers follow and what keys are made of first; where both cannot be, keys.
  private func ordered(_ owners: [ObjectID: [String: KeyOwner]]) -> [ObjectID] {
    var ordered: [ObjectID] = []
    var left = closure.objects
    func isMade(_ object: ObjectID) -> Bool { !left.contains(object) }
    func hasAncestors(_ object: ObjectID) -> Bool {
      let follows = model.attributes(of: object.entity).contains {
        rules.annotation($0, \.followParent) != nil
      }
      return !follows || sequence(first: object, next: { closure.parent[$0] }).dropFirst().allSatisfy(isMade)
    }
    func hasOwners(_ object: ObjectID) -> Bool {
      (owners[object] ?? [:]).values.allSatisfy { $0.isSame || isMade($0.object) }
    }
    while !left.isEmpty {
      let object =
        left.first { hasAncestors($0) && hasOwners($0) } ?? left.first(where: hasOwners) ?? left[0]
      left.removeAll { $0 == object }
      ordered.append(object)
    }
    return ordered
  }

  // MARK: Relationships

  /// What the clone of an original should hold in one relationship.
  struct Wish {
    var object: ObjectID
    var relationship: RelationshipDescription
    /// Originals; those inside stand for their clones.
    var destinations: [ObjectID]
  }

  private func wishes(of object: ObjectID) throws -> [Wish] {
    try model.relationships(of: object.entity).map { relationship in
      let name = relationship.name
      if object == closure.root, rules.isGiven(name) {
        return Wish(object: object, relationship: relationship, destinations: try given(relationship))
      }
      let held = try graph.destinations(name, of: object)
      let wanted = held.filter { isWanted($0, relationship, of: object) }
      if wanted.count < min(held.count, relationship.leastCount) {
        throw CloneError(
          .requiredLeftEmpty, "'\(name)' of \(object) is left empty", property: name, object: object)
      }
      return Wish(object: object, relationship: relationship, destinations: wanted)
    }
  }

  private func isWanted(
    _ other: ObjectID, _ relationship: RelationshipDescription, of object: ObjectID
  ) -> Bool {
    guard closure.contains(other) else {
      return closure.rule(relationship, of: object) == .link && rules.isLinkable(relationship)
    }
    let inverse = model.inverse(of: relationship)
    if other == closure.root, let inverse, rules.isGiven(inverse.name) { return false }
    return closure.asks(object, relationship) || inverse.map { closure.asks(other, $0) } == true
  }

  private func given(_ relationship: RelationshipDescription) throws -> [ObjectID] {
    let key: ObjectKey
    switch rules.request.set[relationship.name] {
    case nil, .null: return []
    case .string(let text): key = ObjectKey(text: text)
    case .some(let value): key = ObjectKey([value])
    }
    guard let id = try graph.find(relationship.destination, key: key) else {
      throw CloneError.noSuchObject(relationship.destination, key)
    }
    return [id]
  }

  /// Refuses a given destination that has a related object already, or would have several.
  private func checkRelatedObjects() throws {
    for relationship in model.relationships(of: closure.root.entity) where rules.isGiven(relationship.name) {
      guard let inverse = model.inverse(of: relationship), !inverse.isToMany else { continue }
      for id in try given(relationship) {
        let isTaken = try !graph.destinations(inverse.name, of: id).isEmpty
        guard isTaken || rules.request.count > 1 else { continue }
        throw CloneError(.uniqueValue, "\(id) has a partner", property: relationship.name, object: id)
      }
    }
  }

  /// Whether a destination means the original itself.
  private func isSame(_ destination: ObjectID, _ wish: Wish) -> Bool {
    !closure.contains(destination) || (wish.object == closure.root && rules.isGiven(wish.relationship.name))
  }

  private struct Outside: Hashable {
    var object: ObjectID
    var relationship: String
  }

  /// The ordered lists of originals that gain members: the originals of these members in the order of the list.
  private func outsideOrders(_ wishes: [Wish]) throws -> [(Outside, [ObjectID])] {
    var members: [Outside: [ObjectID]] = [:]
    for wish in wishes {
      guard let inverse = model.inverse(of: wish.relationship), inverse.isOrdered else { continue }
      for destination in wish.destinations where isSame(destination, wish) {
        members[Outside(object: destination, relationship: inverse.name), default: []].append(wish.object)
      }
    }
    return try members.map { outside, members in
      let list = try graph.destinations(outside.relationship, of: outside.object)
      // A root that is given its place here was not in the list, and comes last.
      let places = members.map { list.firstIndex(of: $0) ?? list.count }
      return (outside, members.indices.sorted { places[$0] < places[$1] }.map { members[$0] })
    }
  }

  private func connect(
    _ clones: [ObjectID: ObjectID], _ wishes: [Wish], _ orders: [(Outside, [ObjectID])]
  ) throws {
    for (outside, members) in orders {
      let new = members.map { clones[$0]! }
      // Those whose key holds the object's have joined the list already.
      let list = try graph.destinations(outside.relationship, of: outside.object).filter { !new.contains($0) }
      try graph.setDestinations(list + new, outside.relationship, of: outside.object)
    }
    for wish in wishes {
      let destinations = wish.destinations.map { isSame($0, wish) ? $0 : clones[$0]! }
      // A wish for nothing must not undo what the other side has asked for; it is in that side's wish too.
      if destinations.isEmpty { continue }
      try graph.setDestinations(destinations, wish.relationship.name, of: clones[wish.object]!)
    }
  }

  private func linked(_ wishes: [Wish]) -> [String: Int] {
    var found: [String: Set<ObjectID>] = [:]
    for wish in wishes {
      for destination in wish.destinations where isSame(destination, wish) {
        found[wish.relationship.destination, default: []].insert(destination)
      }
    }
    return found.mapValues(\.count)
  }
}
