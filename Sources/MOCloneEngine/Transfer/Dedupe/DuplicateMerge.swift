import MOCloneModel

/// Merges objects into those that stay, table by table: references to them move, nulls are filled, then they are
/// removed.
struct DuplicateMerge {
  let graph: MemoryGraph
  let request: DedupeRequest
  let modified: ModifiedRule
  /// What goes.
  let map: DuplicateMap
  var ranking: DuplicateRanking
  var report: TransferReport
  var store: MemoryStore { graph.store }

  typealias Pair = (loser: MemoryObject, survivor: MemoryObject)

  mutating func perform(_ plan: DedupePlan) throws {
    moveJoinRows()
    let tables = tables(plan).filter(map.hasLosers)
    let given = tables.map(given)
    for table in tables { try merge(table) }
    for given in given { list(given) }
  }

  /// Of join rows that become one that of the better owner stays: of the one whose relationship is first by name, whose
  /// end comes last, then of the other.
  private func moveJoinRows() {
    func name(_ relation: Int) -> String { store.layout.relations[relation].description.qualifiedName }
    for join in store.joins {
      let isFirst = join.destination.map { name(join.source) <= name($0) } ?? true
      for fromSource in [!isFirst, isFirst] {
        let table = fromSource ? join.sourceTable : join.destinationTable
        guard map.hasLosers(in: table) else { continue }
        let pairs = map.pairs(in: table)
        var positions = positions(join, fromSource: fromSource, of: pairs)
        for pair in pairs { move(join, fromSource: fromSource, pair: pair, positions: &positions) }
      }
    }
  }

  /// Tables whose objects are identified by others come first, so that two of one owner never have the same identity.
  private func tables(_ plan: DedupePlan) -> [Int] {
    var tables: [Int] = []
    for unit in plan.units.reversed() {
      let table = store.layout.entities[store.layout.number[unit.entity]!].table
      if !tables.contains(table) { tables.append(table) }
    }
    return DedupePlan.membersFirst(tables) { member, owner in
      store.references.contains { $0.isOneToOne && $0.memberTable == member && $0.ownerTable == owner }
    }
  }

  private mutating func merge(_ table: Int) throws {
    let pairs = map.pairs(in: table)
    for reference in store.references where reference.memberTable == table && reference.isOneToOne {
      if !leadsToMember(reference.forward) { try refuseLostRelatedObjects(pairs, reference: reference) }
      if !leadsToMember(reference.backward) { try refuseLostMembers(reference) }
    }
    for reference in store.references where reference.ownerTable == table {
      for pair in pairs { try move(reference, pair: pair) }
    }
    let fills = request.fills ? collectFills(pairs) : [:]
    for place in places(pairs, in: table) { try take(place) }
    var deletion = Deletion(graph: graph)
    for pair in pairs { deletion.add(pair.loser) }
    try deletion.perform()
    try write(fills)
  }

  // MARK: References

  /// Objects that are merged for their own identity can belong to owners that do not become one.
  private func refuseLostRelatedObjects(_ pairs: [Pair], reference: Reference) throws {
    // What stays and belongs to nothing can be filled by one of those that go only.
    var taken: [MemoryObject: MemoryObject] = [:]
    for (loser, survivor) in pairs {
      guard let other = owner(of: loser, reference) else { continue }
      guard let own = owner(of: survivor, reference) ?? taken[survivor] else {
        if request.fills { taken[survivor] = other }
        continue
      }
      guard map.settled(own) == map.settled(other) else {
        throw relatedObjectsLost([other, own], reference: reference)
      }
    }
  }

  /// Owners that become one can have related objects that do not, as one of them becomes another object for its own
  /// identity.
  private func refuseLostMembers(_ reference: Reference) throws {
    var members: [MemoryObject: MemoryObject] = [:]
    for (loser, survivor) in map.pairs(in: reference.ownerTable) {
      for owner in [survivor, loser] {
        let row = reference.list.first[owner.row]
        if row == noRow { continue }
        let member = MemoryObject(table: reference.memberTable, row: row)
        let other = members.updateValue(member, forKey: survivor) ?? member
        guard map.settled(other) == map.settled(member) else {
          throw CloneError.relatedObjectsApart(
            [other, member].map(graph.objectID), store.layout.relations[reference.backward!].description)
        }
      }
    }
  }

  /// What an object refers to.
  func owner(of member: MemoryObject, _ reference: Reference) -> MemoryObject? {
    let row = reference.list.owner[member.row]
    return row == noRow ? nil : MemoryObject(table: reference.ownerTable, row: row)
  }

  /// Whether what a relation leads to belongs to its object anyway.
  func leadsToMember(_ relation: Int?) -> Bool {
    relation.map { graph.mapping.leadsToMember(store.layout.relations[$0].description, in: graph.model) }
      ?? false
  }

  private func relatedObjectsLost(_ owners: [MemoryObject], reference: Reference) -> CloneError {
    .relatedObjectsLost(owners.map(graph.objectID), store.layout.relations[reference.backward!].description)
  }

