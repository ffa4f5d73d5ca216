import GRDB
import MOCloneEngine
import MOCloneModel

extension SQLiteGraph {
  /// Merges objects that share their identity, in statements whose number depends on the model alone.
  public func dedupe(_ request: DedupeRequest, run: MoveRun) throws -> MoveReport {
    let plan = try DedupePlan(model, request)
    return try writeOrLook(run) { access in
      try Functions.register(in: access.db)
      var dedupe = StoreDedupe(
        access: access, layout: try access.moveLayout(), plan: plan, request: request, run: run)
      if run.isDryRun {
        try dedupe.look()
      } else {
        try access.db.deferringForeignKeys { try dedupe.run() }
      }
      return dedupe.report
    }
  }

  /// Reads and writes; a dry run writes temporary tables only, so that a read-only connection will do.
  func writeOrLook<T>(_ run: MoveRun, _ body: (RowAccess) throws -> T) throws -> T {
    run.isDryRun && isReadOnly ? try read(body) : try write(body)
  }
}

/// One search for duplicates, and their merging, in the transaction of the caller.
struct StoreDedupe {
  let access: RowAccess
  let layout: MoveLayout
  let plan: DedupePlan
  let request: DedupeRequest
  let moveRun: MoveRun
  private let modified: ModifiedRule
  private let renderer: DedupeRenderer
  private let runner: StatementRunner
  private let deletion: SetDeletion
  private(set) var report: MoveReport
  private var seen: Set<MoveReport.Skipped> = []

  init(access: RowAccess, layout: MoveLayout, plan: DedupePlan, request: DedupeRequest, run: MoveRun) {
    self.access = access
    self.layout = layout
    self.plan = plan
    self.request = request
    moveRun = run
    modified = run.modified
    renderer = DedupeRenderer(layout, plan, request)
    runner = StatementRunner(access.db)
    deletion = SetDeletion(layout, runner)
    report = MoveReport(.dedupe, isDryRun: run.isDryRun)
  }

  mutating func run() throws {
    repeat {
      let merged = try find()
      guard !merged.isEmpty else { break }
      if request.merge == .none { try deleteAll() } else { try merge(merged) }
    } while plan.needsAnotherLook
    for map in renderer.maps { try runner.execute(map.clear) }
  }

  /// What a run would do, without writing to the store.
  mutating func look() throws {
    let merged = try find()
    guard !merged.isEmpty else { return }
    if request.merge == .none { return try deleteAll() }
    for table in order where merged.contains(table.index) {
      let merge = mergeRenderer(table, merged)
      try findLeftPartners(merge)
      if request.fills { try collectFills(FillRenderer(merge)) }
    }
  }

  // MARK: Finding

  /// - Returns: the tables that have rows to be merged.
  private mutating func find() throws -> Set<Int> {
    for statement in renderer.setUp { try runner.execute(statement) }
    var merged: Set<Int> = []
    var searched: Set<Int> = []
    for number in plan.units.indices {
      let search = renderer.search(number)
      let isMerged = searched.contains(search.table.index)
      for statement in search.groups.setUp + search.members.setUp { try runner.execute(statement) }
      searched.insert(search.table.index)
      let groups = try access.db.sortingWithHelpers {
        try runner.execute(renderer.findGroups(search, isMerged: isMerged))
      }
      guard groups > 0 else { continue }
      try runner.execute(renderer.findMembers(search, isMerged: isMerged))
      try leaveAlone(search)
      try choose(search)
      guard try runner.execute(renderer.enter(search)) > 0 else { continue }
      if isMerged { try runner.execute(renderer.followMap(search.table)) }
      merged.insert(search.table.index)
      try count(search)
      for statement in [search.groups.clear, search.members.clear] { try runner.execute(statement) }
      try moveRun.report(MoveProgress(objects: report.merged ?? [:]))
    }
    return merged
  }

  private mutating func leaveAlone(_ search: DedupeRenderer.Search) throws {
    if search.table.discriminator != nil {
      try skip(
        search, renderer.mixedGroups(search),
        "they share \(search.unit.identity.names), but are of different entities")
    }
    if request.tie == .skip {
      try skip(search, renderer.tiedGroups(search), "neither date nor number of values decides which stays")
    }
  }

  private mutating func skip(_ search: DedupeRenderer.Search, _ groups: String, _ reason: String) throws {
    let rows = try runner.rows(renderer.members(search, of: groups))
    for (_, rows) in Dictionary(grouping: rows, by: { $0[0] as Int64 }).sorted(by: { $0.key < $1.key }) {
      let place = rows.map { layout.id($0, from: 1, in: search.table).description }.joined(separator: ", ")
      if seen.insert(.init(place: place, reason: reason)).inserted { report.skip(place, reason) }
    }
    if !rows.isEmpty { try runner.execute(renderer.leaveAlone(search, groups)) }
  }

