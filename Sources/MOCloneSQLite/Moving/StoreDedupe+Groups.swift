import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Which groups are left alone, what the caller chooses, and what the report says of the others.
extension StoreDedupe {
  mutating func leaveAlone(_ search: DedupeRenderer.Search) throws {
    if search.table.discriminator != nil {
      try skip(
        search, renderer.mixedGroups(search),
        "they share \(search.unit.identity.names), but are of different entities")
    }
    if request.tie == .skip {
      try skip(search, renderer.tiedGroups(search), "neither date nor number of values decides which stays")
    }
  }

  /// Objects that nobody asked to merge collide by their keys: what they hold must not vanish.
  func refuseDiffering(_ search: DedupeRenderer.Search) throws {
    guard let groups = renderer.differingGroups(search, modified) else { return }
    let rows = try runner.rows(renderer.members(search, of: groups))
    guard !rows.isEmpty else { return }
    let members = Dictionary(grouping: rows, by: { $0[0] as Int64 }).sorted { $0.key < $1.key }
    throw CloneError.wouldCollide(
      members.map { $0.value.map { layout.id($0, from: 1, in: search.table) } }, search.unit)
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
  mutating func choose(_ search: DedupeRenderer.Search) throws {
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

  /// - Parameter losers: how many objects go.
  mutating func count(_ losers: Int, of search: DedupeRenderer.Search) throws {
    if request.merge == .merge { try countMerged(losers, search) }
    let limit = (request.listedGroups ?? .max) - (report.groups?.count ?? 0)
    guard limit > 0 else { return }
    runner.bind("groups", limit)
    try list(search, runner.rows(renderer.listedGroups(search)))
  }

  private mutating func countMerged(_ losers: Int, _ search: DedupeRenderer.Search) throws {
    guard search.table.discriminator != nil else {
      return report.add(losers, search.table.root, to: \.merged)
    }
    let counts = try runner.rows(
      "SELECT entity, count(*) - count(DISTINCT g) FROM \(search.members.sql) GROUP BY entity")
    for row in counts {
      report.add(row[1], layout.entity(search.table, discriminator: row[0]), to: \.merged)
    }
  }

  private mutating func list(_ search: DedupeRenderer.Search, _ rows: [Row]) throws {
    let parts = search.parts.count
    var groups: [MoveReport.Group] = []
    var last: Int64?
    for row in rows {
      let id = layout.id(row, from: 1 + parts, in: search.table)
      if row[0] as Int64 == last {
        groups[groups.count - 1].add(id.key.description, request.merge)
      } else {
        last = row[0]
        let identity = (1...parts).map { AttributeValue(raw: row[$0]).description }
        groups.append(.init(entity: id.entity, identity: identity, survivor: id.key.description, merged: []))
      }
    }
    report.groups = (report.groups ?? []) + groups
  }
}
