import Foundation
import MOCloneModel

/// A graph in memory, in columns: one table for each root entity, one column for each attribute.
///
/// ```swift
/// let graph = MemoryGraph(model: model)
/// let note = try graph.insert("Note", ["name": "Groceries"])
/// let copy = try Cloner().clone(object: note, saveBeforeReturn: false)
/// try graph.rollback()   // the clone is removed
/// ```
///
/// Keys are integers that ascend from 1 for each root entity and are not used again. Every change can be taken
/// back until `save()`; what that costs grows with the changes, not with the graph.
public final class MemoryGraph: ObjectGraph {
  /// The model of the objects.
  public let model: ObjectModel
  let mapping: SchemaMapping
  let store: MemoryStore
  private let plans = PlanCache()
  var workspaces = CloneWorkspaces()

  /// An empty graph.
  public convenience init(model: ObjectModel) {
    self.init(model: model, checksUniqueValues: true)
  }

  /// - Parameters:
  ///   - layout: the model's, where it is known.
  ///   - checksUniqueValues: whether objects must hold what the model says is unique.
  package init(model: ObjectModel, layout: GraphLayout? = nil, checksUniqueValues: Bool) {
    self.model = model
    mapping = SchemaMapping(model)
    store = MemoryStore(model: model, layout: layout, checksUniqueValues: checksUniqueValues)
  }

  /// Makes every pending change permanent; never throws.
  public func save() throws {
    store.save()
  }

  /// Takes back every change since the last `save()`; costs time for each of them.
  public func rollback() throws {
    try store.rollback()
  }

  /// Removes every object for good, as if the graph were new.
  package func removeAll() {
    store.removeAll()
  }

  /// Forgets the plans that were run, which a graph keeps for their next run.
  package func forgetPlans() {
    workspaces = CloneWorkspaces()
  }

  /// Runs several calls as one; where the closure throws, their changes are taken back.
  @discardableResult
  public func atomically<Result>(_ body: () throws -> Result) throws -> Result {
    try store.atomically(body)
  }

  /// The plan of a request; up to 32 plans are kept and given again.
  public func plan(_ entity: String, _ request: CloneRequest) throws -> ClonePlan {
    try plans.plan(model, entity: entity, request: request)
  }

  /// Runs a plan on each root, which brings along what it would alone; where one fails, none is cloned.
  public func run(_ plan: ClonePlan, roots: [ObjectID], options: CloneOptions, saves: Bool) throws
    -> CloneResult
  {
    let cloner = MemoryCloner(graph: self)
    let places = try cloner.places(roots)
    let workspace = try cloner.workspace(plan, roots: places)
    let result = try store.cloning { try cloner.clone(places, in: workspace, options: options) }
    workspaces.give(workspace)
    if saves { store.save() }
    return result
  }
}

// MARK: - Objects

extension MemoryGraph {
  /// Finds an object by its key: an integer, or text that is one.
  public func find(_ entity: String, key: ObjectKey) throws -> ObjectID? {
    guard let (_, row) = try place(entity, key) else { return nil }
    return objectID(row, in: store.layout.entities[try entityNumber(entity)].table)
  }

  /// The row of a key and its concrete entity, nil where there is none.
  private func place(_ entity: String, _ key: ObjectKey) throws -> (entity: Int, row: Row)? {
    let number = try entityNumber(entity)
    guard let row = try row(key, entity: entity) else { return nil }
    let table = store.layout.entities[number].table
    guard row < store.spaces[table].count else { return nil }
    let concrete = store.entities[table][row]
    guard concrete != noRow, store.layout.isKind(Int(concrete), of: number) else { return nil }
    return (Int(concrete), row)
  }

  /// Counts the objects of an entity and its sub-entities, which reads every row of their table.
  public func count(_ entity: String) throws -> Int {
    try rows(of: entity).rows.count
  }

  /// The objects of an entity and its sub-entities by key, which reads every row of their table.
  public func objectIDs(_ entity: String) throws -> [ObjectID] {
    let (table, rows) = try rows(of: entity)
    return rows.map { objectID($0, in: table) }
  }

  func rows(of entity: String) throws -> (table: Int, rows: [Row]) {
    let number = try entityNumber(entity)
    let table = store.layout.entities[number].table
    let isKind = store.layout.entities.indices.map { store.layout.isKind($0, of: number) }
    let entities = store.entities[table]
    let all = 0..<Row(store.spaces[table].count)
    return (table, all.filter { entities[$0] != noRow && isKind[Int(entities[$0])] })
  }

