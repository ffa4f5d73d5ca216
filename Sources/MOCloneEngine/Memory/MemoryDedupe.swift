import Foundation
import MOCloneModel

extension MemoryGraph {
  /// Merges objects that share their identity.
  public func dedupe(_ request: DedupeRequest, run: MoveRun) throws -> MoveReport {
    struct Rehearsal: Error {}
    let plan = try DedupePlan(model, request)
    var report = MoveReport(.dedupe, isDryRun: run.isDryRun)
    do {
      try store.atomically {
        var dedupe = MemoryDedupe(graph: self, plan: plan, request: request, run: run, report: report)
        try dedupe.run()
        report = dedupe.report
        if run.isDryRun { throw Rehearsal() }
      }
    } catch is Rehearsal {}
    return report
  }
}

/// The finding of duplicates; `MemoryMerge` does the merging.
struct MemoryDedupe {
  let graph: MemoryGraph
  let plan: DedupePlan
  let request: DedupeRequest
  let moveRun: MoveRun
  /// At the operation's one instant.
  private let modified: ModifiedRule
  var report: MoveReport
  private var store: MemoryStore { graph.store }
  /// Of each table: the survivor of a row that goes, and its rank in its group.
  private(set) var losers: [[Row: Place]] = []
  /// Of each table: the dates of change of rows before the merge wrote its own.
  private var dates: [[Row: AttributeValue]]

  struct Place {
    var survivor: Row
    var rank: Int
  }

  init(graph: MemoryGraph, plan: DedupePlan, request: DedupeRequest, run: MoveRun, report: MoveReport) {
    self.graph = graph
    self.plan = plan
    self.request = request
    moveRun = run
    modified = run.modified
    self.report = report
    dates = [[Row: AttributeValue]](repeating: [:], count: graph.store.layout.tables.count)
  }

  mutating func run() throws {
    while true {
      losers = [[Row: Place]](repeating: [:], count: store.layout.tables.count)
      for unit in plan.units {
        try find(unit)
        try moveRun.report(MoveProgress(.finding, objects: report.merged ?? [:]))
      }
      var seen: Set<MoveReport.Skipped> = []
      report.skipped = report.skipped?.filter { seen.insert($0).inserted }
      guard losers.contains(where: { !$0.isEmpty }) else { break }
      var merge = MemoryMerge(
        graph: graph, losers: losers, request: request, modified: modified, dates: dates, report: report)
      try merge.perform(plan)
      (report, dates) = (merge.report, merge.dates)
      guard plan.needsAnotherLook else { break }
    }
    if report.skipped?.isEmpty == true { report.skipped = nil }
  }

  // MARK: Groups

  private mutating func find(_ unit: DedupePlan.Unit) throws {
    let number = store.layout.number[unit.entity]!
    let table = store.layout.entities[number].table
    // Partners become those of one object only where objects become one.
    if unit.isPartner, losers[store.layout.entities[store.layout.number[unit.owner]!].table].isEmpty {
      return
    }
    var groups: [[AttributeValue]: [Row]] = [:]
    var order: [[AttributeValue]] = []
    for row in 0..<Row(store.spaces[table].count) {
      let entity = store.entities[table][row]
      guard entity != noRow, store.layout.isKind(Int(entity), of: number), losers[table][row] == nil,
        let key = try key(unit.identity, row, table)
      else { continue }
      groups[key, default: []].append(row)
      if groups[key]!.count == 2 { order.append(key) }
    }
    if unit.isGuarded {
      let differing = order.map { groups[$0]! }.filter { differ($0, unit, table) }
      guard differing.isEmpty else {
        throw CloneError.wouldCollide(differing.map { $0.map { graph.objectID($0, in: table) } }, unit)
      }
    }
    for key in order { try settle(unit, key, groups[key]!, table) }
    for (row, place) in losers[table] {
      // A survivor can be a duplicate by another entity's identity.
      if let next = losers[table][place.survivor] { losers[table][row]!.survivor = next.survivor }
    }
  }

  /// Whether rows hold more than one value in some attribute or reference beside key and date of change.
  private func differ(_ rows: [Row], _ unit: DedupePlan.Unit, _ table: Int) -> Bool {
    guard Set(rows.map { store.entities[table][$0] }).count == 1 else { return true }
    let entity = store.layout.entities[Int(store.entities[table][rows[0]])]
    let parts = Set(unit.identity.paths.flatMap { $0.steps.prefix(1).map(\.name) })
    let columns = entity.columns.filter { name, _ in
      graph.mapping[entity.name].attributes[name]?.keyPart == nil && name != modified.name
    }
    let references = store.references.filter { reference in
      reference.memberTable == table
        && !parts.contains(reference.forward.map { store.layout.relations[$0].description.name } ?? "")
    }
    return columns.values.contains { column in
      let cells = store.spaces[table].valueColumns[column]
      return Set(rows.filter { !request.fills || !cells.nulls[$0] }.map { cells.value($0) }).count > 1
    }
      || references.contains { reference in
        Set(rows.map { reference.list.owner[$0] }.filter { !request.fills || $0 != noRow }).count > 1
      }
  }

