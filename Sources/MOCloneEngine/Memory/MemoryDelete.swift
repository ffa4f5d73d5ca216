import MOCloneModel

extension MemoryGraph {
  /// Deletes an object by the delete rules of its relationships.
  ///
  /// A to-one that would still lead to a deleted object, because its relationship is `noAction` on the other side or
  /// is not known there, becomes empty where it is optional and has no inverse; else the object is not deleted.
  ///
  /// - Throws: `CloneError` (`delete-denied`, `required-left-empty`, `constraint-failed`); nothing is then deleted.
  public func delete(_ object: ObjectID) throws {
    try delete([object])
  }

  /// Deletes objects together: what one of them holds back for another one's sake is no obstacle.
  ///
  /// - Throws: `CloneError` (`delete-denied`, `required-left-empty`, `constraint-failed`); nothing is then deleted.
  public func delete(_ objects: [ObjectID]) throws {
    let objects = try objects.map(memoryObject)
    try store.atomically {
      var deletion = Deletion(graph: self)
      for object in objects { deletion.add(object) }
      deletion.collectCascades()
      try deletion.check()
      try deletion.perform()
    }
  }
}

/// One delete: the objects that go together, found without recursion.
struct Deletion {
  let graph: MemoryGraph
  private var store: MemoryStore { graph.store }
  private(set) var objects: [MemoryObject] = []
  private var seen: Set<MemoryObject> = []

  init(graph: MemoryGraph) {
    self.graph = graph
  }

  /// Adds everything that cascades lead to.
  mutating func collectCascades() {
    var next = 0
    while next < objects.count {
      let object = objects[next]
      for relation in relations(of: object) where rule(of: relation) == .cascade {
        let table = store.layout.relations[relation].destinationTable
        for row in graph.destinationRows(of: relation, object.row) {
          add(MemoryObject(table: table, row: row))
        }
      }
      next += 1
    }
  }

  mutating func add(_ object: MemoryObject) {
    if seen.insert(object).inserted { objects.append(object) }
  }

  private func relations(of object: MemoryObject) -> [Int] {
    let entity = store.layout.entities[Int(store.entities[object.table][object.row])]
    return entity.relations.sorted { $0.key < $1.key }.map(\.value)
  }

  private func rule(of relation: Int) -> DeleteRule {
    store.layout.relations[relation].description.deleteRule
  }

  func check() throws {
    for object in objects {
      for relation in relations(of: object) where rule(of: relation) == .deny {
        try deny(object, relation: relation)
      }
      for reference in store.references where reference.ownerTable == object.table {
        try checkMembers(of: object, reference)
      }
    }
  }

  private func deny(_ object: MemoryObject, relation: Int) throws {
    let layout = store.layout.relations[relation]
    let left = graph.destinationRows(of: relation, object.row)
      .first { !seen.contains(MemoryObject(table: layout.destinationTable, row: $0)) }
    guard let left else { return }
    let id = graph.objectID(object.row, in: object.table)
    throw CloneError(
      .deleteDenied,
      "\(id) cannot be deleted: its '\(layout.description.name)' still contains "
        + graph.objectID(left, in: layout.destinationTable).description,
      property: layout.description.name, object: id)
  }

  /// Members that stay must be able to do without their owner.
  private func checkMembers(of object: MemoryObject, _ reference: Reference) throws {
    let isLeftAlone = reference.backward.map { rule(of: $0) == .noAction } ?? false
    guard isLeftAlone || reference.isRequired else { return }
    let left = reference.list.elements(of: object.row)
      .first { !seen.contains(MemoryObject(table: reference.memberTable, row: $0)) }
    guard let left else { return }
    let member = graph.objectID(left, in: reference.memberTable)
    let name = (reference.forward ?? reference.backward).map { store.layout.relations[$0].description.name }!
    let id = graph.objectID(object.row, in: object.table)
    throw CloneError.referred(to: id, by: member, name, isLeftAlone: isLeftAlone)
  }

  /// How many references of objects that stay become null, by their relationships.
  var nullified: [String: Int] {
    var counts: [String: Int] = [:]
    for object in objects {
      for reference in store.references where reference.ownerTable == object.table {
        let left = reference.list.elements(of: object.row).filter {
          !seen.contains(MemoryObject(table: reference.memberTable, row: $0))
        }
        guard !left.isEmpty, let relation = reference.forward ?? reference.backward else { continue }
        counts[store.layout.relations[relation].description.qualifiedName, default: 0] += left.count
      }
    }
    return counts
  }

  /// - Parameter modified: the date of change that objects which lose a reference get, where they are to get one.
  func perform(_ modified: ModifiedRule? = nil) throws {
    for object in objects {
      for index in store.indexes where index.table == object.table { index.remove(object.row) }
    }
    for object in objects {
      for reference in store.references { try unlink(object, reference: reference, modified: modified) }
      for join in store.joins { unlink(object, join: join) }
      store.set(store.entities[object.table], object.row, noRow)
    }
  }

  private func unlink(_ object: MemoryObject, reference: Reference, modified: ModifiedRule?) throws {
    if reference.ownerTable == object.table {
      for row in reference.list.elements(of: object.row) {
        try graph.setTarget(of: row, to: noRow, reference)
        let member = MemoryObject(table: reference.memberTable, row: row)
        if let modified, !seen.contains(member) { try graph.touch(member, modified) }
      }
    }
    if reference.memberTable == object.table, reference.list.owner[object.row] != noRow {
      try graph.setTarget(of: object.row, to: noRow, reference)
    }
  }

  private func unlink(_ object: MemoryObject, join: Join) {
    if join.sourceTable == object.table {
      for link in join.sources.elements(of: object.row) { graph.removeLink(link, join: join) }
    }
    if join.destinationTable == object.table {
      for link in join.destinations.elements(of: object.row) { graph.removeLink(link, join: join) }
    }
  }
}

extension CloneError {
  /// What stays refers to an object, and requires it or is left alone by the delete rule.
  package static func referred(
    to object: ObjectID, by member: ObjectID, _ relationship: String, isLeftAlone: Bool = false
  ) -> CloneError {
    CloneError(
      isLeftAlone ? .constraintFailed : .requiredLeftEmpty,
      "\(object) cannot be deleted: \(member) still refers to it by '\(relationship)'",
      property: relationship, object: member)
  }
}
