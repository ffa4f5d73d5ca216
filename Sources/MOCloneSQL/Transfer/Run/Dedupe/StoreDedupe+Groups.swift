import MOCloneEngine
import MOCloneModel

/// Which groups are left alone, what the caller chooses, and what the report says of the others.
extension StoreDedupe {
  /// - Parameter standing: what was equal before anything was merged, where only such ties are left alone.
  mutating func leaveAlone(_ search: DedupeRenderer.Search, standing: DedupeRenderer.Search?) throws {
    if search.unit.isGuarded, let groups = renderer.differingGroups(search) {
      try refuse(search, groups: groups)
    }
    let hasKinds = search.table.discriminator != nil
    // One-to-one objects that belong to one survivor cannot both be kept.
    if search.unit.isInseparable {
      if hasKinds { try refuse(search, groups: renderer.mixedGroups(search)) }
      return
    }
    if hasKinds {
      try skip(
        search, standing: standing, groups: renderer.mixedGroups(search),
        reason: "they share \(search.unit.identity.names), but they have different entities")
    }
    if request.tie == .skip {
      try skip(
        search, standing: standing, groups: renderer.tiedGroups(search, standing: standing),
        reason: "neither the dates nor the numbers of values decide which object stays")
    }
  }

  /// The members of some groups, group by group, with mark and key behind the group's number.
  private func members(
    _ search: DedupeRenderer.Search, standing: DedupeRenderer.Search? = nil, of groups: Select
  ) throws -> [[[StoredValue]]] {
    byGroup(try runner.answers(renderer.members(search, standing: standing, of: groups)))
  }

  /// Rows that begin with the number of their group, group by group.
  private func byGroup(_ rows: [[StoredValue]]) -> [[[StoredValue]]] {
    var groups: [[[StoredValue]]] = []
    for row in rows {
      if groups.last?[0][0].number == row[0].number {
        groups[groups.count - 1].append(row)
      } else {
        groups.append([row])
      }
    }
    return groups
  }

  /// Objects that nobody asked to merge collide by their keys: what they hold must not vanish.
  private func refuse(_ search: DedupeRenderer.Search, groups: Select) throws {
    let members = try members(search, of: groups)
    guard !members.isEmpty else { return }
    throw CloneError.wouldCollide(
      members.map { $0.map { layout.id($0, from: 1, in: search.table) } }, unit: search.unit)
  }

  private mutating func skip(
    _ search: DedupeRenderer.Search, standing: DedupeRenderer.Search?, groups: Select, reason: String
  ) throws {
    let members = try members(search, standing: standing, of: groups)
    for rows in members {
      let place = rows.map { layout.id($0, from: 1, in: search.table).description }.joined(separator: ", ")
      let entry = TransferReport.Skipped(place: place, reason: reason)
      let isNew = seen.insert(entry).inserted
      let group = known(rows, standing)
      // The same objects can have been left alone before, by whatever keys.
      if let group, leftAlone[group] != nil { continue }
      if isNew { report.skip(entry) }
      if let group { leftAlone[group] = report.skipped?.lastIndex(of: entry) }
    }
    if !members.isEmpty { try runner.execute(renderer.leaveAlone(search, groups)) }
  }

  /// The members of a group by what they were before anything was merged; nil where some were not equal then.
  private func known(_ rows: [[StoredValue]], _ standing: DedupeRenderer.Search?) -> LeftAlone? {
    guard let standing else { return nil }
    let members = Set(rows.map { Array($0.suffix(2)) })
    return members.contains([.null, .null]) ? nil : LeftAlone(table: standing.members.sql, members: members)
  }

  /// Names what was left alone by the keys that it has now: one that holds a reference has changed with it.
  mutating func renameLeftAlone() throws {
    for search in renderer.standing.values where search.table.map.key.contains(where: \.source.isReference) {
      let groups = leftAlone.filter { $0.key.table == search.members.sql }
      if groups.isEmpty { continue }
      let rows = try Dictionary(grouping: runner.answers(renderer.remembered(search))) { $0[0] }
      for (group, place) in groups {
        let members = Set(group.members.map { $0[0] }).flatMap { rows[$0] ?? [] }
          .filter { group.members.contains([$0[0], $0.last!]) }
        guard members.count == group.members.count else { continue }
        report.skipped?[place].place = members.map { layout.id($0, from: 1, in: search.table).description }
          .joined(separator: ", ")
      }
    }
  }

  /// Lets the caller's closure choose what stays.
  mutating func choose(_ search: DedupeRenderer.Search) throws {
    guard case .chosen(let choose) = request.keep else { return }
    for rows in byGroup(try runner.answers(renderer.candidates(search))) {
      let objects = rows.map { ManagedObject(id: layout.id($0, from: 1, in: search.table), graph: graph) }
      runner.bind("g", rows[0][0].number)
      let chosen = try ClosureError.marking { try choose(objects) }
      guard try objects.allSatisfy({ try graph.find($0.entity, key: $0.id.key) != nil }) else {
        throw CloneError.changedByChoice
      }
      guard let chosen else {
        try leaveAlone(objects.map(\.id), search)
        continue
      }
      guard let place = objects.firstIndex(where: { $0.id == chosen.id }) else {
        throw CloneError.chosenElsewhere(chosen.id)
      }
      runner.bind("rank", rows[place].last!)
      try runner.execute(renderer.choose(search))
    }
  }

  /// Leaves a group alone of which none was chosen.
  private mutating func leaveAlone(_ objects: [ObjectID], _ search: DedupeRenderer.Search) throws {
    if search.unit.isInseparable { throw CloneError.wouldCollide([objects], unit: search.unit) }
    let place = objects.sorted { $0.key.description < $1.key.description }.map(\.description)
    report.skip(place.joined(separator: ", "), "no survivor was chosen")
    try runner.execute(renderer.leaveAlone(search))
  }

  /// - Parameter losers: how many objects go.
  mutating func count(_ losers: Int, of search: DedupeRenderer.Search) throws {
    if request.merge == .merge { try countMerged(losers, search: search) }
    let limit = (request.listedGroups ?? .max) - (report.groups?.count ?? 0)
    var listed = 0
    if limit > 0 {
      runner.bind("groups", limit)
      listed = try list(search, rows: runner.answers(renderer.listedGroups(search)))
    }
    if losers > listed { report.unlistedDuplicates = (report.unlistedDuplicates ?? 0) + losers - listed }
  }

  private mutating func countMerged(_ losers: Int, search: DedupeRenderer.Search) throws {
    guard search.table.discriminator != nil else {
      return report.add(losers, search.table.root, to: \.merged)
    }
    for (entity, count) in try runner.counts(renderer.countLosers(search), of: search.table) {
      report.add(count, entity, to: \.merged)
    }
  }

  /// - Returns: how many objects go with the groups that are listed.
  private mutating func list(_ search: DedupeRenderer.Search, rows: [[StoredValue]]) throws -> Int {
    let parts = search.parts.count
    let groups = byGroup(rows).map { rows in
      let objects = rows.map { layout.id($0, from: 1 + parts, in: search.table) }
      var group = TransferReport.Group(
        entity: objects[0].entity, identity: (1...parts).map { AttributeValue(raw: rows[0][$0]).description },
        survivor: objects[0].key.description, merged: [])
      for loser in objects.dropFirst() { group.add(loser.key.description, request.merge) }
      return group
    }
    report.groups = (report.groups ?? []) + groups
    return rows.count - groups.count
  }
}
