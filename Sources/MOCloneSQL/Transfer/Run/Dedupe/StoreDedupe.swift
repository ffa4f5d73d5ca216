import MOCloneEngine
import MOCloneModel

extension RowAccess where Connection: TransferConnection {
  /// Merges objects that share their identity, in statements whose number depends on the model alone, in the transaction
  /// of the caller.
  ///
  /// - Parameter graph: a graph of the objects in this transaction, for a caller who chooses what stays.
  package func dedupe(
    _ request: DedupeRequest, plan: DedupePlan, watch: RunWatch, in graph: any ObjectGraph,
    dialect: Dialect? = nil
  ) throws -> TransferReport {
    var dedupe = StoreDedupe(
      db: db, graph: graph, layout: try storeLayout(in: dialect), plan: plan, request: request, watch: watch)
    try db.generating(by: watch.options.generator, dedupe.runner) {
      try db.deferringForeignKeys { try dedupe.run() }
    }
    return dedupe.report
  }
}

/// One search for duplicates, and their merging, in the transaction of the caller.
struct StoreDedupe {
  let db: any TransferConnection
  let graph: any ObjectGraph
  let layout: StoreLayout
  let plan: DedupePlan
  let request: DedupeRequest
  let watch: RunWatch
  let renderer: DedupeRenderer
  let runner: any StatementRunning
  let deletion: SetDeletion
  var report: TransferReport
  var seen: Set<TransferReport.Skipped> = []
  /// The groups that were left alone, and their places in the report.
  var leftAlone: [LeftAlone: Int] = [:]

  /// Objects by their places among what was equal before anything was merged, which stay what they are where keys change.
  struct LeftAlone: Hashable {
    var table: String
    var members: Set<[StoredValue]>
  }

  init(
    db: any TransferConnection, graph: any ObjectGraph, layout: StoreLayout, plan: DedupePlan,
    request: DedupeRequest, watch: RunWatch
  ) {
    self.db = db
    self.graph = graph
    self.layout = layout
    self.plan = plan
    self.request = request
    self.watch = watch
    renderer = DedupeRenderer(layout, plan: plan, request: request, modified: watch.options.modified)
    runner = db.statements(watch)
    deletion = SetDeletion(layout, runner: runner, dates: renderer.dates)
    report = TransferReport(.dedupe, isDryRun: watch.options.isDryRun)
  }

  mutating func run() throws {
    try runner.execute(renderer.dates.setUp)
    try findStanding()
    repeat {
      let merged = try find()
      guard !merged.isEmpty else { break }
      if request.merge == .none { try deleteAll() } else { try merge(merged) }
    } while plan.needsAnotherLook
    try renameLeftAlone()
    try runner.execute(renderer.maps.map(\.clear) + renderer.standing.values.flatMap(\.cleanUp))
  }

  /// Finds what is equal as long as nothing is merged.
  private func findStanding() throws {
    for (_, search) in renderer.standing.sorted(by: { $0.key < $1.key }) {
      try runner.execute(search.setUp + [search.index])
      try db.sorting { _ = try runner.execute(renderer.findGroups(search, isMerged: false)) }
      try runner.execute(renderer.findMembers(search, isMerged: false))
    }
  }

  /// The objects to be compared, where somebody wants to know.
  private func totals() throws -> [String: Int] {
    guard watch.options.progress != nil else { return [:] }
    return try Dictionary(
      renderer.units.map { ($0.entity, try runner.count(renderer.count($0))) }, uniquingKeysWith: max)
  }

  /// - Returns: the tables that have rows to be merged.
  private mutating func find() throws -> Set<Int> {
    try runner.execute(renderer.setUp)
    try watch.enter(.finding, of: totals())
    var merged: Set<Int> = []
    var searched: Set<Int> = []
    var rest = Array(renderer.units.indices)
    while !rest.isEmpty {
      let number = rest.removeFirst()
      let unit = renderer.units[number]
      // Two one-to-one objects belong to one object only if their owners are merged.
      if unit.isRelatedObject, !merged.contains(layout.table(of: unit.owner).index) { continue }
      let table = renderer.table(unit).index
      let isMerged = !searched.insert(table).inserted
      guard try find(number, following: merged, isMerged: isMerged) else { continue }
      merged.insert(table)
      // Those of what goes by this may have been looked for before.
      rest += renderer.units.indices.filter { other in
        let relatedObject = renderer.units[other]
        return relatedObject.isRelatedObject && layout.table(of: relatedObject.owner).index == table
          && !rest.contains(other)
      }
    }
    return merged
  }

  /// - Returns: whether some objects are duplicates.
  private mutating func find(_ number: Int, following merged: Set<Int>, isMerged: Bool) throws -> Bool {
    let search = renderer.search(number, following: merged)
    try runner.execute(search.setUp)
    let groups = try db.sorting {
      try runner.execute(renderer.findGroups(search, isMerged: isMerged), scanning: search.unit.entity)
    }
    guard groups > 0 else { return false }
    try runner.execute(renderer.findMembers(search, isMerged: isMerged))
    try runner.execute(renderer.settleTies(search))
    try leaveAlone(search, standing: renderer.standing[number])
    try choose(search)
    let losers = try runner.execute(renderer.enter(search, isMerged: isMerged))
    guard losers > 0 else { return false }
    if isMerged { try runner.execute(renderer.followMap(search.table)) }
    try count(losers, of: search)
    try runner.execute(search.cleanUp)
    return true
  }

  // MARK: Duplicates that are deleted by the delete rules, not merged

  private mutating func deleteAll() throws {
    try deletion.begin()
    for map in renderer.maps { try deletion.add(map.keys, to: map.table) }
    try deletion.addCascades()
    try deletion.check()
    for (entity, count) in try deletion.counts() { report.add(count, entity, to: \.deleted) }
    try forgetDeletedSurvivors()
    try deletion.perform(&report)
  }

  /// An object can stay in its group, and go with its owner.
  private mutating func forgetDeletedSurvivors() throws {
    guard report.groups?.isEmpty == false else { return }
    let gone = try deletion.renderer.gone.map { set in
      let coding = KeyCoding(entity: set.table.map)
      return Set(
        try runner.answers(set.keys.text(layout.dialect)).map { coding.decode($0, from: 0).description })
    }
    report.groups?.removeAll { gone[layout.table(of: $0.entity).index].contains($0.survivor) }
    if report.groups?.isEmpty == true { report.groups = nil }
  }
}
