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
    movePairs()
    let tables = tables(plan).filter(map.hasLosers)
    let places = tables.map(joinedPlaces)
    let given = tables.map(given)
    for (table, places) in zip(tables, places) { try merge(table, places: places) }
    for given in given { list(given) }
  }

  /// Of join rows that become one that of the better owner stays: of the one whose relationship is first by name, whose
  /// end comes last, then of the other.
  private func movePairs() {
    func name(_ relation: Int) -> String { store.layout.relations[relation].description.qualifiedName }
    for join in store.joins {
      let isFirst = join.destination.map { name(join.source) <= name($0) } ?? true
      for fromSource in [!isFirst, isFirst] {
        let table = fromSource ? join.sourceTable : join.destinationTable
        guard map.hasLosers(in: table) else { continue }
        for pair in map.pairs(in: table) { move(join, fromSource: fromSource, pair: pair) }
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

  private mutating func merge(_ table: Int, places: [Place]) throws {
    let pairs = map.pairs(in: table)
    let fills = request.fills ? collectFills(pairs) : [:]
    for reference in store.references where reference.memberTable == table && reference.isOneToOne {
      if !leadsBack(reference) { try refuseLostPartners(pairs, reference: reference) }
      try refuseLostMembers(reference)
    }
    for reference in store.references where reference.ownerTable == table {
      for pair in pairs { try move(reference, pair: pair) }
    }
    for place in places + freePlaces(in: table) { try take(place) }
    var deletion = Deletion(graph: graph)
    for pair in pairs { deletion.add(pair.loser) }
    try deletion.perform()
    try write(fills)
  }

  // MARK: References

  /// Objects that are merged for their own identity can belong to owners that do not become one.
  private func refuseLostPartners(_ pairs: [Pair], reference: Reference) throws {
    // What stays and belongs to nothing can be filled by one of those that go only.
    var taken: [MemoryObject: MemoryObject] = [:]
    for (loser, survivor) in pairs {
      guard let other = owner(of: loser, reference) else { continue }
      guard let own = owner(of: survivor, reference) ?? taken[survivor] else {
        if request.fills { taken[survivor] = other }
        continue
      }
      guard map.settled(own) == map.settled(other) else {
        throw partnersLost([other, own], reference: reference)
      }
    }
  }

  /// Owners that become one can have partners that do not, as one of them becomes another object for its own identity.
  private func refuseLostMembers(_ reference: Reference) throws {
    var members: [MemoryObject: MemoryObject] = [:]
    for (loser, survivor) in map.pairs(in: reference.ownerTable) {
      for owner in [survivor, loser] {
        let row = reference.list.first[owner.row]
        if row == noRow { continue }
        let member = MemoryObject(table: reference.memberTable, row: row)
        let other = members.updateValue(member, forKey: survivor) ?? member
        guard map.settled(other) == map.settled(member) else {
          throw CloneError.partnersApart(
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

  func isRequired(_ reference: Reference) -> Bool {
    reference.forward.map { store.layout.relations[$0].isRequired } ?? false
  }

  /// Whether what an object refers to belongs to it anyway.
  private func leadsBack(_ reference: Reference) -> Bool {
    guard let forward = reference.forward.map({ store.layout.relations[$0].description }) else {
      return false
    }
    return graph.mapping[forward.entity].leadsBack(forward.name)
  }

  private func partnersLost(_ owners: [MemoryObject], reference: Reference) -> CloneError {
    .partnersLost(owners.map(graph.objectID), store.layout.relations[reference.backward!].description)
  }

  private mutating func move(_ reference: Reference, pair: Pair) throws {
    let isRequired = isRequired(reference)
    for row in reference.list.elements(of: pair.loser.row) {
      let member = MemoryObject(table: reference.memberTable, row: row)
      if reference.isOneToOne {
        // Of partners the one that stays moves.
        if map.isLoser(member) { continue }
        let holder = reference.list.first[pair.survivor.row]
        guard holder == noRow || map.isLoser(MemoryObject(table: reference.memberTable, row: holder)) else {
          throw partnersLost([pair.loser, pair.survivor], reference: reference)
        }
      }
      // A reference to one's own double is none to keep.
      let isOwn = member == pair.survivor && !isRequired
      try graph.setTarget(of: row, to: isOwn ? noRow : pair.survivor.row, reference)
      try ranking.touch(member)
    }
  }

  private func move(_ join: Join, fromSource: Bool, pair: Pair) {
    let (own, other) = join.lists(fromSource: fromSource)
    var members = Set(own.elements(of: pair.survivor.row).map { other.owner[$0] })
    for link in own.elements(of: pair.loser.row) {
      let member = other.owner[link]
      let isOwn = join.sourceTable == join.destinationTable && member == pair.survivor.row
      if isOwn || !members.insert(member).inserted {
        graph.removeLink(link, join: join)
      } else {
        store.detach(link, in: own)
        store.attach(link, to: pair.survivor.row, in: own)
      }
    }
  }

  // MARK: Lists

  /// What stays stands in a list before its double, which goes.
  private struct Place {
    var pair: Pair
    var reference: Reference
  }

  /// Whether members keep their places in lists as their doubles go; owners among the members are no such lists.
  func keepsPlaces(_ reference: Reference) -> Bool {
    let isOrdered = reference.backward.map { store.layout.relations[$0].description.isOrdered } ?? false
    return isOrdered && reference.ownerTable != reference.memberTable
  }

  private func places(in table: Int, _ takes: (Pair, Reference) -> Bool) -> [Place] {
    store.references.filter { $0.memberTable == table && keepsPlaces($0) }.flatMap { reference in
      var placed: Set<MemoryObject> = []
      return map.pairs(in: table).filter { pair in
        takes(pair, reference) && placed.insert(pair.survivor).inserted
      }.map { Place(pair: $0, reference: reference) }
    }
  }

  /// Of lists that become one the first place counts: that of the double in the list of what stays.
  private func joinedPlaces(in table: Int) -> [Place] {
    places(in: table) { pair, reference in
      guard let owner = owner(of: pair.loser, reference), let other = self.owner(of: pair.survivor, reference)
      else { return false }
      return owner != other && map.settled(other) == owner
    }
  }

  /// What stands in no list takes the place of its best double that does.
  private func freePlaces(in table: Int) -> [Place] {
    guard request.fills else { return [] }
    return places(in: table) { pair, reference in
      owner(of: pair.survivor, reference) == nil && owner(of: pair.loser, reference) != nil
    }
  }

  private mutating func take(_ place: Place) throws {
    let (reference, survivor, loser) = (place.reference, place.pair.survivor, place.pair.loser)
    try graph.setTarget(of: survivor.row, to: reference.list.owner[loser.row], reference)
    store.detach(survivor.row, in: reference.list)
    store.attach(survivor.row, before: loser.row, in: reference.list)
    try ranking.touch(survivor)
  }
}
