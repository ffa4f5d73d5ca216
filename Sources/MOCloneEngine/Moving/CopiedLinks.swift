import MOCloneModel

/// Forms the relationships of copied objects again.
struct CopiedLinks {
  private let rules: CopyRules
  private let source: any ObjectGraph
  private let target: any ObjectGraph
  private let copies: [ObjectID: ObjectID]
  private let modified: ModifiedRule
  private let mapping: SchemaMapping
  /// Where one subtree is cut out: what of it is formed.
  private let cut: CutLinks?
  /// The objects of the target that were there before.
  var found: Set<ObjectID> = []
  private var linked: [String: Int] = [:]
  private var failures: [CloneError.Failure] = []

  init(
    _ rules: CopyRules, _ source: any ObjectGraph, _ target: any ObjectGraph, _ copies: [ObjectID: ObjectID],
    _ modified: ModifiedRule, _ cut: CutLinks? = nil
  ) {
    self.cut = cut
    self.rules = rules
    self.source = source
    self.target = target
    self.copies = copies
    self.modified = modified
    mapping = SchemaMapping(rules.model)
  }

  /// - Returns: how many pairs were added to objects that were there, by `Entity.name`; those of tables of pairs all.
  mutating func form(_ objects: [ObjectID]) throws -> [String: Int] {
    let byEntity = Dictionary(grouping: objects) { $0.entity }
    for relationship in rules.model.entities.flatMap(\.relationships) where rules.forms(relationship) {
      let owners = rules.model.concreteEntities(of: relationship.entity).flatMap { byEntity[$0] ?? [] }
      switch mapping[relationship.entity].relationships[relationship.name]! {
      case .foreignKey where rules.model.inverse(of: relationship)?.isOrdered != true:
        for owner in owners { try refer(owner, relationship) }
      case .foreignKey: continue
      case .inverseForeignKey:
        let inverse = rules.model.inverse(of: relationship)
        guard inverse == nil || relationship.isOrdered else { continue }
        for owner in owners { try gather(owner, relationship, inverse) }
      case .join:
        let inverse = rules.model.inverse(of: relationship)
        guard inverse.map({ relationship.qualifiedName <= $0.qualifiedName }) ?? true else { continue }
        try pair(owners, relationship, inverse, byEntity)
      }
    }
    if !failures.isEmpty { throw CloneError(failures) }
    return linked
  }

  // MARK: Foreign keys

  private mutating func refer(_ object: ObjectID, _ relationship: RelationshipDescription) throws {
    guard let destination = try source.destinations(relationship.name, of: object).first else { return }
    guard cut?.refers(object, relationship, destination, rules.model.inverse(of: relationship)) ?? true
    else { return }
    try set(object, destination, relationship, relationship.qualifiedName) { target, member, owner in
      try target.setDestinations([owner], relationship.name, of: member)
    }
  }

  /// The members of a list in its order, each of which refers to the list's owner.
  private mutating func gather(
    _ owner: ObjectID, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription?
  ) throws {
    for member in try source.destinations(relationship.name, of: owner)
    where cut?.refers(member, inverse, owner, relationship) ?? true {
      try set(member, owner, inverse, inverse?.qualifiedName ?? relationship.qualifiedName) {
        target, member, owner in
        try target.addDestination(member, to: relationship.name, of: owner)
      }
    }
  }

  private mutating func set(
    _ object: ObjectID, _ destination: ObjectID, _ forward: RelationshipDescription?, _ name: String,
    _ write: (any ObjectGraph, ObjectID, ObjectID) throws -> Void
  ) throws {
    guard let member = copies[object], let owner = copies[destination] else { return }
    // A subtree changes nothing that was there.
    if cut != nil && found.contains(member) { return }
    let before =
      try forward.map { try target.destinations($0.name, of: member).first } ?? hiddenOwner(member, name)
    guard before != owner, before == nil || (rules.overwrites && !isKey(forward, of: member)) else { return }
    // The partner of a one-to-one that was there keeps the one it has.
    if let forward, let back = rules.model.inverse(of: forward), !back.isToMany,
      try !target.destinations(back.name, of: owner).isEmpty
    {
      // One that cannot be without a partner would lose it, or could not have it.
      if !forward.isOptional, rules.overwrites || !found.contains(member) {
        return failures.append(.takenPartner(forward, of: object))
      }
      if !rules.overwrites { return }
    }
    let former = try forward.map { try formerHolder(of: owner, $0) } ?? nil
    try write(target, member, owner)
    if let former { try touch(former) }
    guard found.contains(member) else { return }
    linked[name, default: 0] += 1
    try touch(member)
  }

