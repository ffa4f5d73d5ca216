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
  var report: MoveReport
  var store: MemoryStore { graph.store }

  typealias Pair = (loser: MemoryObject, survivor: MemoryObject)

  mutating func perform(_ plan: DedupePlan) throws {
    for table in tables(plan) where map.hasLosers(in: table) { try merge(table) }
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
    let fills = request.fills ? collectFills(pairs) : [:]
    for reference in store.references where reference.memberTable == table && reference.isOneToOne {
      try refuseLostPartners(pairs, reference)
    }
    for reference in store.references where reference.ownerTable == table {
      for pair in pairs { try move(reference, pair) }
    }
    for join in store.joins {
      if join.sourceTable == table { for pair in pairs { move(join, fromSource: true, pair) } }
      if join.destinationTable == table { for pair in pairs { move(join, fromSource: false, pair) } }
    }
    for reference in store.references where reference.memberTable == table {
      try takePlaces(pairs, reference)
    }
    var deletion = Deletion(graph: graph)
    for pair in pairs { deletion.add(pair.loser) }
    try deletion.perform()
    try write(fills)
  }

  // MARK: References

  /// Objects that are merged for their own identity can belong to owners that do not become one.
  private func refuseLostPartners(_ pairs: [Pair], _ reference: Reference) throws {
    func owner(_ member: MemoryObject) -> MemoryObject? {
      let row = reference.list.owner[member.row]
      return row == noRow ? nil : MemoryObject(table: reference.ownerTable, row: row)
    }
    // What stays and belongs to nothing can be filled by one of those that go only.
    var taken: [MemoryObject: MemoryObject] = [:]
    for (loser, survivor) in pairs {
      guard let other = owner(loser) else { continue }
      guard let own = owner(survivor) ?? taken[survivor] else {
        if request.fills { taken[survivor] = other }
        continue
      }
      guard map.settled(own) == map.settled(other) else { throw partnersLost([other, own], reference) }
    }
  }

  private func partnersLost(_ owners: [MemoryObject], _ reference: Reference) -> CloneError {
    .partnersLost(owners.map(graph.objectID), store.layout.relations[reference.backward!].description)
  }

  private mutating func move(_ reference: Reference, _ pair: Pair) throws {
    let isRequired = reference.forward.map { store.layout.relations[$0].isRequired } ?? false
    for row in reference.list.elements(of: pair.loser.row) {
      let member = MemoryObject(table: reference.memberTable, row: row)
      if reference.isOneToOne {
        // Of partners the one that stays moves.
        if map.isLoser(member) { continue }
        let holder = reference.list.first[pair.survivor.row]
        guard holder == noRow || map.isLoser(MemoryObject(table: reference.memberTable, row: holder)) else {
          throw partnersLost([pair.loser, pair.survivor], reference)
        }
      }
      // A reference to one's own double is none to keep.
      let isOwn = member == pair.survivor && !isRequired
      try graph.setTarget(of: row, to: isOwn ? noRow : pair.survivor.row, reference)
      try ranking.touch(member)
    }
  }

  private func move(_ join: Join, fromSource: Bool, _ pair: Pair) {
    let (own, other) = join.lists(fromSource: fromSource)
    var members = Set(own.elements(of: pair.survivor.row).map { other.owner[$0] })
    for link in own.elements(of: pair.loser.row) {
      let member = other.owner[link]
      let isOwn = join.sourceTable == join.destinationTable && member == pair.survivor.row
      if isOwn || !members.insert(member).inserted {
        graph.removeLink(link, join)
      } else {
        store.detach(link, in: own)
        store.attach(link, to: pair.survivor.row, in: own)
      }
    }
  }

  /// What stays in the list of an owner that goes takes the place of its double in the list of the owner that stays.
  private mutating func takePlaces(_ pairs: [Pair], _ reference: Reference) throws {
    let list = reference.list
    let isOrdered = reference.backward.map { store.layout.relations[$0].description.isOrdered } ?? false
    guard isOrdered, reference.ownerTable != reference.memberTable else { return }
    for (loser, survivor) in pairs where list.owner[loser.row] != noRow && list.owner[survivor.row] != noRow {
      let (owner, other) = (list.owner[loser.row], list.owner[survivor.row])
      guard owner != other,
        map.settled(MemoryObject(table: reference.ownerTable, row: other)).row == owner
      else { continue }
      try graph.setTarget(of: survivor.row, to: owner, reference)
      store.detach(survivor.row, in: list)
      store.attach(survivor.row, before: loser.row, in: list)
      try ranking.touch(survivor)
    }
  }
}
