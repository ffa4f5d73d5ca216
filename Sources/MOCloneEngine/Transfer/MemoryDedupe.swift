import MOCloneModel

extension MemoryGraph {
  /// Merges objects that share their identity.
  public func dedupe(_ request: DedupeRequest, run: MoveRun) throws -> MoveReport {
    try transfer(run) { try merging(request, run: run) }
  }

  /// A merge as a part of another operation.
  func merging(_ request: DedupeRequest, run: MoveRun) throws -> MoveReport {
    var dedupe = try MemoryDedupe(self, request, run)
    try dedupe.perform()
    return dedupe.merge.report
  }
}

/// A match of a graph with itself: objects of one identity become one of them.
struct MemoryDedupe {
  private let graph: MemoryGraph
  private let plan: DedupePlan
  private let request: DedupeRequest
  private let run: MoveRun
  var merge: DuplicateMerge

  init(_ graph: MemoryGraph, _ request: DedupeRequest, _ run: MoveRun) throws {
    (self.graph, self.request, self.run) = (graph, request, run)
    plan = try DedupePlan(graph.model, request)
    merge = try DuplicateMerge(graph, plan, request, run)
  }

  /// - Throws: `CloneError` with everything that stands in the way; `CancellationError`.
  mutating func perform() throws {
    if request.merge == .none {
      try removeDuplicates()
    } else {
      while try look(), plan.needsAnotherLook {}
    }
    var seen: Set<MoveReport.Skipped> = []
    merge.report.skipped = merge.report.skipped?.filter { seen.insert($0).inserted }
  }

  /// Merges the duplicates of every entity, those first that others are identified by.
  ///
  /// - Returns: whether there were any.
  private mutating func look() throws -> Bool {
    merge.begin()
    for unit in plan.units where !unit.isPartner {
      for group in try groups(unit) { try merge.merge(group) }
      try run.report(MoveProgress(.finding, objects: merge.report.merged ?? [:]))
    }
    return try merge.end()
  }

  private mutating func removeDuplicates() throws {
    var gone: [MemoryObject] = []
    for unit in plan.units {
      for group in try groups(unit, except: Set(gone)) {
        merge.note(group)
        gone += group.losers
      }
      try run.report(MoveProgress(.finding, objects: merge.report.deleted ?? [:]))
    }
    try merge.remove(gone)
  }

  // MARK: Groups

  private mutating func groups(
    _ unit: DedupePlan.Unit, except gone: Set<MemoryObject> = []
  ) throws -> [DuplicateGroup] {
    let index = try IdentityIndex(unit.identity, of: unit.entity, in: graph) { !gone.contains($0) }
    let objects = index.repeated.map { index.objects[$0]! }
    if unit.isGuarded {
      let differing = objects.filter { merge.ranking.differ($0, unit.identity) }
      guard differing.isEmpty else {
        throw CloneError.wouldCollide(differing.map { $0.map(graph.objectID) }, unit)
      }
    }
    return try zip(index.repeated, objects).compactMap { try group($1, $0, unit) }
      .sorted { $0.survivor.row < $1.survivor.row }
  }

  /// Nil where the objects are left alone.
  private mutating func group(
    _ objects: [MemoryObject], _ key: IdentityIndex.Key, _ unit: DedupePlan.Unit
  ) throws -> DuplicateGroup? {
    func skip(_ reason: String) -> DuplicateGroup? {
      merge.report.skip(objects.map { graph.objectID($0).description }.joined(separator: ", "), reason)
      return nil
    }
    let entity = graph.entity(of: objects[0]).name
    guard objects.allSatisfy({ graph.entity(of: $0).name == entity }) else {
      return skip("they share \(unit.identity.names), but are of different entities")
    }
    var ranked = merge.ranking.ranked(objects)
    if case .chosen(let choose) = request.keep {
      let choices = ranked.map { ManagedObject(id: graph.objectID($0), graph: graph) }
      guard let chosen = try choose(choices) else { return skip("none was chosen") }
      guard let place = choices.firstIndex(of: chosen) else { throw CloneError.chosenElsewhere(chosen.id) }
      ranked.insert(ranked.remove(at: place), at: 0)
    } else if request.tie == .skip, merge.ranking.areTied(ranked[0], ranked[1]) {
      return skip("neither date nor number of values decides which stays")
    }
    return DuplicateGroup(
      entity: entity, identity: graph.identityTexts(key), survivor: ranked[0],
      losers: Array(ranked.dropFirst()))
  }
}

/// Objects that share their identity: the one that stays, and the others, the better ones first.
struct DuplicateGroup {
  var entity: String
  var identity: [String]
  var survivor: MemoryObject
  var losers: [MemoryObject]
}

extension MemoryGraph {
  /// A key as a report names it.
  func identityTexts(_ key: IdentityIndex.Key) -> [String] {
    identityParts(key).map { part in
      switch part {
      case .value(let value): value.description
      case .object(let object): object.key.description
      }
    }
  }
}

extension CloneError {
  package static func chosenElsewhere(_ object: ObjectID) -> CloneError {
    CloneError(.noSuchObject, "\(object) was chosen to stay, but is none of its group", object: object)
  }
}
