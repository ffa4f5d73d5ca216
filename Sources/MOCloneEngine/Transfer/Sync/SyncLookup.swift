import MOCloneModel

/// A to-one relationship of new objects whose destination is found by values of their rows.
package struct SyncLookup: Sendable {
  package var relationship: RelationshipDescription
  /// The places of the values in a row, in step with `paths`.
  package var places: [Int]
  /// Where the destination holds them.
  package var paths: [IdentityPath]

  static func all(_ columns: [SyncPlan.Column]) -> [SyncLookup] {
    var lookups: [SyncLookup] = []
    for (place, column) in columns.enumerated() {
      guard case .path(let path) = column else { continue }
      let rest = IdentityPath(steps: Array(path.steps.dropFirst()), attribute: path.attribute)
      if let i = lookups.firstIndex(where: { $0.relationship == path.steps[0] }) {
        lookups[i].places.append(place)
        lookups[i].paths.append(rest)
      } else {
        lookups.append(SyncLookup(relationship: path.steps[0], places: [place], paths: [rest]))
      }
    }
    return lookups
  }

  /// What a row names that is not there, or that is there several times.
  package func failure(_ values: [String], _ found: Int, _ place: String, of entity: String)
    -> CloneError.Failure
  {
    let names = paths.map(\.description).joined(separator: ", ")
    let key = values.map { "'\($0)'" }.joined(separator: ", ")
    let destination = relationship.destination
    return found == 0
      ? .init(
        .noSuchObject,
        "\(place): the store has no \(destination) whose \(names) is \(key), so its related object cannot be "
          + "inserted",
        help: "insert it first", entity: entity, property: relationship.name)
      : .init(
        .ambiguousIdentity,
        "\(place): \(found) objects of \(destination) have the \(names) \(key)",
        help: "merge them with `moclone dedupe \(destination) --by "
          + "\(paths.map(\.description).joined(separator: ","))`, or name attributes that tell them apart",
        entity: entity,
        property: relationship.name)
  }
}

extension IdentityPath {
  /// Why the rows of a file cannot give a part of an identity, and what can be named in its place; nil where they can.
  func unfitForRows(_ model: ObjectModel) -> (reason: String, help: String)? {
    guard let first = steps.first, steps.count + (attribute == nil ? 0 : 1) > 1 else { return nil }
    guard attribute != nil else {
      let destination = steps.last!.destination
      return (
        "it ends in an object, whose key belongs to one store",
        "name an attribute of \(destination), as in "
          + "'\(self).\(model.attributes(of: destination).first?.name ?? "name")'"
      )
    }
    guard case .foreignKey = SchemaMapping(model)[first.entity].relationships[first.name] else {
      return (
        "'\(first.name)' is kept by \(first.destination), not by \(first.entity)",
        "name attributes of \(first.entity)"
      )
    }
    return nil
  }
}
