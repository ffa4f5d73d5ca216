import MOCloneModel

/// A store of objects, in memory or in a database, that can be read, written and cloned in.
///
/// Names are those of the model. Every call throws `CloneError` where an entity, a property or an object does
/// not exist, or where a value does not fit. A graph and its objects belong to one thread; an `ObjectID` and a
/// `CloneResult` are values and cross threads.
public protocol ObjectGraph: AnyObject {
  /// The model of the objects.
  var model: ObjectModel { get }

  /// Finds an object by its key.
  ///
  /// - Parameters:
  ///   - entity: the object's entity, or one it inherits from.
  ///   - key: the key to look for.
  /// - Returns: nil where there is none; its concrete entity where there is one.
  func find(_ entity: String, key: ObjectKey) throws -> ObjectID?

  /// Makes an object; attributes that are not given get their default, else null.
  ///
  /// `values` may name to-one relationships too: the value is the key of the destination, a single part. They cannot name
  /// an attribute that the store's triggers keep: a new object has its default there, to which the triggers add.
  ///
  /// - Parameters:
  ///   - entity: the name of the entity.
  ///   - key: the parts of the key that the store does not make itself; nil where it makes them all.
  ///   - values: values by attribute and to-one relationship.
  func insertObject(_ entity: String, key: ObjectKey?, values: [String: AttributeValue]) throws -> ObjectID

  /// Reads the value of an attribute of an object.
  func value(_ attribute: String, of object: ObjectID) throws -> AttributeValue
  /// Writes a value as it is given, also where triggers keep it: so a counter can be fixed.
  func setValue(_ value: AttributeValue, for attribute: String, of object: ObjectID) throws

  /// The destinations of a relationship: in order where it is ordered, else by key.
  func destinations(_ relationship: String, of object: ObjectID) throws -> [ObjectID]

  /// Replaces the destinations of a relationship and keeps the inverses in step; a to-one takes one or none.
  func setDestinations(_ destinations: [ObjectID], _ relationship: String, of object: ObjectID) throws

  /// Adds a destination that is not there yet, at the end where the relationship is ordered.
  func addDestination(_ destination: ObjectID, to relationship: String, of object: ObjectID) throws

  /// Removes a destination, if the object has it.
  func removeDestination(_ destination: ObjectID, from relationship: String, of object: ObjectID) throws

  /// Deletes an object by the delete rules of its relationships; all or nothing.
  func delete(_ object: ObjectID) throws

  /// Deletes objects by the delete rules of their relationships, all together; all or nothing.
  func delete(_ objects: [ObjectID]) throws

  /// How many objects there are of an entity and those that inherit from it.
  func count(_ entity: String) throws -> Int

  /// The objects of an entity and of those that inherit from it, in the order of their keys.
  func objectIDs(_ entity: String) throws -> [ObjectID]

  /// The plan of a request for the objects of an entity; graphs keep those that were asked for last.
  ///
  /// - Throws: `CloneError`, as `ClonePlan` does.
  func plan(_ entity: String, _ request: CloneRequest) throws -> ClonePlan

  /// Runs a plan on each root, in the order given, all in one transaction. Each brings along what it would alone, never what
  /// another one has made.
  ///
  /// - Parameters:
  ///   - plan: the plan to run.
  ///   - roots: the roots, in the order given.
  ///   - options: what the run is given beside its plan.
  ///   - saves: false leaves the clones pending until `save()` or `rollback()`; true saves what was pending before, too.
  func run(_ plan: ClonePlan, roots: [ObjectID], options: CloneOptions, saves: Bool) throws -> CloneResult

  /// The objects of an identity's scope that hold a key, in the order of their own keys.
  func objects(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID]

  /// Runs several calls on the graph as one: where the closure throws, none of them has happened.
  ///
  /// ```swift
  /// try graph.atomically {
  ///   let note = try graph.insert("Note", ["name": "Groceries"])
  ///   try graph.insert("Item", ["name": "Milk", "note": note.id.key.reference])
  /// }
  /// ```
  ///
  /// Nested calls are parts of the outer one, each of which can fail alone. In SQLite it is one transaction, in the
  /// caller's a savepoint; in memory the changes are pending until `save()`, as every change is. `save()` and `rollback()` are for
  /// after it.
  ///
  /// - Throws: what the closure throws.
  @discardableResult
  func atomically<Result>(_ body: () throws -> Result) throws -> Result

  /// Makes every pending change permanent.
  func save() throws

  /// Takes back every change since the last `save()`.
  ///
  /// - Throws: `CloneError` (`invalid-value`) within a transaction of a database's caller, which holds them.
  func rollback() throws
}

extension ObjectGraph {
  /// Makes a plan anew at each call; graphs that keep plans have their own.
  public func plan(_ entity: String, _ request: CloneRequest) throws -> ClonePlan {
    try ClonePlan(model: model, entity: entity, request: request)
  }

  /// Reads all destinations and writes them with the new one at the end.
  public func addDestination(
    _ destination: ObjectID, to relationship: String, of object: ObjectID
  ) throws {
    let members = try destinations(relationship, of: object)
    guard !members.contains(destination) else { return }
    try setDestinations(members + [destination], relationship, of: object)
  }

  /// Reads all destinations and writes those that are left.
  public func removeDestination(
    _ destination: ObjectID, from relationship: String, of object: ObjectID
  ) throws {
    let members = try destinations(relationship, of: object)
    try setDestinations(members.filter { $0 != destination }, relationship, of: object)
  }

  /// The object of an entity with a key.
  ///
  /// - Throws: `CloneError` (`no-such-object`, `unknown-entity`, `invalid-key`).
  public func object(_ entity: String, key: ObjectKey) throws -> ManagedObject {
    guard let id = try find(entity, key: key) else {
      throw CloneError.noSuchObject(entity, key)
    }
    return ManagedObject(id: id, graph: self)
  }

  /// Makes an object with the values given and every other attribute's default.
  @discardableResult
  public func insert(
    _ entity: String, key: ObjectKey? = nil, _ values: [String: AttributeValue] = [:]
  ) throws -> ManagedObject {
    ManagedObject(id: try insertObject(entity, key: key, values: values), graph: self)
  }

  /// The objects of an entity and of those that inherit from it, in the order of their keys.
  public func objects(_ entity: String) throws -> [ManagedObject] {
    try objectIDs(entity).map { ManagedObject(id: $0, graph: self) }
  }

  /// Deletes an object by the delete rules of its relationships; all or nothing.
  public func delete(_ object: ManagedObject) throws {
    try delete(object.id(in: self))
  }
}
