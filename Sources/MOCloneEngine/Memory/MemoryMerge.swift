import MOCloneModel

/// Merges the rows that go into their survivors.
struct MemoryMerge {
  let graph: MemoryGraph
  let losers: [[Row: MemoryDedupe.Place]]
  let request: DedupeRequest
  let modified: ModifiedRule
  /// Of each table: the dates of change of rows before the merge wrote its own.
  private(set) var dates: [[Row: AttributeValue]]
  var report: MoveReport
  private var store: MemoryStore { graph.store }

  init(
    graph: MemoryGraph, losers: [[Row: MemoryDedupe.Place]], request: DedupeRequest, modified: ModifiedRule,
    dates: [[Row: AttributeValue]], report: MoveReport
  ) {
    self.graph = graph
    self.losers = losers
    self.request = request
    self.modified = modified
    self.dates = dates
    self.report = report
  }

  mutating func perform(_ plan: DedupePlan) throws {
    if request.merge == .none { return try deleteAll() }
    // What is identified by others goes first, so that two of one owner never have the same identity.
    var tables: [Int] = []
    for unit in plan.units.reversed() {
      let table = store.layout.entities[store.layout.number[unit.entity]!].table
      if !tables.contains(table) { tables.append(table) }
    }
    tables = DedupePlan.membersFirst(tables) { member, owner in
      store.references.contains { $0.isOneToOne && $0.memberTable == member && $0.ownerTable == owner }
    }
    for table in tables where !losers[table].isEmpty { try merge(table) }
  }

  private mutating func deleteAll() throws {
    var deletion = Deletion(graph: graph)
    for (table, rows) in losers.enumerated() {
      for row in rows.keys.sorted() { deletion.add(row, in: table) }
    }
    let count = deletion.objects.count
    deletion.collectCascades()
    try deletion.check()
    for object in deletion.objects.dropFirst(count) {
      report.add(1, graph.objectID(object.row, in: object.table).entity, to: \.deleted)
    }
    // An object can stay in its group, and go with its owner.
    let gone = Set(
      deletion.objects.map { graph.objectID($0.row, in: $0.table) }.map { "\($0.entity) \($0.key)" })
    report.groups?.removeAll { gone.contains("\($0.entity) \($0.survivor)") }
    if report.groups?.isEmpty == true { report.groups = nil }
    try deletion.perform()
  }

  private mutating func merge(_ table: Int) throws {
    let ranked = losers[table].sorted {
      ($0.value.survivor, $0.value.rank, $0.key) < ($1.value.survivor, $1.value.rank, $1.key)
    }
    let fills =
      request.fills
      ? ranked.reduce(into: Fills()) { collect($1.key, $1.value.survivor, table, &$0) } : Fills()
    try refuseLostPartners(ranked.map { ($0.key, $0.value.survivor) }, table)
    for reference in store.references where reference.ownerTable == table {
      for (loser, place) in ranked { try move(reference, loser, place.survivor) }
    }
    for join in store.joins {
      for (loser, place) in ranked {
        if join.sourceTable == table { move(join, fromSource: true, loser, place.survivor) }
      }
      for (loser, place) in ranked {
        if join.destinationTable == table { move(join, fromSource: false, loser, place.survivor) }
      }
    }
    try takePlaces(ranked.map { ($0.key, $0.value.survivor) }, table)
    var deletion = Deletion(graph: graph)
    for (loser, _) in ranked where store.entities[table][loser] != noRow { deletion.add(loser, in: table) }
    try deletion.perform()
    try write(fills, table)
  }

  /// Objects that are merged for their own identity can belong to owners that do not become one.
  private func refuseLostPartners(_ pairs: [(loser: Row, survivor: Row)], _ table: Int) throws {
    for reference in store.references where reference.memberTable == table && reference.isOneToOne {
      let owners = losers[reference.ownerTable]
      for (loser, survivor) in pairs {
        let found = [loser, survivor].map { reference.list.owner[$0] }
        guard !found.contains(noRow), Set(found.map { owners[$0]?.survivor ?? $0 }).count == 2 else {
          continue
        }
        throw CloneError.partnersLost(
          found.map { graph.objectID($0, in: reference.ownerTable) },
          store.layout.relations[reference.backward!].description)
      }
    }
  }

  // MARK: References

  private mutating func move(_ reference: Reference, _ loser: Row, _ survivor: Row) throws {
    let list = reference.list
    let isRequired = reference.forward.map { store.layout.relations[$0].isRequired } ?? false
    for member in list.elements(of: loser) {
      if reference.isOneToOne {
        if losers[reference.memberTable][member] != nil { continue }
        guard list.first[survivor] == noRow else {
          throw CloneError.partnersLost(
            [loser, survivor].map { graph.objectID($0, in: reference.ownerTable) },
            store.layout.relations[reference.backward!].description)
        }
      }
      let isOwn = reference.memberTable == reference.ownerTable && member == survivor
      try graph.setTarget(of: member, to: isOwn && !isRequired ? noRow : survivor, reference)
      touch(member, in: reference.memberTable)
    }
  }