  /// Nil where the key is beyond every row.
  func row(_ key: ObjectKey, entity: String) throws -> Row? {
    guard key.parts.count == 1, key.parts[0].isWholeNumber else {
      throw CloneError.integerKey(key, of: entity)
    }
    guard let number = key.parts[0].wholeNumber, number >= 1 else { return nil }
    return Row(exactly: number - 1)
  }

  func objectID(_ row: Row, in table: Int) -> ObjectID {
    let entity = store.layout.entities[Int(store.entities[table][row])].name
    return ObjectID(entity, key: ObjectKey([.integer(Int64(row) + 1)]))
  }

  func entityNumber(_ entity: String) throws -> Int {
    guard let number = store.layout.number[entity] else {
      throw CloneError.unknownEntity(entity, in: model)
    }
    return number
  }

  /// The row of an object that exists, and its concrete entity.
  func located(_ object: ObjectID) throws -> (entity: EntityLayout, row: Row) {
    let (entity, row) = try place(of: object)
    return (store.layout.entities[entity], row)
  }

  /// The row of an object that exists, and the number of its concrete entity.
  func place(of object: ObjectID) throws -> (entity: Int, row: Row) {
    guard let place = try place(object.entity, object.key) else {
      throw CloneError.noSuchObject(object.entity, object.key)
    }
    return place
  }
}

// MARK: - Values

extension MemoryGraph {
  /// The value of an attribute; null for a transient one, which is not stored.
  public func value(_ attribute: String, of object: ObjectID) throws -> AttributeValue {
    let (entity, row) = try located(object)
    if let column = column(attribute, of: entity) { return column.value(row) }
    _ = try model.existingAttribute(attribute, of: entity.name)
    return .null
  }

  /// Writes the value of an attribute; throws `CloneError` (`invalid-value`) for a part of the key.
  public func setValue(_ value: AttributeValue, for attribute: String, of object: ObjectID) throws {
    let (entity, row) = try located(object)
    let checked = try model.settable(
      value, for: attribute, of: ObjectID(entity.name, key: object.key), in: mapping)
    let column = column(attribute, of: entity)!
    try store.atomically { try setCell(column, row: row, value: checked) }
  }

  func column(_ attribute: String, of entity: EntityLayout) -> ValueColumn? {
    entity.columns[attribute].map { store.spaces[entity.table].valueColumns[$0] }
  }

  /// Enters a row in an index, or refuses it.
  func enter(_ row: Row, in index: UniqueIndex) throws {
    guard let other = index.insert(row) else { return }
    throw uniqueValue(of: row, heldBy: other, index)
  }

  /// Runs changes after which what is unique must be so, whatever it was in between: two objects can swap their values.
  func deferringUniqueness<Result>(_ changes: () throws -> Result) throws -> Result {
    for index in store.indexes { index.isDeferred = true }
    defer { for index in store.indexes { index.isDeferred = false } }
    let result = try changes()
    for index in store.indexes {
      index.isDeferred = false
      if let (row, other) = index.refresh().first { throw uniqueValue(of: row, heldBy: other, index) }
    }
    return result
  }

  /// What breaks uniqueness while that is deferred, each with its two objects.
  func uniquenessFailures() -> [(objects: [MemoryObject], error: CloneError)] {
    store.indexes.flatMap { index in
      index.isDeferred = false
      defer { index.isDeferred = true }
      let repeated = index.refresh()
      // The end of the operation looks again.
      if !repeated.isEmpty { index.isStale = true }
      return repeated.map { row, holder in
        (
          [row, holder].map { MemoryObject(table: index.table, row: $0) },
          uniqueValue(of: row, heldBy: holder, index)
        )
      }
    }
  }

  private func uniqueValue(of row: Row, heldBy other: Row, _ index: UniqueIndex) -> CloneError {
    let holder = objectID(other, in: index.table)
    return CloneError(
      .uniqueValue,
      "\(index.constraint.joined(separator: ", ")) of \(index.entity) \(index.constraint.areUnique), and \(holder) already holds "
        + index.text(row),
      entity: index.entity, property: index.constraint[0], object: holder)
  }
}
