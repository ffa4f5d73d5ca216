import MOCloneModel

/// An object of a graph. It holds no values of its own: each call asks the graph.
///
/// ```swift
/// let note = try graph.insert("Note", ["name": "Groceries"])
/// let item = try graph.insert("Item", ["name": "Milk"])
/// try note.add(item, to: "items")
/// try item.destination("note") == note      // true
/// ```
public struct ManagedObject {
  /// The concrete entity and the key of the object.
  public let id: ObjectID
  /// The graph that the object belongs to, which it keeps alive.
  public let graph: any ObjectGraph

  /// Creates an object without asking the graph whether it exists.
  public init(id: ObjectID, graph: any ObjectGraph) {
    self.id = id
    self.graph = graph
  }

  /// The concrete entity of the object.
  public var entity: String { id.entity }

  /// Reads the value of an attribute; throws `CloneError` (`unknown-name`, `no-such-object`).
  public func value(_ attribute: String) throws -> AttributeValue {
    try graph.value(attribute, of: id)
  }

  /// Writes the value of an attribute; throws `CloneError` (`invalid-value`) where it does not fit.
  public func setValue(_ value: AttributeValue, for attribute: String) throws {
    try graph.setValue(value, for: attribute, of: id)
  }

  /// The destination of a to-one relationship; throws `CloneError` (`invalid-value`) for a to-many.
  public func destination(_ relationship: String) throws -> ManagedObject? {
    try graph.model.checkToOne(relationship, of: id)
    return try destinations(relationship).first
  }

  /// The destinations of a relationship: in order where it is ordered, else by key.
  public func destinations(_ relationship: String) throws -> [ManagedObject] {
    try graph.destinations(relationship, of: id).map { ManagedObject(id: $0, graph: graph) }
  }

  /// Sets a to-one relationship, or empties it; throws `CloneError` (`invalid-value`) for a to-many.
  public func set(_ destination: ManagedObject?, for relationship: String) throws {
    try graph.model.checkToOne(relationship, of: id)
    try setDestinations(destination.map { [$0] } ?? [], for: relationship)
  }

  /// Replaces the destinations of a relationship and keeps the inverses in step; a to-one takes one or none.
  public func setDestinations(_ destinations: [ManagedObject], for relationship: String) throws {
    try graph.setDestinations(destinations.map { try $0.id(in: graph) }, relationship, of: id)
  }

  /// Adds a member to a to-many relationship, at the end of an ordered one.
  public func add(_ member: ManagedObject, to relationship: String) throws {
    try graph.addDestination(member.id(in: graph), to: relationship, of: id)
  }

  /// Removes a member of a relationship; does nothing where the object does not have it.
  public func remove(_ member: ManagedObject, from relationship: String) throws {
    try graph.removeDestination(member.id(in: graph), from: relationship, of: id)
  }
}

/// A graph whose objects others have, too: those of the same store.
package protocol SharedStore: ObjectGraph {
  /// Whether an object of another graph can be one of this graph's.
  func shares(objectsOf other: any ObjectGraph) -> Bool
}

extension ManagedObject {
  /// The key of the object in a graph of its store.
  ///
  /// - Throws: `CloneError` (`invalid-value`) where the graph is one of another store, whose object of that key is another one.
  package func id(in graph: any ObjectGraph) throws -> ObjectID {
    guard graph === self.graph || (graph as? any SharedStore)?.shares(objectsOf: self.graph) == true else {
      throw CloneError(
        .invalidValue, "\(id) is an object of another graph",
        help: "find this graph's own by what identifies it",
        object: id)
    }
    return id
  }
}

extension ManagedObject: Hashable {
  public static func == (a: Self, b: Self) -> Bool {
    a.id == b.id && a.graph === b.graph
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}
