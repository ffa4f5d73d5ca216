import Foundation
import MOCloneModel

extension MemoryGraph: SyncingGraph {
  public func sync(
    _ plan: SyncPlan, run: MoveRun, source: String, _ fill: (any SyncSink) throws -> Void
  ) throws -> MoveReport {
    struct Rehearsal: Error {}
    let rows = MemoryRows(plan)
    try fill(rows)
    var report = MoveReport(.sync, isDryRun: run.isDryRun)
    do {
      try store.atomically {
        var sync = MemorySync(graph: self, plan: plan, modified: run.modified, source: source, report: report)
        try sync.run(rows.rows)
        report = sync.report
        if run.isDryRun { throw Rehearsal() }
      }
    } catch is Rehearsal {}
    return report
  }
}

/// The rows of a sync as values; nil stands for what a row does not give.
private final class MemoryRows: SyncSink {
  private(set) var rows: [(values: [AttributeValue?], line: Int)] = []
  private let plan: SyncPlan

  init(_ plan: SyncPlan) {
    self.plan = plan
  }

  func add(_ values: UnsafeBufferPointer<StagedValue>, line: Int) throws {
    let given = try zip(plan.columns, values).map { column, value in
      try value.attributeValue(of: column.type).map { try column.fitted($0, of: plan.entity) }
    }
    rows.append((given, line))
  }
}

private struct MemorySync {
  let graph: MemoryGraph
  let plan: SyncPlan
  let modified: ModifiedRule
  let source: String
  var report: MoveReport
  private var model: ObjectModel { plan.model }

  /// Of each lead the objects that it can find, by their values.
  private var leadObjects: [[Key: [ObjectID]]] = []

  typealias Key = [AttributeValue]

  init(graph: MemoryGraph, plan: SyncPlan, modified: ModifiedRule, source: String, report: MoveReport) {
    self.graph = graph
    self.plan = plan
    self.modified = modified
    self.source = source
    self.report = report
  }

  mutating func run(_ rows: [(values: [AttributeValue?], line: Int)]) throws {
    try plan.checkEmpty(rows.count)
    try plan.checkGiven(plan.columns.indices.map { place in rows.contains { $0.values[place] != nil } })
    let wanted = try keyed(rows)
    let stored = try storedObjects()
    try refuseOutOfScope(rows, stored.byKey)
    let gone = plan.request.deletes ? stored.objects.filter { $0.key.map { wanted[$0] == nil } ?? true } : []
    try plan.checkDeletions(gone.count, of: stored.objects.count)
    try checkLeads(of: rows.filter { row in key(row.values).map { stored.byKey[$0] == nil } ?? false })
    try delete(gone.map(\.object))
    try makeRoom(rows, stored.byKey)
    for row in rows {
      guard let key = key(row.values), wanted[key] != nil else { continue }
      if let object = stored.byKey[key] {
        // A cascade can have deleted it.
        if try graph.find(object.entity, key: object.key) != nil { try follow(row.values, object) }
      } else {
        try create(row.values)
      }
    }
  }

  // MARK: Identity

  private mutating func keyed(_ rows: [(values: [AttributeValue?], line: Int)]) throws -> [Key: Int] {
    var lines: [Key: [Int]] = [:]
    var order: [Key] = []
    var failures: [CloneError.Failure] = []
    for (values, line) in rows {
      for (place, value) in plan.scope where values[place] != nil && values[place] != value {
        failures.append(plan.outsideScope(plan.columns[place], line, source))
      }
      guard let key = key(values) else {
        failures.append(plan.nullIdentity(line, source))
        continue
      }
      if lines[key] == nil { order.append(key) }
      lines[key, default: []].append(line)
    }
    for key in order where lines[key]!.count > 1 {
      failures.append(plan.duplicate(key.map { "'\($0)'" }.joined(separator: ", "), lines[key]!, source))
    }
    if !failures.isEmpty { throw CloneError(failures) }
    return lines.mapValues { $0[0] }
  }

