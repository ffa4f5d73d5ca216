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
  public let id: ObjectID
  public let graph: any ObjectGraph

  public init(id: ObjectID, graph: any ObjectGraph) {
    self.id = id
    self.graph = graph
  }

  public var entity: String { id.entity }

  public func value(_ attribute: String) throws -> AttributeValue {
    try graph.value(attribute, of: id)
  }

  public func setValue(_ value: AttributeValue, for attribute: String) throws {
    try graph.setValue(value, for: attribute, of: id)
  }

  /// The destination of a to-one relationship.
  public func destination(_ relationship: String) throws -> ManagedObject? {
    try destinations(relationship).first
  }

  public func destinations(_ relationship: String) throws -> [ManagedObject] {
    try graph.destinations(relationship, of: id).map { ManagedObject(id: $0, graph: graph) }
  }

  /// Sets a to-one relationship, or empties it.
  public func set(_ destination: ManagedObject?, for relationship: String) throws {
    try setDestinations(destination.map { [$0] } ?? [], for: relationship)
  }

  public func setDestinations(_ destinations: [ManagedObject], for relationship: String) throws {
    try graph.setDestinations(destinations.map(\.id), relationship, of: id)
  }

  /// Adds a member to a to-many relationship, at the end of an ordered one.
  public func add(_ member: ManagedObject, to relationship: String) throws {
    try graph.addDestination(member.id, to: relationship, of: id)
  }

  public func remove(_ member: ManagedObject, from relationship: String) throws {
    try graph.removeDestination(member.id, from: relationship, of: id)
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