  /// Lets the caller's closure choose what stays.
  private mutating func choose(_ search: DedupeRenderer.Search) throws {
    guard case .chosen(let choose) = request.keep else { return }
    let keys = SQL.list(search.table.keys("o"))
    let rows = try runner.rows("SELECT g, entity, \(keys), rank FROM \(search.members.sql) ORDER BY g, rank")
    try SQLiteGraph.with(access.db, model: layout.model) { graph in
      for (group, rows) in Dictionary(grouping: rows, by: { $0[0] as Int64 }).sorted(by: { $0.key < $1.key })
      {
        let objects = rows.map { ManagedObject(id: layout.id($0, from: 1, in: search.table), graph: graph) }
        runner.bind("g", group)
        guard let chosen = try choose(objects) else {
          let place = objects.sorted { $0.id.key.description < $1.id.key.description }.map(\.id.description)
          report.skip(place.joined(separator: ", "), "none was chosen")
          try runner.execute("DELETE FROM \(search.members.sql) WHERE g = :g")
          continue
        }
        guard let place = objects.firstIndex(where: { $0.id == chosen.id }) else {
          throw CloneError.chosenElsewhere(chosen.id)
        }
        runner.bind("rank", rows[place]["rank"] as Int64)
        try runner.execute("UPDATE \(search.members.sql) SET rank = 0 WHERE g = :g AND rank = :rank")
      }
    }
  }

  private mutating func count(_ search: DedupeRenderer.Search) throws {
    let counts = try runner.rows(
      "SELECT entity, count(*) - count(DISTINCT g) FROM \(search.members.sql) GROUP BY entity")
    for row in counts {
      let entity = layout.entity(search.table, discriminator: row[0])
      if request.merge == .merge { report.add(row[1], entity, to: \.merged) }
    }
    let limit = (request.listedGroups ?? .max) - (report.groups?.count ?? 0)
    guard limit > 0 else { return }
    runner.bind("groups", limit)
    try list(search, runner.rows(renderer.listedGroups(search)))
  }

  private mutating func list(_ search: DedupeRenderer.Search, _ rows: [Row]) throws {
    let parts = search.parts.count
    var groups: [MoveReport.Group] = []
    var last: Int64?
    for row in rows {
      let id = layout.id(row, from: 1 + parts, in: search.table)
      if row[0] as Int64 == last {
        groups[groups.count - 1].merged.append(id.key.description)
      } else {
        last = row[0]
        let identity = (1...parts).map { AttributeValue(raw: row[$0]).description }
        groups.append(.init(entity: id.entity, identity: identity, survivor: id.key.description, merged: []))
      }
    }
    report.groups = (report.groups ?? []) + groups
  }

  // MARK: Merging

  /// Tables whose objects are identified by others come first, so that two of one owner never have the same identity.
  private var order: [ObjectTable] {
    var tables: [ObjectTable] = []
    for unit in plan.units.reversed() where !tables.contains(renderer.table(unit)) {
      tables.append(renderer.table(unit))
    }
    return tables
  }

  private func mergeRenderer(_ table: ObjectTable, _ merged: Set<Int>) -> MergeRenderer {
    MergeRenderer(layout: layout, table: table, maps: renderer.maps, merged: merged, modified: modified)
  }

  private mutating func merge(_ merged: Set<Int>) throws {
    let reader = SchemaReader(db: access.db)
    let schema = try reader.schema(of: reader.tableNames())
    for table in order where merged.contains(table.index) {
      let merge = mergeRenderer(table, merged)
      let fill = FillRenderer(merge)
      if request.fills { try collectFills(fill) }
      if try findLeftPartners(merge) { try deletion.perform() }
      for statement in merge.references.flatMap(merge.move) { try runner.execute(statement) }
      for statement in merge.moveUnknown(in: schema) { try runner.execute(statement) }
      for end in merge.ends {
        let isOwn = layout.joins.contains {
          $0.mapping.table == end.table
            && layout.table(of: $0.relationship.entity).index
              == layout.table(of: $0.relationship.destination).index
        }
        for statement in merge.movePairs(end, isOwn: isOwn) { try runner.execute(statement) }
      }
      try deletion.begin()
      try deletion.add(
        "SELECT \(SQL.list(table.keys("o"))) FROM \(renderer.maps[table.index].sql)", to: table)
      try deletion.perform()
      if request.fills { for statement in fill.apply { try runner.execute(statement) } }
    }
  }

  private mutating func collectFills(_ fill: FillRenderer) throws {
    for statement in fill.collect { try runner.execute(statement) }
    for row in try runner.rows(fill.count) where row[1] as Int > 0 {
      report.add(row[1], layout.entity(fill.table, discriminator: row[0]), to: \.updated)
    }
  }

  /// Prepares the deletion of partners for which there is no place at the survivors.
  @discardableResult
  private mutating func findLeftPartners(_ merge: MergeRenderer) throws -> Bool {
    guard !merge.leftPartners.isEmpty else { return false }
    try deletion.begin()
    for (reference, query) in merge.leftPartners {
      let member = layout.table(of: reference.entity)
      if reference.backward?.deleteRule == .deny, let row = try runner.row(query + " LIMIT 1") {
        let key = KeyCoding(entity: layout.mapping[member.root]).decode(row, from: 0)
        throw CloneError.partnerDenied(ObjectID(reference.entity, key: key))
      }
      if merge.deletes(reference) { try deletion.add(query, to: member) }
    }
    try deletion.addCascades()
    try deletion.check()
    for (entity, count) in try deletion.counts() { report.add(count, entity, to: \.deleted) }
    return true
  }

  private mutating func deleteAll() throws {
    try deletion.begin()
    for table in layout.tables {
      try deletion.add(
        "SELECT \(SQL.list(table.keys("o"))) FROM \(renderer.maps[table.index].sql)", to: table)
    }
    try deletion.addCascades()
    try deletion.check()
    for (entity, count) in try deletion.counts() { report.add(count, entity, to: \.deleted) }
    if !moveRun.isDryRun { try deletion.perform() }
  }
}
