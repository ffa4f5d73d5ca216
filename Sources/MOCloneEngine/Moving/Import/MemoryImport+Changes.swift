import MOCloneModel

// What several rows say of one object, put together before it is written.
extension MemoryImport {
  /// What rows say of one object.
  struct Change {
    /// The last row that says something.
    var row: ImportPlan.Row
    var values: [String: AttributeValue] = [:]
    var references: [Int: ObjectID] = [:]
  }

  /// Takes down what a row says of an object.
  func note(_ object: ObjectID, _ row: Row, _ place: ImportPlan.Row) {
    let isMentioned = plan.entities[place.entity].isMentioned
    guard plan.existing != .keep || isMentioned && made.contains(object) else { return }
    if changes[object] == nil { order.append(object) }
    var change = changes[object] ?? Change(row: place)
    change.row = place
    for (name, value) in row.values {
      let isKept = plan.existing != .update && !(change.values[name] ?? .null).isNull
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
    for object in order {
      let change = changes[object]!
      try about(change.row) { try apply(change, to: object) }
    }
  }

  private func apply(_ change: Change, to object: ObjectID) throws {
    let entity = plan.entities[change.row.entity]
    // What the import made itself has nothing that rows must not replace.
    let replaces = plan.existing == .update || made.contains(object)
    var isChanged = false
    for (name, value) in change.values where !entity.identifying.contains(name) {
      let stored = try graph.value(name, of: object)
      guard replaces ? stored != value : stored.isNull && !value.isNull else { continue }
      guard graph.mapping[entity.name].attributes[name]?.keyPart == nil else { continue }
      try graph.setValue(value, for: name, of: object)
      isChanged = true
    }
    for (place, destination) in change.references.sorted(by: { $0.key < $1.key }) {
      let reference = entity.references[place]
      guard !entity.identifying.contains(reference.relationship.name) else { continue }
      let stored = try self.destination(of: object, reference)
      guard stored != destination, replaces || stored == nil else { continue }
      try refer(object, reference, destination)
      isChanged = true
    }
    guard isChanged else { return }
    changed.insert(object)
    if let date = modified.attribute(of: entity.name, in: graph.model), change.values[date.name] == nil {
      try graph.setValue(.date(modified.instant), for: date.name, of: object)
    }
  }
}