  /// Nil where a part is null or empty.
  private func key(_ values: [AttributeValue?]) -> Key? {
    let parts = plan.identifying.map { place -> AttributeValue in
      let value = values[place] ?? scopeValue(place) ?? defaultValue(place)
      guard case .reference = plan.columns[place], case .string(let text) = value else { return value }
      return Int64(text).map(AttributeValue.integer) ?? value
    }
    return parts.contains { IdentityPart.value($0).isEmpty } ? nil : parts
  }

  private func scopeValue(_ place: Int) -> AttributeValue? {
    plan.scope.first { $0.place == place }?.value
  }

  private func defaultValue(_ place: Int) -> AttributeValue {
    guard case .attribute(let attribute) = plan.columns[place] else { return .null }
    return attribute.defaultValue ?? .null
  }

  private func storedObjects() throws -> (objects: [(key: Key?, object: ObjectID)], byKey: [Key: ObjectID]) {
    var objects: [(Key?, ObjectID)] = []
    var byKey: [Key: [ObjectID]] = [:]
    for object in try graph.objectIDs(plan.entity) {
      guard try plan.scope.allSatisfy({ try value($0.place, of: object) == $0.value }) else { continue }
      let parts = try plan.identifying.map { try value($0, of: object) }
      let key = parts.contains { IdentityPart.value($0).isEmpty } ? nil : parts
      objects.append((key, object))
      if let key { byKey[key, default: []].append(object) }
    }
    for (key, objects) in byKey where objects.count > 1 {
      throw CloneError.ambiguousIdentity(plan.identity, key.map(IdentityPart.value), objects)
    }
    return (objects, byKey.mapValues { $0[0] })
  }