  private func move(_ join: Join, fromSource: Bool, _ loser: Row, _ survivor: Row) {
    let (own, other) = join.lists(fromSource: fromSource)
    for link in own.elements(of: loser) {
      let partner = other.owner[link]
      let isOwn = join.sourceTable == join.destinationTable && partner == survivor
      let isThere = own.elements(of: survivor).contains { other.owner[$0] == partner }
      if isOwn || isThere {
        graph.removeLink(link, join)
      } else {
        store.detach(link, in: own)
        store.attach(link, to: survivor, in: own)
      }
    }
  }

  /// What stays in the list of an owner that goes takes the place of its double in the list of the owner that stays.
  private mutating func takePlaces(_ pairs: [(loser: Row, survivor: Row)], _ table: Int) throws {
    for reference in store.references
    where reference.memberTable == table && reference.ownerTable != table && isOrdered(reference) {
      let list = reference.list
      for (loser, survivor) in pairs where store.entities[table][loser] != noRow {
        let (owner, other) = (list.owner[loser], list.owner[survivor])
        guard owner != noRow, other != noRow, losers[reference.ownerTable][other]?.survivor == owner else {
          continue
        }
        let rest = Array(list.elements(of: owner).drop { $0 != loser }.dropFirst())
        let indexes = store.indexes.filter { $0.covers(list.owner) }
        for index in indexes { for row in [loser, survivor] { index.remove(row) } }
        store.detach(loser, in: list)
        store.detach(survivor, in: list)
        store.attach(survivor, to: owner, in: list)
        for element in rest {
          store.detach(element, in: list)
          store.attach(element, to: owner, in: list)
        }
        for index in indexes { for row in [survivor, loser] { try graph.enter(row, in: index) } }
        touch(survivor, in: table)
      }
    }
  }

  private func isOrdered(_ reference: Reference) -> Bool {
    reference.backward.map { store.layout.relations[$0].description.isOrdered } ?? false
  }

  // MARK: Values

  /// What survivors take over: values by column, destinations by reference.
  private struct Fills {
    var values: [Row: [Int: AttributeValue]] = [:]
    var targets: [Row: [Int: Row]] = [:]
  }

  private func collect(_ loser: Row, _ survivor: Row, _ table: Int, _ fills: inout Fills) {
    let entity = store.layout.entities[Int(store.entities[table][loser])]
    for (name, column) in entity.columns {
      let cells = store.spaces[table].valueColumns[column]
      let isFree = graph.mapping[entity.name].attributes[name]?.keyPart == nil && !cells.attribute.isDerived
      // The operation sets dates of change itself.
      guard isFree, name != modified.name, cells.nulls[survivor], !cells.nulls[loser],
        fills.values[survivor]?[column] == nil
      else {
        continue
      }
      fills.values[survivor, default: [:]][column] = cells.value(loser)
    }
    for (number, reference) in store.references.enumerated()
    where reference.memberTable == table {
      let target = reference.list.owner[loser]
      guard target != noRow, reference.list.owner[survivor] == noRow,
        fills.targets[survivor]?[number] == nil
      else { continue }
      let settled = losers[reference.ownerTable][target]?.survivor ?? target
      if reference.ownerTable == table, settled == survivor { continue }
      fills.targets[survivor, default: [:]][number] = settled
    }
  }

  private mutating func write(_ fills: Fills, _ table: Int) throws {
    let filled = Set(fills.values.keys).union(fills.targets.keys).sorted()
    for row in filled where store.entities[table][row] != noRow {
      let entity = store.layout.entities[Int(store.entities[table][row])]
      for (column, value) in (fills.values[row] ?? [:]).sorted(by: { $0.key < $1.key }) {
        try graph.setCell(store.spaces[table].valueColumns[column], row, value)
      }
      for (number, target) in (fills.targets[row] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let reference = store.references[number]
        guard store.entities[reference.ownerTable][target] != noRow,
          !reference.isOneToOne || reference.list.first[target] == noRow
        else { continue }
        try graph.setTarget(of: row, to: target, reference)
      }
      touch(row, in: table)
      report.add(1, entity.name, to: \.updated)
    }
  }

  /// Sets the date of change of an object that stays.
  private mutating func touch(_ row: Row, in table: Int) {
    let entity = store.layout.entities[Int(store.entities[table][row])]
    if dates[table][row] == nil, let column = graph.column(modified.name, of: entity) {
      dates[table][row] = column.value(row)
    }
    graph.touch(row, in: table, modified)
  }
}

extension MemoryGraph {
  /// Sets the date of change of an object, where its entity has one.
  func touch(_ row: Row, in table: Int, _ rule: ModifiedRule) {
    let entity = store.layout.entities[Int(store.entities[table][row])]
    guard let attribute = rule.attribute(of: entity.name, in: model),
      let column = column(attribute.name, of: entity)
    else { return }
    store.set(column, row, .date(rule.instant))
  }

  /// Sets a cell and keeps the indexes in step; the caller has begun an operation.
  func setCell(_ column: ValueColumn, _ row: Row, _ value: AttributeValue) throws {
    let indexes = store.indexes.filter { $0.covers(column) }
    for index in indexes { index.remove(row) }
    store.set(column, row, value)
    for index in indexes { try enter(row, in: index) }
  }
}
