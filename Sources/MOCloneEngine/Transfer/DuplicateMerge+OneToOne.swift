import MOCloneModel

// One-to-one objects of what is merged are merged in the same way.
extension DuplicateMerge {
  /// What becomes of two objects that refer to a loser and to its survivor: of duplicates the better one stays, else that
  /// of the survivor.
  ///
  /// - Returns: nil where they are not merged.
  mutating func settle(
    _ member: MemoryObject, _ other: MemoryObject, _ reference: Reference, _ loser: MemoryObject
  ) throws -> Step? {
    guard isSameEntity(member, other, reference.forward) else {
      try remove(member, reference)
      return nil
    }
    let owner = MemoryObject(table: reference.ownerTable, row: reference.list.owner[other.row])
    return try step(member, other, reference.forward, of: owner, once: loser)
  }

  /// The same for two objects that a loser and its survivor refer to.
  mutating func settleOwners(
    _ reference: Reference, _ loser: MemoryObject, _ survivor: MemoryObject
  ) throws -> Step? {
    let rows = [loser, survivor].map { reference.list.owner[$0.row] }
    guard !rows.contains(noRow) else { return nil }
    let (own, other) = (
      MemoryObject(table: reference.ownerTable, row: rows[0]),
      MemoryObject(table: reference.ownerTable, row: rows[1])
    )
    guard own != other, isSameEntity(own, other, reference.backward) else { return nil }
    let step = try step(own, other, reference.backward, of: survivor, once: loser)
    if step.survivor == own {
      try graph.setTarget(of: survivor.row, to: own.row, reference)
      try ranking.touch(survivor)
    }
    return step
  }

  private mutating func isSameEntity(_ own: MemoryObject, _ other: MemoryObject, _ relation: Int?) -> Bool {
    if graph.entity(of: own).name == graph.entity(of: other).name { return true }
    let name = relation.map { store.layout.relations[$0].description.name } ?? ""
    report.skip(
      [own, other].sorted { $0.row < $1.row }.map { graph.objectID($0).description }.joined(separator: ", "),
      "they share \(name), but are of different entities")
    return false
  }

  private mutating func step(
    _ own: MemoryObject, _ other: MemoryObject, _ relation: Int?, of survivor: MemoryObject,
    once loser: MemoryObject
  ) throws -> Step {
    let isBetter =
      try areDuplicates(own, other, once: loser, becomes: survivor) && ranking.isBetter(own, other)
    let step = isBetter ? Step(loser: other, survivor: own) : Step(loser: own, survivor: other)
    let name = relation.map { store.layout.relations[$0].description.qualifiedName }
    let unit = plan.units.first {
      $0.isPartner && $0.identity.paths[0].steps[0].qualifiedName == name
    }
    if let unit, unit.isGuarded, ranking.differ([own, other], unit.identity) {
      collisions[unit.entity, default: []].append(
        [own, other].sorted { $0.row < $1.row }.map(graph.objectID))
    }
    note(
      DuplicateGroup(
        entity: graph.entity(of: own).name, identity: [graph.objectID(survivor).key.description],
        survivor: step.survivor, losers: [step.loser]))
    return step
  }

  private func areDuplicates(
    _ a: MemoryObject, _ b: MemoryObject, once loser: MemoryObject, becomes owner: MemoryObject
  ) throws -> Bool {
    guard let identity = identities[graph.entity(of: a).name] else { return false }
    let key = try graph.identityKey(identity, of: a)?.map { $0 == .object(loser) ? .object(owner) : $0 }
    return try key != nil && graph.identityKey(identity, of: b) == key
  }

  /// A one-to-one object of another entity than the one that has its place goes by the delete rule of its owner.
  private mutating func remove(_ member: MemoryObject, _ reference: Reference) throws {
    let rule = reference.backward.map { store.layout.relations[$0].description.deleteRule }
    let isRequired = reference.forward.map { store.layout.relations[$0].isRequired } ?? false
    if rule == .deny { throw CloneError.partnerDenied(graph.objectID(member)) }
    guard rule == .cascade || isRequired else {
      try graph.setTarget(of: member.row, to: noRow, reference)
      return try ranking.touch(member)
    }
    try remove([member], counting: true)
  }
}
