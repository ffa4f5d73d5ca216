import Foundation
import MOCloneModel

/// Which of several objects of one identity stays, the same on every device.
struct DuplicateRanking {
  private let graph: MemoryGraph
  private let request: DedupeRequest
  private let modified: ModifiedRule
  private var store: MemoryStore { graph.store }
  /// Dates of change as they were before the merge wrote its own.
  private var dates: [MemoryObject: AttributeValue] = [:]

  init(_ graph: MemoryGraph, request: DedupeRequest, modified: ModifiedRule) {
    (self.graph, self.request, self.modified) = (graph, request, modified)
  }

  /// Sets the date of change of an object that stays.
  mutating func touch(_ object: MemoryObject) throws {
    if dates[object] == nil, let column = graph.column(modified.name, of: graph.entity(of: object)) {
      dates[object] = column.value(object.row)
    }
    try graph.touch(object, modified)
  }

  func ranked(_ objects: [MemoryObject]) -> [MemoryObject] { objects.sorted(by: isBetter) }

  func isBetter(_ a: MemoryObject, _ b: MemoryObject) -> Bool {
    let weights = (weight(a), weight(b))
    if weights.0 != weights.1 { return weights.0.isBefore(weights.1, request.keep) }
    return hasLesserValue(a, b) ?? (a.row < b.row)
  }

  func areTied(_ a: MemoryObject, _ b: MemoryObject) -> Bool { weight(a) == weight(b) }

  private func value(_ attribute: AttributeDescription, of object: MemoryObject) -> AttributeValue {
    if attribute.name == modified.name, let before = dates[object] { return before }
    return graph.column(attribute.name, of: graph.entity(of: object))?.value(object.row) ?? .null
  }

  private func attributes(of object: MemoryObject) -> [AttributeDescription] {
    graph.model.attributes(of: graph.entity(of: object).name).filter { !$0.isTransient }
  }

  /// What decides which object stays: not what follows from other values.
  private func decidingAttributes(of object: MemoryObject) -> [AttributeDescription] {
    attributes(of: object).filter { !$0.isDerived }
  }

  private func weight(_ object: MemoryObject) -> DedupeWeight {
    let date = attributes(of: object).first { $0.name == request.newest && $0.type == .date }
    let values = decidingAttributes(of: object).count { !value($0, of: object).isNull }
    guard case .date(let instant)? = date.map({ value($0, of: object) }) else {
      return DedupeWeight(date: nil, values: values)
    }
    return DedupeWeight(date: instant, values: values)
  }

  /// Which of two objects has the lesser value in the first attribute in which they differ; nil where they are equal.
  private func hasLesserValue(_ a: MemoryObject, _ b: MemoryObject) -> Bool? {
    let entity = graph.entity(of: a).name
    for attribute in decidingAttributes(of: a)
    where graph.mapping[entity].attributes[attribute.name]?.keyPart == nil {
      let (first, second) = (value(attribute, of: a), value(attribute, of: b))
      if first != second { return first.isBefore(second) }
    }
    return nil
  }

  // MARK: Differences

  /// Whether objects hold more than one value in some attribute or reference beside key and date of change.
  func differ(_ objects: [MemoryObject], identity: Identity) -> Bool {
    guard Set(objects.map { graph.entity(of: $0).name }).count == 1 else { return true }
    let (table, entity) = (objects[0].table, graph.entity(of: objects[0]))
    let parts = Set(identity.paths.flatMap { $0.steps.prefix(1).map(\.name) })
    let date = modified.attribute(of: entity.name, in: graph.model)?.name
    let columns = entity.columns.filter { name, number in
      graph.mapping[entity.name].attributes[name]?.keyPart == nil && name != date
        && !store.spaces[table].valueColumns[number].attribute.isDerived
    }
    let references = store.references.filter { reference in
      reference.memberTable == table
        && !parts.contains(reference.forward.map { store.layout.relations[$0].description.name } ?? "")
    }
    let rows = objects.map(\.row)
    return columns.values.contains { column in
      let cells = store.spaces[table].valueColumns[column]
      return Set(rows.filter { !request.fills || !cells.nulls[$0] }.map { cells.value($0) }).count > 1
    }
      || references.contains { reference in
        Set(rows.map { reference.list.owner[$0] }.filter { !request.fills || $0 != noRow }).count > 1
      }
  }
}

/// What decides which object of a group stays, before its values do.
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
