import Foundation
import MOCloneModel

extension MemoryGraph: ImportingGraph {
  public func importRows(
    _ plan: ImportPlan, _ run: MoveRun, mark: ImportMark?, _ fill: (any ImportSink) throws -> Void
  ) throws -> MoveReport? {
    if let mark, try metadata(mark.name) != nil { return nil }
    var report: MoveReport?
    do {
      try atomically { _ in
        let rows = MemoryImport(self, plan, run)
        try fill(rows)
        try rows.finish()
        report = rows.report
        if run.isDryRun { throw DryRunEnd() }
        if let mark { try setMetadata(mark.text(), for: mark.name) }
      }
    } catch is DryRunEnd {}
    return report
  }
}

/// Takes back what a dry run did.
private struct DryRunEnd: Error {}

/// Takes the rows of an import one after another.
private final class MemoryImport: ImportSink {
  private let graph: MemoryGraph
  private let plan: ImportPlan
  private let modified: ModifiedRule
  private var entities: [Table]
  private var made: Set<ObjectID> = []
  private var changed: Set<ObjectID> = []
  private var linked: [String: Int] = [:]
  /// What rows say of objects that they did not make, put together in the order of the rows.
  private var changes: [ObjectID: Change] = [:]
  private var order: [ObjectID] = []
  private let isDryRun: Bool

  /// The objects of one entity's rows, and where those of its scope are found.
  private struct Table {
    var objects: [ObjectID] = []
    var found: Set<ObjectID> = []
    var byKey: [[IdentityPart]: [ObjectID]]?
  }

  init(_ graph: MemoryGraph, _ plan: ImportPlan, _ run: MoveRun) {
    self.graph = graph
    self.plan = plan
    modified = run.modified
    isDryRun = run.isDryRun
    entities = Array(repeating: Table(), count: plan.entities.count)
  }

  var report: MoveReport {
    var report = MoveReport(.import, isDryRun: isDryRun)
    for (entity, table) in zip(plan.entities, entities) {
      report.add(Set(table.objects).filter(made.contains).count, entity.name, to: \.created)
      report.add(table.found.count, entity.name, to: \.found)
      let updated = table.found.filter(changed.contains).count
      report.add(updated, entity.name, to: \.updated)
      report.add(table.found.count - updated, entity.name, to: \.unchanged)
    }
    for (name, count) in linked { report.add(count, name, to: \.linked) }
    return report
  }

  // MARK: Rows