  /// A row whose object lies outside of what is compared would make a second one.
  private func refuseOutOfScope(
    _ rows: [(values: [AttributeValue?], line: Int)], _ stored: [Key: ObjectID]
  ) throws {
    guard !plan.scope.isEmpty else { return }
    let others = try Set(
      graph.objectIDs(plan.entity).map { object in try plan.identifying.map { try value($0, of: object) } })
    let failures = rows.filter { row in
      key(row.values).map { stored[$0] == nil && others.contains($0) } ?? false
    }.map { plan.existsOutOfScope($0.line, source) }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  /// What an object holds in a column; of a to-one the key of its destination.
  private func value(_ place: Int, of object: ObjectID) throws -> AttributeValue {
    switch plan.columns[place] {
    case .attribute(let attribute): try graph.value(attribute.name, of: object)
    case .reference(let relationship):
      try graph.destinations(relationship.name, of: object).first?.key.parts[0] ?? .null
    case .path(let path):
      if case .value(let value) = try graph.part(path, of: object) { value } else { .null }
    }
  }

  // MARK: Related objects

  /// Each new object must belong to one object that is there.
  private mutating func checkLeads(of rows: [(values: [AttributeValue?], line: Int)]) throws {
    guard !rows.isEmpty else { return }
    leadObjects = try plan.leads.map { lead in
      let objects = try graph.objectIDs(lead.relationship.destination)
      return try Dictionary(grouping: objects) { object in
        try lead.paths.map { path in
          if case .value(let value) = try graph.part(path, of: object) { value } else { .null }
        }
      }
    }
    var failures: [CloneError.Failure] = []
    for (lead, objects) in zip(plan.leads, leadObjects) {
      for row in rows {
        let key = leadKey(lead, row.values)
        let found = objects[key]?.count ?? 0
        if found == 1 { continue }
        failures.append(
          lead.failure(key.map(\.description), found, "\(source) \(row.line)", of: plan.entity))
      }
    }
    if !failures.isEmpty { throw CloneError(Array(failures.prefix(20))) }
  }

  private func leadKey(_ lead: SyncLead, _ values: [AttributeValue?]) -> Key {
    lead.places.map { values[$0] ?? scopeValue($0) ?? .null }
  }

  // MARK: Writing

  private mutating func delete(_ objects: [ObjectID]) throws {
    var deletion = Deletion(graph: graph)
    for object in objects {
      let (entity, row) = try graph.located(object)
      deletion.add(row, in: entity.table)
    }
    deletion.collectCascades()
    try deletion.check()
    for object in deletion.objects {
      report.add(1, graph.objectID(object.row, in: object.table).entity, to: \.deleted)
    }
    try deletion.perform()
  }

  private mutating func follow(_ values: [AttributeValue?], _ object: ObjectID) throws {
    var isChanged = false
    var givesDate = false
    for place in plan.overwriting {
      guard let given = values[place] else { continue }
      if plan.columns[place].name == modified.name { givesDate = true }
      let wanted = try fitted(given, place)
      guard try value(place, of: object) != wanted else { continue }
      isChanged = true
      switch plan.columns[place] {
      case .attribute(let attribute): try graph.setValue(wanted, for: attribute.name, of: object)
      case .reference(let relationship):
        try graph.setDestinations(destinations(wanted, relationship), relationship.name, of: object)
      case .path: break
      }
    }
    report.add(1, object.entity, to: isChanged ? \.updated : \.unchanged)
    guard isChanged, !givesDate else { return }
    let (entity, row) = try graph.located(object)
    graph.touch(row, in: entity.table, modified)
  }

  /// Takes unique values away that are about to change, so that objects can swap them.
  private func makeRoom(
    _ rows: [(values: [AttributeValue?], line: Int)], _ stored: [Key: ObjectID]
  ) throws {
    for place in plan.overwriting {
      guard case .attribute(let attribute) = plan.columns[place] else { continue }
      for row in rows {
        guard let wanted = row.values[place], !wanted.isNull,
          let object = key(row.values).flatMap({ stored[$0] }),
          try graph.find(object.entity, key: object.key) != nil, try value(place, of: object) != wanted
        else { continue }
        let (entity, number) = try graph.located(object)
        guard let column = graph.column(attribute.name, of: entity),
          graph.store.indexes.contains(where: { $0.covers(column) })
        else { continue }
        try graph.setCell(column, number, .null)
      }
    }
  }

  private func fitted(_ value: AttributeValue, _ place: Int) throws -> AttributeValue {
    guard case .reference = plan.columns[place], case .string(let text) = value else { return value }
    return Int64(text).map(AttributeValue.integer) ?? value
  }

  private func destinations(_ key: AttributeValue, _ relationship: RelationshipDescription) throws
    -> [ObjectID]
  {
    if key.isNull { return [] }
    guard let found = try graph.find(relationship.destination, key: ObjectKey([key])) else {
      throw CloneError.noSuchObject(relationship.destination, ObjectKey([key]))
    }
    return [found]
  }

  private mutating func create(_ values: [AttributeValue?]) throws {
    var given: [String: AttributeValue] = [:]
    for (place, value) in values.enumerated() {
      if case .path = plan.columns[place] { continue }
      if let value = value ?? scopeValue(place) { given[plan.columns[place].name] = value }
    }
    for (lead, objects) in zip(plan.leads, leadObjects) {
      given[lead.relationship.name] = objects[leadKey(lead, values)]?.first?.key.reference
    }
    for column in plan.columns {
      if case .reference(let relationship) = column, !relationship.isOptional, given[column.name] == nil {
        throw CloneError.requiredMissing(column.name, plan.entity)
      }
    }
    _ = try graph.insertObject(
      plan.entity, key: nil, values: modified.adding(to: given, of: plan.entity, in: model))
    report.add(1, plan.entity, to: \.created)
  }
}

extension CloneError {
  package static func requiredMissing(_ name: String, _ entity: String) -> CloneError {
    CloneError(
      .invalidValue, "'\(name)' of \(entity) is required, and a row of a new object does not give it",
      entity: entity, property: name)
  }
}
