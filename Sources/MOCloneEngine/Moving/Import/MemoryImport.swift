import MOCloneModel

/// Takes the rows of an import one after another.
final class MemoryImport: ImportSink {
  let graph: MemoryGraph
  private(set) var plan: ImportPlan
  let modified: ModifiedRule
  var entities: [Table]
  /// Objects that the import made.
  private(set) var made: Set<ObjectID> = []
  /// Objects that were there and are not as they were.
  var changed: Set<ObjectID> = []
  /// The new pairs of each relationship.
  var linked: [String: Int] = [:]
  /// What rows say of objects that others can say something of, too, put together in the order of the rows.
  var changes: [ObjectID: Change] = [:]
  var order: [ObjectID] = []
  private let isDryRun: Bool

  /// The objects of one entity's rows, and where those of its scope are found.
  struct Table {
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
    let place = ImportPlan.Row(
      entity: number, number: Int64(entities[number].objects.count) + 1, line: line)
    entities[number].objects.append(try about(place) { try object(of: row, number, place) })
    return place.number
  }

  func leavesOut(_ property: String, of entity: Int) {
    guard !plan.entities[entity].missing.contains(property) else { return }
    plan.entities[entity].missing.append(property)
  }

  func about<T>(_ row: ImportPlan.Row, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as CloneError { throw error.about(row) }
  }

  struct Row {
    var values: [String: AttributeValue]
    var references: [(place: Int, object: ObjectID)]
  }

  private func object(of row: Row, _ number: Int, _ place: ImportPlan.Row) throws -> ObjectID {
    let entity = plan.entities[number]
    guard let identity = entity.identity else { return try make(row, entity) }
    let key = try key(row, identity, entity)
    if let found = try find(key, identity, number) {
      if !made.contains(found) { entities[number].found.insert(found) }
      note(found, row, place)
      return found
    }
    let object = try make(row, entity)
    note(object, row, place)
    for other in plan.entities.indices where plan.entities[other].identity?.scope == identity.scope {
      entities[other].byKey?[key, default: []].append(object)
    }
    return object
  }

  private func make(_ row: Row, _ entity: ImportPlan.Entity) throws -> ObjectID {
    let given = row.references.map { entity.references[$0.place] }.filter(\.isForward).map(
      \.relationship.name)
    let missing = entity.missing.filter { row.values[$0] == nil && !given.contains($0) }
    if !missing.isEmpty { throw CloneError.importLacks(missing, entity.name) }
    let values = modified.adding(to: row.values, of: entity.name, in: graph.model)
    let object = try graph.insertObject(entity.name, key: nil, values: values)
    made.insert(object)
    for (place, destination) in row.references {
      try refer(object, entity.references[place], destination)
    }
    return object
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