  func add(
    _ number: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws -> Int64 {
    let entity = plan.entities[number]
    let given = zip(entity.attributes, values).compactMap { attribute, value in
      value.attributeValue(of: attribute.type).map { (attribute.name, $0) }
    }
    let row = Row(
      values: Dictionary(given) { $1 },
      references: references.enumerated().compactMap { place, row in
        row == 0 ? nil : (place, entities[entity.references[place].destination].objects[Int(row) - 1])
      })
    let object = try object(of: row, number, line)
    entities[number].objects.append(object)
    return Int64(entities[number].objects.count)
  }

  private struct Row {
    var values: [String: AttributeValue]
    var references: [(place: Int, object: ObjectID)]
  }

  private func object(of row: Row, _ number: Int, _ line: Int) throws -> ObjectID {
    let entity = plan.entities[number]
    guard let identity = entity.identity else { return try make(row, entity, line) }
    let key = try key(row, identity, entity)
    if let found = try find(key, identity, number) {
      if !made.contains(found) { entities[number].found.insert(found) }
      note(found, row, number)
      return found
    }
    let object = try make(row, entity, line)
    for other in plan.entities.indices where plan.entities[other].identity?.scope == identity.scope {
      entities[other].byKey?[key, default: []].append(object)
    }
    return object
  }

  private func make(_ row: Row, _ entity: ImportPlan.Entity, _ line: Int) throws -> ObjectID {
    let given = row.references.map { entity.references[$0.place] }.filter(\.isForward).map(
      \.relationship.name)
    let missing = entity.missing.filter { row.values[$0] == nil && !given.contains($0) }
    if !missing.isEmpty { throw CloneError.importLacks(missing, entity.name, line: line) }
    let values = modified.adding(to: row.values, of: entity.name, in: graph.model)
    let object = try graph.insertObject(entity.name, key: nil, values: values)
    made.insert(object)
    for (place, destination) in row.references {
      try refer(object, entity.references[place], destination)
    }
    return object
  }

  // MARK: Identity

  private func key(
    _ row: Row, _ identity: Identity, _ entity: ImportPlan.Entity
  ) throws -> [IdentityPart] {
    try identity.paths.map { path in
      guard let step = path.steps.first else {
        let attribute = path.attribute!
        return .value(row.values[attribute.name] ?? attribute.defaultValue ?? .null)
      }
      guard let place = entity.reference(step), let start = row.references.first(where: { $0.place == place })
      else { return .value(.null) }
      let rest = IdentityPath(steps: Array(path.steps.dropFirst()), attribute: path.attribute)
      let part = try graph.part(rest, of: start.object)
      if part.isEmpty { throw CloneError.nullIdentity(identity, "\(path)") }
      return part
    }
  }

  private func find(_ key: [IdentityPart], _ identity: Identity, _ number: Int) throws -> ObjectID? {
    if entities[number].byKey == nil { entities[number].byKey = try byKey(identity) }
    let found = entities[number].byKey![key] ?? []
    guard found.count <= 1 else { throw CloneError.ambiguousIdentity(identity, key, found) }
    guard let object = found.first else { return nil }
    guard graph.model.isKind(object.entity, of: identity.entity) else {
      throw CloneError.identityOfOtherEntity(identity, key, object)
    }
    return object
  }

  private func byKey(_ identity: Identity) throws -> [[IdentityPart]: [ObjectID]] {
    var byKey: [[IdentityPart]: [ObjectID]] = [:]
    for object in try graph.objectIDs(identity.scope) {
      let key = try identity.paths.map { try graph.part($0, of: object) }
      if !key.contains(where: \.isEmpty) { byKey[key, default: []].append(object) }
    }
    return byKey
  }

  // MARK: Objects that are there

  private struct Change {
    var entity: Int
    var values: [String: AttributeValue] = [:]
    var references: [Int: ObjectID] = [:]
  }

  /// Takes down what a further row says of an object.
  private func note(_ object: ObjectID, _ row: Row, _ number: Int) {
    guard plan.existing != .keep else { return }
    if changes[object] == nil { order.append(object) }
    var change = changes[object] ?? Change(entity: number)
    for (name, value) in row.values {
      let isKept = plan.existing == .fill && !(change.values[name] ?? .null).isNull
      if !isKept { change.values[name] = value }
    }
    for (place, destination) in row.references {
      if plan.existing == .update || change.references[place] == nil {
        change.references[place] = destination
      }
    }
    changes[object] = change
  }

  /// Changes the objects that rows say something new of.
  func finish() throws {
    for object in order { try apply(changes[object]!, to: object) }
  }

  private func apply(_ change: Change, to object: ObjectID) throws {
    let entity = plan.entities[change.entity]
    var isChanged = false
    for (name, value) in change.values where !entity.identifying.contains(name) {
      let stored = try graph.value(name, of: object)
      guard plan.existing == .update ? stored != value : stored.isNull && !value.isNull else { continue }
      guard graph.mapping[entity.name].attributes[name]?.keyPart == nil else { continue }
      try graph.setValue(value, for: name, of: object)
      isChanged = true
    }
    for (place, destination) in change.references.sorted(by: { $0.key < $1.key }) {
      let reference = entity.references[place]
      guard !entity.identifying.contains(reference.relationship.name) else { continue }
      let stored = try self.destination(of: object, reference)
      guard stored != destination, plan.existing == .update || stored == nil else { continue }
      try refer(object, reference, destination)
      isChanged = true
    }
    guard isChanged else { return }
    changed.insert(object)
    if let date = modified.attribute(of: entity.name, in: graph.model), change.values[date.name] == nil {
      try graph.setValue(.date(modified.instant), for: date.name, of: object)
    }
  }

  /// What the reference of an object leads to.
  private func destination(of object: ObjectID, _ reference: ImportPlan.Reference) throws -> ObjectID? {
    if reference.isForward { return try graph.destinations(reference.relationship.name, of: object).first }
    let row = try graph.located(object).row
    let relation = try graph.relationNumber(
      reference.relationship.name, of: graph.layout(reference.relationship.entity))
    guard case .members(let number) = graph.store.layout.relations[relation].side else { return nil }
    let list = graph.store.references[number]
    let owner = list.list.owner[row]
    return owner == noRow ? nil : graph.objectID(owner, in: list.ownerTable)
  }

  private func refer(_ object: ObjectID, _ reference: ImportPlan.Reference, _ destination: ObjectID) throws {
    let relationship = reference.relationship
    // The side of the destination, which is one-to-one where it is to-one as well.
    let side = reference.isForward ? graph.model.inverse(of: relationship) : relationship
    if let side, !side.isToMany, let taken = try graph.destinations(side.name, of: destination).first,
      taken != object
    {
      throw CloneError.importPartnerTaken(relationship, destination.description)
    }
    if reference.isForward {
      try graph.setDestinations([destination], relationship.name, of: object)
    } else {
      try graph.addDestination(object, to: relationship.name, of: destination)
    }
  }

  // MARK: Pairs

  func pair(_ number: Int, _ source: Int64, _ destination: Int64) throws {
    let pairs = plan.pairs[number]
    let owner = entities[pairs.source].objects[Int(source) - 1]
    let member = entities[pairs.destination].objects[Int(destination) - 1]
    if plan.existing == .keep, !made.contains(owner), !made.contains(member) { return }
    let name = pairs.relationship.name
    guard try !graph.destinations(name, of: owner).contains(member) else { return }
    try graph.addDestination(member, to: name, of: owner)
    linked[pairs.relationship.qualifiedName, default: 0] += 1
  }
}

extension MemoryGraph {
  fileprivate func layout(_ entity: String) throws -> EntityLayout {
    store.layout.entities[try entityNumber(entity)]
  }
}

extension StagedValue {
  /// Nil where the row says nothing.
  package func attributeValue(of type: AttributeType) -> AttributeValue? {
    switch self {
    case .absent: nil
    case .null: .null
    case .integer(let number): type == .boolean ? .bool(number != 0) : .integer(number)
    case .double(let number): .double(number)
    case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
    case .value(let value): value
    }
  }
}