  /// What loses its one-to-one partner, where the foreign key lies in its own row.
  private func formerHolder(of owner: ObjectID, _ forward: RelationshipDescription) throws -> ObjectID? {
    guard let back = rules.model.inverse(of: forward), !back.isToMany else { return nil }
    return try target.destinations(back.name, of: owner).first
  }

  private func touch(_ object: ObjectID) throws {
    guard let attribute = modified.attribute(of: object.entity, in: rules.model) else { return }
    try target.setValue(.date(modified.instant), for: attribute.name, of: object)
  }

  /// Whether a to-one is a part of the key, which never changes.
  private func isKey(_ forward: RelationshipDescription?, of object: ObjectID) -> Bool {
    mapping[object.entity].key.contains { part in
      if case .relationship(let name, _) = part.source { name == forward?.name } else { false }
    }
  }

  /// The owner in a relationship that its members do not know of.
  private func hiddenOwner(_ member: ObjectID, _ name: String) throws -> ObjectID? {
    let relationship = rules.model.entities.flatMap(\.relationships).first { $0.qualifiedName == name }!
    return try target.objectIDs(relationship.entity).first {
      try target.destinations(relationship.name, of: $0).contains(member)
    }
  }

  // MARK: Pairs

  private mutating func pair(
    _ owners: [ObjectID], _ relationship: RelationshipDescription, _ inverse: RelationshipDescription?,
    _ byEntity: [String: [ObjectID]]
  ) throws {
    for owner in owners {
      linked[relationship.qualifiedName, default: 0] += try add(owner, relationship, inverse)
    }
    if linked[relationship.qualifiedName] == 0 { linked[relationship.qualifiedName] = nil }
    guard let inverse, inverse.isOrdered else { return }
    // Both lists of a pair have an order of their own.
    for owner in rules.model.concreteEntities(of: inverse.entity).flatMap({ byEntity[$0] ?? [] }) {
      guard let copy = copies[owner] else { continue }
      let now = try target.destinations(inverse.name, of: copy)
      let wanted = try source.destinations(inverse.name, of: owner).compactMap { copies[$0] }
        .filter(now.contains)
      let old = now.filter { !added.contains(Pair(copy, $0)) }
      try target.setDestinations(old + wanted.filter { !old.contains($0) }, inverse.name, of: copy)
    }
  }

  /// The pairs that are new, seen from the ordered inverse.
  private var added: Set<Pair> = []

  private struct Pair: Hashable {
    var owner: ObjectID
    var member: ObjectID

    init(_ owner: ObjectID, _ member: ObjectID) {
      self.owner = owner
      self.member = member
    }
  }

  private mutating func add(
    _ owner: ObjectID, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription?
  ) throws -> Int {
    guard let copy = copies[owner] else { return 0 }
    let old = try target.destinations(relationship.name, of: copy)
    var seen = Set(old)
    let new = try source.destinations(relationship.name, of: owner)
      .filter { cut?.pairs(owner, relationship, $0, inverse) ?? true }
      .compactMap { copies[$0] }.filter { seen.insert($0).inserted }
    for member in new { added.insert(Pair(member, copy)) }
    if !new.isEmpty { try target.setDestinations(old + new, relationship.name, of: copy) }
    return new.count
  }
}

extension CloneError.Failure {
  /// An object whose required partner has another one in the store.
  package static func takenPartner(_ relationship: RelationshipDescription, of object: ObjectID) -> Self {
    .init(
      .constraintFailed,
      "'\(relationship.name)' of \(object) is one-to-one and required, and the \(relationship.destination) that it leads to "
        + "has another one in the store; identify \(object.entity) by it (--by \(object.entity)=\(relationship.name)) so that "
        + "the two are one, or delete one of them first", property: relationship.name, object: object)
  }
}
