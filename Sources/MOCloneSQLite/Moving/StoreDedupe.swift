import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension SQLiteGraph {
  /// Merges objects that share their identity, in statements whose number depends on the model alone.
  public func dedupe(_ request: DedupeRequest, run: MoveRun) throws -> MoveReport {
    let plan = try DedupePlan(model, request)
    return try moving(run) { access, watch in
      try Functions.register(in: access.db)
      var dedupe = StoreDedupe(
        access: access, layout: try access.moveLayout(), plan: plan, request: request, watch: watch)
      try access.db.deferringForeignKeys { try dedupe.run() }
      return dedupe.report
    }
  }
}

/// One search for duplicates, and their merging, in the transaction of the caller.
struct StoreDedupe {
  let access: RowAccess
  let layout: MoveLayout
  let plan: DedupePlan
  let request: DedupeRequest
  let watch: RunWatch
  let modified: ModifiedRule
  let renderer: DedupeRenderer
  let runner: StatementRunner
  let deletion: SetDeletion
  var report: MoveReport
  var seen: Set<MoveReport.Skipped> = []

  init(access: RowAccess, layout: MoveLayout, plan: DedupePlan, request: DedupeRequest, watch: RunWatch) {
    self.access = access
    self.layout = layout
    self.plan = plan
    self.request = request
    self.watch = watch
    modified = watch.run.modified
    renderer = DedupeRenderer(layout, plan, request, watch.run.modified)
    runner = StatementRunner(access.db, watch)
    deletion = SetDeletion(layout, runner)
    report = MoveReport(.dedupe, isDryRun: watch.run.isDryRun)
  }

  mutating func run() throws {
    for statement in renderer.dates.setUp { try runner.execute(statement) }
    repeat {
      let merged = try find()
      guard !merged.isEmpty else { break }
      if request.merge == .none { try deleteAll() } else { try merge(merged) }
    } while plan.needsAnotherLook
    for map in renderer.maps { try runner.execute(map.clear) }
  }

  /// The objects to be compared, where somebody wants to know.
  private func totals() throws -> [String: Int] {
    guard watch.run.progress != nil else { return [:] }
    return try Dictionary(
      plan.units.map { unit in
        let table = renderer.table(unit)
        let kind = layout.kind(of: unit.entity, "s").map { " WHERE " + $0 } ?? ""
        return (unit.entity, try runner.number("SELECT count(*) FROM \(table.sql) s\(kind)"))
      }, uniquingKeysWith: max)
  }

  /// - Returns: the tables that have rows to be merged.
  private mutating func find() throws -> Set<Int> {
    for statement in renderer.setUp { try runner.execute(statement) }
    try watch.enter(.finding, of: totals())
    var merged: Set<Int> = []
    var searched: Set<Int> = []
    for number in plan.units.indices {
      let search = renderer.search(number)
      // Partners become those of one object only where objects become one.
      if search.unit.isPartner, !merged.contains(layout.table(of: search.unit.owner).index) { continue }
      let isMerged = searched.contains(search.table.index)
      for statement in search.groups.setUp + search.members.setUp { try runner.execute(statement) }
      searched.insert(search.table.index)
      let groups = try access.db.sortingWithHelpers {
        try runner.execute(renderer.findGroups(search, isMerged: isMerged), scanning: search.unit.entity)
      }
      guard groups > 0 else { continue }
      try runner.execute(renderer.findMembers(search, isMerged: isMerged))
      if request.tie == .leastKey {
        for statement in renderer.settleTies(search) { try runner.execute(statement) }
      }
      if search.unit.isGuarded { try refuseDiffering(search) }
      try leaveAlone(search)
      try choose(search)
      let losers = try runner.execute(renderer.enter(search))
      guard losers > 0 else { continue }
      if isMerged { try runner.execute(renderer.followMap(search.table)) }
      merged.insert(search.table.index)
      try count(losers, of: search)
      for statement in [search.groups.clear, search.members.clear] { try runner.execute(statement) }
    }
    return merged
  }
}
