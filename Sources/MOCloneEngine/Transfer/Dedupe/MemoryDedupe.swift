import MOCloneModel

extension MemoryGraph {
  /// Merges objects that share their identity.
  public func dedupe(_ request: DedupeRequest, options: TransferOptions) throws -> TransferReport {
    try options.whole { options in try transfer(options) { try merging(request, options: options) } }
  }

  /// A merge as a part of another operation.
  func merging(_ request: DedupeRequest, options: TransferOptions) throws -> TransferReport {
    var dedupe = try MemoryDedupe(self, request: request, options: options)
    try dedupe.perform()
    return dedupe.report
  }
}

/// A match of a graph with itself: objects of one identity become one of them.
struct MemoryDedupe {
  private let graph: MemoryGraph
  private let plan: DedupePlan
  private let request: DedupeRequest
  private let options: TransferOptions
  private var ranking: DuplicateRanking
  private(set) var report: TransferReport
  /// For each unit the objects that were equal before anything was merged; nil where nothing depends on it.
  private var standing: [Standing]?
  /// Groups that were left alone, by their places in the report.
  private var leftAlone: [Int: [MemoryObject]] = [:]

  /// What objects were identified by that were equal.
  private typealias Standing = [MemoryObject: IdentityIndex.Key]

  init(_ graph: MemoryGraph, request: DedupeRequest, options: TransferOptions) throws {
    (self.graph, self.request, self.options) = (graph, request, options)
    plan = try DedupePlan(graph.model, request: request)
    ranking = DuplicateRanking(graph, request: request, modified: options.modified)
    report = TransferReport(.dedupe, isDryRun: options.isDryRun)
  }

  /// - Throws: `CloneError` with everything that stands in the way; `CancellationError`.
  mutating func perform() throws {
    if plan.remembersTies { standing = try plan.units.map { try equalObjects($0) } }
    repeat {
      let map = try find()
      guard !map.isEmpty else { break }
      if request.merge == .none { try remove(map) } else { try merge(map) }
    } while plan.needsAnotherLook
    // A key that holds a reference has changed with it.
    for (place, objects) in leftAlone where objects.allSatisfy({ graph.exists($0) }) {
      let name = names(objects)
      report.skipped?[place].place = name
    }
    report.skipped = report.skipped?.uniqued()
  }

  private func names(_ objects: [MemoryObject]) -> String {
    objects.map { graph.objectID($0).description }.joined(separator: ", ")
  }

  /// Looks for the duplicates of every entity, those first that others are identified by.
  private mutating func find() throws -> DuplicateMap {
    var map = DuplicateMap()
    var rest = Array(plan.units.indices)
    while !rest.isEmpty {
      let number = rest.removeFirst()
      let unit = plan.units[number]
      // Two one-to-one objects belong to one object only if their owners are merged.
      if unit.isRelatedObject, !map.hasLosers(in: table(of: unit.owner)) { continue }
      let groups = try groups(unit, map: map, standing: standing?[number])
      for group in groups { note(group) }
      map.add(groups)
      // Those of what goes by this may have been looked for before.
      if !groups.isEmpty {
        rest += plan.units.indices.filter { other in
          let relatedObject = plan.units[other]
          return relatedObject.isRelatedObject && table(of: relatedObject.owner) == table(of: unit.entity)
            && !rest.contains(other)
        }
      }
      try options.report(TransferProgress(.finding, objects: report.merged ?? [:]))
    }
    return map
  }

  private func table(of entity: String) -> Int {
    let layout = graph.store.layout
    return layout.entities[layout.number[entity]!].table
  }

  private mutating func merge(_ map: DuplicateMap) throws {
    var merge = DuplicateMerge(
      graph: graph, request: request, modified: options.modified, map: map, ranking: ranking, report: report)
    try merge.perform(plan)
    (ranking, report) = (merge.ranking, merge.report)
  }

  /// Deletes duplicates by the delete rules, all together.
  private mutating func remove(_ map: DuplicateMap) throws {
    var deletion = Deletion(graph: graph)
    for object in map.losers { deletion.add(object) }
    deletion.collectCascades()
    try deletion.check()
    for object in deletion.objects { report.add(1, graph.entity(of: object).name, to: \.deleted) }
    for (name, count) in deletion.nullified { report.add(count, name, to: \.nullified) }
    // An object can stay in its group, and go with its owner.
    let gone = Set(deletion.objects.map { graph.objectID($0).description })
    report.groups?.removeAll { gone.contains("\($0.entity) \($0.survivor)") }
    if report.groups?.isEmpty == true { report.groups = nil }
    try deletion.perform(options.modified)
  }

  // MARK: Groups