  private mutating func move(_ reference: Reference, pair: Pair) throws {
    for row in reference.list.elements(of: pair.loser.row) {
      let member = MemoryObject(table: reference.memberTable, row: row)
      // A reference to one's own double is none to keep.
      var isLost = member == pair.survivor && !reference.isRequired
      if reference.isOneToOne {
        // Of related objects the one that stays moves.
        if map.isLoser(member) { continue }
        let holder = reference.list.first[pair.survivor.row]
        let isTaken = holder != noRow && !map.isLoser(MemoryObject(table: reference.memberTable, row: holder))
        guard !isTaken || leadsToMember(reference.backward) else {
          throw relatedObjectsLost([pair.loser, pair.survivor], reference: reference)
        }
        isLost = isLost || isTaken
      }
      try graph.setTarget(of: row, to: isLost ? noRow : pair.survivor.row, reference)
      try ranking.touch(member)
    }
  }

  private func move(_ join: Join, fromSource: Bool, pair: Pair, positions: inout [Row: Int]) {
    let (own, other) = join.lists(fromSource: fromSource)
    var links: [Row: Row] = [:]
    for link in own.elements(of: pair.survivor.row) { links[other.owner[link]] = link }
    for link in own.elements(of: pair.loser.row) {
      let member = other.owner[link]
      if join.sourceTable == join.destinationTable && member == pair.survivor.row {
        graph.removeLink(link, join: join)
      } else if let kept = links[member] {
        if let place = positions[link], let last = positions[kept], place < last {
          store.detach(kept, in: other)
          store.attach(kept, before: link, in: other)
          positions[kept] = place
        }
        graph.removeLink(link, join: join)
      } else {
        links[member] = link
        store.detach(link, in: own)
        store.attach(link, to: pair.survivor.row, in: own)
      }
    }
  }

  /// The positions of links in the lists that what goes is in.
  private func positions(_ join: Join, fromSource: Bool, of pairs: [Pair]) -> [Row: Int] {
    let (own, other) = join.lists(fromSource: fromSource)
    guard let relation = fromSource ? join.destination : join.source,
      store.layout.relations[relation].description.isOrdered
    else { return [:] }
    return positions(in: other, of: pairs.flatMap { own.elements(of: $0.loser.row).map { other.owner[$0] } })
  }

  // MARK: Lists

  /// What stays stands in a list before its double, which goes.
  private struct Place {
    var survivor: MemoryObject
    var loser: MemoryObject
    var reference: Reference
  }

  private func positions(in list: RowList, of owners: [Row]) -> [Row: Int] {
    var positions: [Row: Int] = [:]
    for owner in Set(owners) {
      for (position, element) in list.elements(of: owner).enumerated() { positions[element] = position }
    }
    return positions
  }

  /// A list holds what stays where the first of its doubles stands, also one that takes up other lists.
  private func places(_ pairs: [Pair], in table: Int) -> [Place] {
    let groups = Dictionary(grouping: pairs) { $0.survivor }
    return store.references.filter { $0.memberTable == table && $0.isOrdered }.flatMap { reference in
      let owners = pairs.flatMap { [$0.survivor, $0.loser] }.compactMap { owner(of: $0, reference)?.row }
      let positions = positions(in: reference.list, of: owners)
      return groups.compactMap { survivor, pairs -> Place? in
        first(survivor, doubles: pairs.map { $0.loser }, in: reference, positions: positions).flatMap {
          $0 == survivor ? nil : Place(survivor: survivor, loser: $0, reference: reference)
        }
      }
    }
  }

  /// Which of an object and its doubles stands first in the list of what the object refers to; what refers to nothing takes
  /// the list of its best double.
  private func first(
    _ survivor: MemoryObject, doubles: [MemoryObject], in reference: Reference, positions: [Row: Int]
  ) -> MemoryObject? {
    let members = ([survivor] + doubles).compactMap {
      member -> (member: MemoryObject, owner: MemoryObject)? in
      guard let owner = owner(of: member, reference) else { return nil }
      // A reference of a double to what stays ends with the merge.
      return member != survivor && map.settled(owner) == survivor ? nil : (member, owner)
    }
    guard let best = members.first, best.member == survivor || request.fills else { return nil }
    return members.filter { map.settled($0.owner) == map.settled(best.owner) }.min {
      (map.rank($0.owner), positions[$0.member.row]!) < (map.rank($1.owner), positions[$1.member.row]!)
    }?.member
  }

  private mutating func take(_ place: Place) throws {
    let (reference, survivor, loser) = (place.reference, place.survivor, place.loser)
    let owner = reference.list.owner[loser.row]
    // A position alone is no change.
    if reference.list.owner[survivor.row] != owner { try ranking.touch(survivor) }
    try graph.setTarget(of: survivor.row, to: owner, reference)
    store.detach(survivor.row, in: reference.list)
    store.attach(survivor.row, before: loser.row, in: reference.list)
  }
}