  /// What identifies a row once what is merged is merged; nil where a part is null or empty.
  private func key(_ identity: Identity, _ row: Row, _ table: Int) throws -> [AttributeValue]? {
    var key: [AttributeValue] = []
    for path in identity.paths {
      var (place, table) = (row, table)
      for step in path.steps {
        let entity = store.layout.entities[Int(store.entities[table][place])]
        let relation = try graph.relationNumber(step.name, of: entity)
        guard let next = graph.destinationRows(of: relation, place).first else { return nil }
        table = store.layout.relations[relation].destinationTable
        place = request.merge == .none ? next : losers[table][next]?.survivor ?? next
      }
      let value =
        path.attribute.map { attribute in
          graph.column(attribute.name, of: store.layout.entities[Int(store.entities[table][place])])?
            .value(place) ?? .null
        } ?? .integer(Int64(place) + 1)
      if IdentityPart.value(value).isEmpty { return nil }
      key.append(value)
    }
    return key
  }

  private mutating func settle(
    _ unit: DedupePlan.Unit, _ key: [AttributeValue], _ rows: [Row], _ table: Int
  ) throws {
    let text = key.map(\.description)
    // Partners of one object cannot be left alone.
    var collision: CloneError { .wouldCollide([rows.map { graph.objectID($0, in: table) }], unit) }
    func skip(_ reason: String) {
      let objects = rows.map { graph.objectID($0, in: table).description }
      report.skip(objects.joined(separator: ", "), reason)
    }
    guard Set(rows.map { store.entities[table][$0] }).count == 1 else {
      if unit.isInseparable { throw collision }
      return skip("they share \(unit.identity.names), but are of different entities")
    }
    let entity = store.layout.entities[Int(store.entities[table][rows[0]])]
    var ranked = rows.map { Ranked(row: $0, weight: weight($0, unit, entity)) }
    ranked.sort { a, b in
      if a.weight != b.weight { return a.weight.isBefore(b.weight, request.keep) }
      return isBefore(a.row, b.row, entity) ?? (a.row < b.row)
    }
    if case .chosen(let choose) = request.keep {
      let objects = ranked.map { ManagedObject(id: graph.objectID($0.row, in: table), graph: graph) }
      guard let chosen = try choose(objects) else {
        if unit.isInseparable { throw collision }
        return skip("none was chosen")
      }
      guard let place = objects.firstIndex(of: chosen) else { throw CloneError.chosenElsewhere(chosen.id) }
      ranked.insert(ranked.remove(at: place), at: 0)
    } else if request.tie == .skip, !unit.isInseparable, ranked[0].weight == ranked[1].weight {
      return skip("neither date nor number of values decides which stays")
    }
    for (rank, loser) in ranked.enumerated().dropFirst() {
      losers[table][loser.row] = Place(survivor: ranked[0].row, rank: rank)
    }
    report.add(ranked.count - 1, entity.name, to: request.merge == .none ? \.deleted : \.merged)
    guard report.groups?.count ?? 0 < request.listedGroups ?? .max else { return }
    var group = MoveReport.Group(
      entity: entity.name, identity: text, survivor: "\(ranked[0].row + 1)", merged: [])
    for loser in ranked.dropFirst() { group.add("\(loser.row + 1)", request.merge) }
    report.groups = (report.groups ?? []) + [group]
  }

  private struct Ranked {
    var row: Row
    var weight: DedupeWeight
  }

  /// Which of two rows has the lesser value in the first attribute in which they differ; nil where they are equal.
  private func isBefore(_ a: Row, _ b: Row, _ entity: EntityLayout) -> Bool? {
    for attribute in graph.model.attributes(of: entity.name) {
      guard graph.mapping[entity.name].attributes[attribute.name]?.keyPart == nil,
        let column = graph.column(attribute.name, of: entity)
      else { continue }
      func value(_ row: Row) -> AttributeValue {
        attribute.name == modified.name ? dates[entity.table][row] ?? column.value(row) : column.value(row)
      }
      let (first, second) = (value(a), value(b))
      if first != second { return first.isBefore(second) }
    }
    return nil
  }

  private func weight(_ row: Row, _ unit: DedupePlan.Unit, _ entity: EntityLayout) -> DedupeWeight {
    let before = dates[entity.table][row]
    let values = entity.columns.count { name, column in
      if name == modified.name, let before { return before != .null }
      return !store.spaces[entity.table].valueColumns[column].nulls[row]
    }
    let isBefore = unit.date?.name == modified.name && before != nil
    let date = isBefore ? before : unit.date.flatMap { graph.column($0.name, of: entity)?.value(row) }
    guard case .date(let instant) = date else { return DedupeWeight(date: nil, values: values) }
    return DedupeWeight(date: instant, values: values)
  }
}

/// What decides which object of a group stays, before its key does.
struct DedupeWeight: Equatable {
  var date: Date?
  var values: Int

  /// An object without date comes last.
  func isBefore(_ other: DedupeWeight, _ keep: DedupeRequest.Keep) -> Bool {
    if case .fullest = keep, values != other.values { return values > other.values }
    if date != other.date {
      guard let date, let otherDate = other.date else { return date != nil }
      if case .oldest = keep { return date < otherDate }
      return date > otherDate
    }
    return values > other.values
  }
}

extension AttributeValue {
  /// The order of values of one type in their canonical form: null first, numbers as numbers, everything else by bytes.
  fileprivate func isBefore(_ other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.null, _): true
    case (_, .null): false
    case (.integer(let a), .integer(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    case (.decimal(let a), .decimal(let b)): a < b
    case (.date(let a), .date(let b)): a < b
    case (.bool(let a), .bool(let b)): !a && b
    case (.binary(let a), .binary(let b)): a.lexicographicallyPrecedes(b)
    default: description.utf8.lexicographicallyPrecedes(other.description.utf8)
    }
  }
}

extension CloneError {
  package static func chosenElsewhere(_ object: ObjectID) -> CloneError {
    CloneError(.noSuchObject, "\(object) was chosen to stay, but is none of its group", object: object)
  }
}
