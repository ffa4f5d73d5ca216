import MOCloneModel

/// Merges objects into those that stay: references to them move, nulls are filled, then they are removed.
struct DuplicateMerge {
  struct Step {
    var loser: MemoryObject
    var survivor: MemoryObject
  }

  let graph: MemoryGraph
  let plan: DedupePlan
  private let request: DedupeRequest
  let identities: Identities
  private let modified: ModifiedRule
  var ranking: DuplicateRanking
  var report: MoveReport
  var store: MemoryStore { graph.store }
  /// What this look did: survivors that took over a value, members that came to another owner's list, groups.
  private var filled: Set<MemoryObject> = []
  private var joined: [Int: Set<Row>] = [:]
  private var hasMerged = false
  /// What the group under way gives up.
  private var losers: Set<MemoryObject> = []
  /// One-to-one objects that nobody named and that would be given up, by entity.
  var collisions: [String: [[ObjectID]]] = [:]

  init(_ graph: MemoryGraph, _ plan: DedupePlan, _ request: DedupeRequest, _ run: MoveRun) throws {
    (self.graph, self.plan, self.request) = (graph, plan, request)
    identities = try Identities(graph.model, identifiedBy: request.identifiedBy)
    modified = run.modified
    ranking = DuplicateRanking(graph, request, modified)
    report = MoveReport(.dedupe, isDryRun: run.isDryRun)
  }

  mutating func begin() {
    (filled, joined, hasMerged) = ([], [:], false)
  }

  /// - Returns: whether anything was merged.
  /// - Throws: `CloneError` with what would have been given up although nobody named it.
  mutating func end() throws -> Bool {
    let failures = plan.units.filter(\.isPartner).flatMap { unit -> [CloneError.Failure] in
      guard let objects = collisions[unit.entity] else { return [] }
      return CloneError.wouldCollide(objects, unit).failures
    }
    if !failures.isEmpty { throw CloneError(failures) }
    for object in filled where graph.exists(object) {
      report.add(1, graph.entity(of: object).name, to: \.updated)
    }
    return hasMerged
  }

  /// Merges a group, and with it the one-to-one objects of its members.
  mutating func merge(_ group: DuplicateGroup) throws {
    note(group)
    losers = Set(group.losers)
    for loser in group.losers {
      var pending = [Step(loser: loser, survivor: group.survivor)]
      while let step = pending.popLast() { pending += try merge(step) }
    }
  }

  /// Takes down a group in the report.
  mutating func note(_ group: DuplicateGroup) {
    hasMerged = true
    report.add(group.losers.count, group.entity, to: request.merge == .none ? \.deleted : \.merged)
    guard report.groups?.count ?? 0 < request.listedGroups ?? .max else { return }
    func key(_ object: MemoryObject) -> String { graph.objectID(object).key.description }
    var listed = MoveReport.Group(
      entity: group.entity, identity: group.identity, survivor: key(group.survivor), merged: [])
    for loser in group.losers { listed.add(key(loser), request.merge) }
    report.groups = (report.groups ?? []) + [listed]
  }

  /// - Returns: the one-to-one objects that are to be merged as well.
  private mutating func merge(_ step: Step) throws -> [Step] {
    let (loser, survivor) = (step.loser, step.survivor)
    if request.fills { try fill(survivor, from: loser) }
    var partners: [Step] = []
    for reference in store.references where reference.isOneToOne && reference.memberTable == loser.table {
      if let step = try settleOwners(reference, loser, survivor) { partners.append(step) }
    }
    for (number, reference) in store.references.enumerated() where reference.ownerTable == loser.table {
      partners += try move(number, reference, loser, survivor)
    }
    for join in store.joins {
      if join.sourceTable == loser.table { move(join, fromSource: true, loser.row, survivor.row) }
      if join.destinationTable == loser.table { move(join, fromSource: false, loser.row, survivor.row) }
    }
    try takePosition(of: loser, survivor)
    var deletion = Deletion(graph: graph)
    deletion.add(loser)
    try deletion.perform()
    return partners
  }

  // MARK: References

