import MOCloneModel

// How the objects of rows are related.
extension MemoryImport {
  /// What the reference of an object leads to.
  func destination(of object: ObjectID, _ reference: ImportPlan.Reference) throws -> ObjectID? {
    if reference.isForward { return try graph.destinations(reference.relationship.name, of: object).first }
    let row = try graph.located(object).row
    let relation = try graph.relationNumber(
      reference.relationship.name, of: graph.layout(reference.relationship.entity))
    guard case .members(let number) = graph.store.layout.relations[relation].side else { return nil }
    let list = graph.store.references[number]
    let owner = list.list.owner[row]
    return owner == noRow ? nil : graph.objectID(owner, in: list.ownerTable)
  }

  func refer(_ object: ObjectID, _ reference: ImportPlan.Reference, _ destination: ObjectID) throws {
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
