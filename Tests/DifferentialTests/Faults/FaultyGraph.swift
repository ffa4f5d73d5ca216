import MOCloneEngine
import MOCloneModel

/// A graph that clones with a fault, if it is given one, and does everything else as the graph that it wraps.
final class FaultyGraph: ObjectGraph {
  private let graph: any ObjectGraph
  private let fault: Fault?

  init(_ graph: any ObjectGraph, _ fault: Fault?) {
    self.graph = graph
    self.fault = fault
  }

  func run(_ plan: ClonePlan, roots: [ObjectID], options: CloneOptions, saves: Bool) throws -> CloneResult {
    guard let fault else { return try graph.run(plan, roots: roots, options: options, saves: saves) }
    guard fault.editsClones else {
      return try graph.run(fault.plan(plan), roots: roots, options: options, saves: saves)
    }
    var mapped = options
    mapped.keepsMapping = true
    let result = try graph.atomically {
      var result = try graph.run(plan, roots: roots, options: mapped, saves: false)
      try fault.edit(result.mapping, of: plan, in: graph)
      if !options.keepsMapping { result.mapping = [] }
      return result
    }
    if saves { try graph.save() }
    return result
  }

  var model: ObjectModel { graph.model }

  func find(_ entity: String, key: ObjectKey) throws -> ObjectID? { try graph.find(entity, key: key) }

  func insertObject(_ entity: String, key: ObjectKey?, values: [String: AttributeValue]) throws -> ObjectID {
    try graph.insertObject(entity, key: key, values: values)
  }

  func value(_ attribute: String, of object: ObjectID) throws -> AttributeValue {
    try graph.value(attribute, of: object)
  }

  func setValue(_ value: AttributeValue, for attribute: String, of object: ObjectID) throws {
    try graph.setValue(value, for: attribute, of: object)
  }

  func destinations(_ relationship: String, of object: ObjectID) throws -> [ObjectID] {
    try graph.destinations(relationship, of: object)
  }

  func setDestinations(_ destinations: [ObjectID], _ relationship: String, of object: ObjectID) throws {
    try graph.setDestinations(destinations, relationship, of: object)
  }

  func addDestination(_ destination: ObjectID, to relationship: String, of object: ObjectID) throws {
    try graph.addDestination(destination, to: relationship, of: object)
  }

  func removeDestination(_ destination: ObjectID, from relationship: String, of object: ObjectID) throws {
    try graph.removeDestination(destination, from: relationship, of: object)
  }

  func delete(_ object: ObjectID) throws { try graph.delete(object) }
  func delete(_ objects: [ObjectID]) throws { try graph.delete(objects) }
  func count(_ entity: String) throws -> Int { try graph.count(entity) }
  func objectIDs(_ entity: String) throws -> [ObjectID] { try graph.objectIDs(entity) }

  func objects(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID] {
    try graph.objects(identity, key)
  }

  func atomically<Result>(_ body: () throws -> Result) throws -> Result { try graph.atomically(body) }
  func save() throws { try graph.save() }
  func rollback() throws { try graph.rollback() }
}