  private mutating func move(
    _ number: Int, _ reference: Reference, _ loser: MemoryObject, _ survivor: MemoryObject
  ) throws -> [Step] {
    let isRequired = reference.forward.map { store.layout.relations[$0].isRequired } ?? false
    var partners: [Step] = []
    for row in reference.list.elements(of: loser.row) {
      let member = MemoryObject(table: reference.memberTable, row: row)
      if reference.isOneToOne, reference.list.first[survivor.row] != noRow {
        let other = MemoryObject(table: reference.memberTable, row: reference.list.first[survivor.row])
        guard let step = try settle(member, other, reference, loser) else { continue }
        partners.append(step)
        if step.survivor == other { continue }
      }
      let isOwn = member == survivor
      try graph.setTarget(of: row, to: isOwn && !isRequired ? noRow : survivor.row, reference)
      joined[number, default: []].insert(row)
      try ranking.touch(member)
    }
    return partners
  }

  private func move(_ join: Join, fromSource: Bool, _ loser: Row, _ survivor: Row) {
    let (own, other) = join.lists(fromSource: fromSource)
    var members = Set(own.elements(of: survivor).map { other.owner[$0] })
    for link in own.elements(of: loser) {
      let member = other.owner[link]
      let isOwn = join.sourceTable == join.destinationTable && member == survivor
      if isOwn || !members.insert(member).inserted {
        graph.removeLink(link, join)
      } else {
        store.detach(link, in: own)
        store.attach(link, to: survivor, in: own)
      }
    }
  }

  /// A member that came to a list by the merge takes the position of its double there.
  private mutating func takePosition(of loser: MemoryObject, _ survivor: MemoryObject) throws {
    for (number, reference) in store.references.enumerated() where reference.memberTable == loser.table {
      let list = reference.list
      let owner = list.owner[survivor.row]
      guard owner != noRow, list.owner[loser.row] == owner,
        reference.backward.map({ store.layout.relations[$0].description.isOrdered }) == true,
        joined[number]?.contains(survivor.row) == true, joined[number]?.contains(loser.row) != true
      else { continue }
      store.detach(survivor.row, in: list)
      store.attach(survivor.row, before: loser.row, in: list)
      try ranking.touch(survivor)
    }
  }

  // MARK: Values

  /// Gives a survivor the values and references that it lacks.
  private mutating func fill(_ survivor: MemoryObject, from loser: MemoryObject) throws {
    let entity = graph.entity(of: survivor)
    var isFilled = false
    for (name, number) in entity.columns {
      let column = store.spaces[survivor.table].valueColumns[number]
      let isFree =
        graph.mapping[entity.name].attributes[name]?.keyPart == nil && !column.attribute.isDerived
        && name != modified.name
      guard isFree, column.nulls[survivor.row], !column.nulls[loser.row] else { continue }
      try graph.setCell(column, survivor.row, column.value(loser.row))
      isFilled = true
    }
    for reference in store.references where reference.memberTable == survivor.table {
      let target = reference.list.owner[loser.row]
      guard target != noRow, reference.list.owner[survivor.row] == noRow,
        reference.ownerTable != survivor.table || !isOwn(target, survivor)
      else { continue }
      try graph.setTarget(of: survivor.row, to: target, reference)
      isFilled = true
    }
    guard isFilled else { return }
    filled.insert(survivor)
    try ranking.touch(survivor)
  }

  /// Whether a row is what an object is or will be.
  private func isOwn(_ row: Row, _ survivor: MemoryObject) -> Bool {
    row == survivor.row || losers.contains(MemoryObject(table: survivor.table, row: row))
  }

  // MARK: Removing

  /// Deletes duplicates by the delete rules, all together.
  mutating func remove(_ objects: [MemoryObject], counting: Bool = false) throws {
    var deletion = Deletion(graph: graph)
    for object in objects { deletion.add(object) }
    deletion.collectCascades()
    try deletion.check()
    for object in deletion.objects.dropFirst(counting ? 0 : objects.count) {
      report.add(1, graph.entity(of: object).name, to: \.deleted)
    }
    // An object can stay in its group, and go with its owner.
    let gone = Set(deletion.objects.map { graph.objectID($0).description })
    report.groups?.removeAll { gone.contains("\($0.entity) \($0.survivor)") }
    if report.groups?.isEmpty == true { report.groups = nil }
    try deletion.perform(modified)
  }
}

extension CloneError {
  package static func partnerDenied(_ partner: ObjectID) -> CloneError {
    CloneError(
      .deleteDenied,
      "\(partner) belongs to an object that would be merged, has no place at the survivor, and the delete rule is deny",
      object: partner)
  }
}