  /// What is equal as long as nothing is merged.
  private func equalObjects(_ unit: DedupePlan.Unit) throws -> Standing {
    guard !unit.isInseparable else { return [:] }
    let index = try IdentityIndex(unit.identity, of: unit.entity, in: graph)
    var keys: Standing = [:]
    for key in index.repeated {
      for object in index.objects[key]! { keys[object] = key }
    }
    return keys
  }

  /// Whether objects were equal before anything was merged.
  private func wereEqual(_ objects: [MemoryObject], _ standing: Standing?) -> Bool {
    guard let standing else { return true }
    guard let key = standing[objects[0]] else { return false }
    return objects.allSatisfy { standing[$0] == key }
  }

  private mutating func groups(
    _ unit: DedupePlan.Unit, map: DuplicateMap, standing: Standing?
  ) throws -> [DuplicateGroup] {
    // What is only deleted leads nowhere else.
    let index = try IdentityIndex(
      unit.identity, of: unit.entity, in: graph, settled: { request.merge == .none ? $0 : map.settled($0) },
      where: { !map.isLoser($0) })
    let groups = index.repeated.map { (key: $0, objects: index.objects[$0]!) }
      .sorted { $0.objects[0].row < $1.objects[0].row }
    if unit.isGuarded {
      let differing = groups.map(\.objects).filter { ranking.differ($0, identity: unit.identity) }
      guard differing.isEmpty else {
        throw CloneError.wouldCollide(differing.map { $0.map(graph.objectID) }, unit: unit)
      }
    }
    return try groups.compactMap { try group($0.objects, key: $0.key, unit: unit, standing: standing) }
  }

  /// Nil where the objects are left alone.
  private mutating func group(
    _ objects: [MemoryObject], key: IdentityIndex.Key, unit: DedupePlan.Unit, standing: Standing?
  ) throws -> DuplicateGroup? {
    func skip(_ reason: String) -> DuplicateGroup? {
      if standing != nil { leftAlone[report.skipped?.count ?? 0] = objects }
      report.skip(names(objects), reason)
      return nil
    }
    // One-to-one objects that belong to one survivor cannot both be kept.
    func leaveAlone(_ reason: String) throws -> DuplicateGroup? {
      guard !unit.isInseparable else {
        throw CloneError.wouldCollide([objects.map(graph.objectID)], unit: unit)
      }
      return skip(reason)
    }
    let entity = graph.entity(of: objects[0]).name
    guard objects.allSatisfy({ graph.entity(of: $0).name == entity }) else {
      return try leaveAlone("they share \(unit.identity.names), but they have different entities")
    }
    var ranked = ranking.ranked(objects)
    if request.tie == .skip, !unit.isInseparable, ranking.areTied(ranked[0], ranked[1]),
      wereEqual(objects, standing)
    {
      return skip("neither the dates nor the numbers of values decide which object stays")
    }
    if case .chosen(let choose) = request.keep {
      let choices = ranked.map { ManagedObject(id: graph.objectID($0), graph: graph) }
      let chosen = try choose(choices)
      guard try choices.allSatisfy({ try graph.find($0.entity, key: $0.id.key) != nil }) else {
        throw CloneError.changedByChoice
      }
      guard let chosen else { return try leaveAlone("no survivor was chosen") }
      guard let place = choices.firstIndex(of: chosen) else { throw CloneError.chosenElsewhere(chosen.id) }
      ranked.insert(ranked.remove(at: place), at: 0)
    }
    return DuplicateGroup(
      entity: entity, identity: graph.identityTexts(key, of: unit.identity), survivor: ranked[0],
      losers: Array(ranked.dropFirst()))
  }

  /// Takes down a group in the report.
  private mutating func note(_ group: DuplicateGroup) {
    if request.merge == .merge { report.add(group.losers.count, group.entity, to: \.merged) }
    guard report.groups?.count ?? 0 < request.listedGroups ?? .max else {
      report.unlistedDuplicates = (report.unlistedDuplicates ?? 0) + group.losers.count
      return
    }
    func key(_ object: MemoryObject) -> String { graph.objectID(object).key.description }
    var listed = TransferReport.Group(
      entity: group.entity, identity: group.identity, survivor: key(group.survivor), merged: [])
    for loser in group.losers { listed.add(key(loser), request.merge) }
    report.groups = (report.groups ?? []) + [listed]
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
  func identityTexts(_ key: IdentityIndex.Key, of identity: Identity) -> [String] {
    identityParts(key, of: identity).map { part in
      switch part {
      case .value(let value): value.description
      case .object(let object): object.key.description
      }
    }
  }
}

extension CloneError {
  package static let changedByChoice = CloneError(
    .invalidValue, "the closure that chooses a survivor deleted an object of the group; it may only choose")

  package static func chosenElsewhere(_ object: ObjectID) -> CloneError {
    CloneError(.noSuchObject, "\(object) was chosen as the survivor, but is not in its group", object: object)
  }
}
