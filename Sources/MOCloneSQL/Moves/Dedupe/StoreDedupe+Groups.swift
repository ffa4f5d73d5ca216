import MOCloneEngine
import MOCloneModel

/// Which groups are left alone, what the caller chooses, and what the report says of the others.
extension StoreDedupe {
  mutating func leaveAlone(_ search: DedupeRenderer.Search) throws {
    if search.unit.isGuarded, let groups = renderer.differingGroups(search) {
      try refuse(search, groups: groups)
    }
    let hasKinds = search.table.discriminator != nil
    // Partners of one object cannot be left alone.
    if search.unit.isInseparable {
      if hasKinds { try refuse(search, groups: renderer.mixedGroups(search)) }
      return
    }
    if hasKinds {
      try skip(
        search, groups: renderer.mixedGroups(search),
        reason: "they share \(search.unit.identity.names), but they have different entities")
    }
    if request.tie == .skip {
      try skip(
        search, groups: renderer.tiedGroups(search),
        reason: "neither the dates nor the numbers of values decide which object stays")
    }
  }

  /// The members of some groups, group by group, with mark and key behind the group's number.
  private func members(_ search: DedupeRenderer.Search, of groups: Select) throws -> [[[StoredValue]]] {
    let rows = try runner.answers(renderer.members(search, of: groups))
    return Dictionary(grouping: rows, by: { $0[0].number }).sorted { $0.key < $1.key }.map(\.value)
  }

  /// Objects that nobody asked to merge collide by their keys: what they hold must not vanish.
  private func refuse(_ search: DedupeRenderer.Search, groups: Select) throws {
    let members = try members(search, of: groups)
    guard !members.isEmpty else { return }
    throw CloneError.wouldCollide(
      members.map { $0.map { layout.id($0, from: 1, in: search.table) } }, unit: search.unit)
  }

  private mutating func skip(_ search: DedupeRenderer.Search, groups: Select, reason: String) throws {
    let members = try members(search, of: groups)
    for rows in members {
      let place = rows.map { layout.id($0, from: 1, in: search.table).description }.joined(separator: ", ")
      if seen.insert(.init(place: place, reason: reason)).inserted { report.skip(place, reason) }
    }
    if !members.isEmpty { try runner.execute(renderer.leaveAlone(search, groups)) }
  }

  /// Lets the caller's closure choose what stays.
  mutating func choose(_ search: DedupeRenderer.Search) throws {
    guard case .chosen(let choose) = request.keep else { return }
    let rows = try runner.answers(renderer.candidates(search))
    let groups = Dictionary(grouping: rows, by: { $0[0].number }).sorted { $0.key < $1.key }
    for (group, rows) in groups {
      let objects = rows.map { ManagedObject(id: layout.id($0, from: 1, in: search.table), graph: graph) }
      runner.bind("g", group)
      guard let chosen = try choose(objects) else {
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
    guard limit > 0 else { return }
    runner.bind("groups", limit)
    try list(search, rows: runner.answers(renderer.listedGroups(search)))
  }

  private mutating func countMerged(_ losers: Int, search: DedupeRenderer.Search) throws {
    guard search.table.discriminator != nil else {
      return report.add(losers, search.table.root, to: \.merged)
    }
    for (entity, count) in try runner.counts(renderer.countLosers(search), of: search.table) {
      report.add(count, entity, to: \.merged)
    }
  }

  private mutating func list(_ search: DedupeRenderer.Search, rows: [[StoredValue]]) throws {
    let parts = search.parts.count
    var groups: [MoveReport.Group] = []
    var last: Int?
    for row in rows {
      let id = layout.id(row, from: 1 + parts, in: search.table)
      if row[0].number == last {
        groups[groups.count - 1].add(id.key.description, request.merge)
      } else {
        last = row[0].number
        let identity = (1...parts).map { AttributeValue(raw: row[$0]).description }
        groups.append(.init(entity: id.entity, identity: identity, survivor: id.key.description, merged: []))
      }
    }
    report.groups = (report.groups ?? []) + groups
  }
}
