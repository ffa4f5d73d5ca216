import MOCloneModel

// Which object a row means.
extension MemoryImport {
  func key(
    _ row: Row, _ identity: Identity, _ entity: ImportPlan.Entity
  ) throws -> [IdentityPart] {
    try identity.paths.map { path in
      guard let step = path.steps.first else {
        let attribute = path.attribute!
        return .value(row.values[attribute.name] ?? attribute.defaultValue ?? .null)
      }
      guard let place = entity.reference(step), let start = row.references.first(where: { $0.place == place })
      else { return .value(.null) }
      let rest = IdentityPath(steps: Array(path.steps.dropFirst()), attribute: path.attribute)
      let part = try graph.part(rest, of: start.object)
      if part.isEmpty { throw CloneError.nullIdentity(identity, "\(path)") }
      return part
    }
  }

  func find(_ key: [IdentityPart], _ identity: Identity, _ number: Int) throws -> ObjectID? {
    if entities[number].byKey == nil { entities[number].byKey = try byKey(identity) }
    let found = entities[number].byKey![key] ?? []
    guard found.count <= 1 else { throw CloneError.ambiguousIdentity(identity, key, found) }
    guard let object = found.first else { return nil }
    guard graph.model.isKind(object.entity, of: identity.entity) else {
      throw CloneError.identityOfOtherEntity(identity, key, object)
    }
    return object
  }

  private func byKey(_ identity: Identity) throws -> [[IdentityPart]: [ObjectID]] {
    var byKey: [[IdentityPart]: [ObjectID]] = [:]
    for object in try graph.objectIDs(identity.scope) {
      let key = try identity.paths.map { try graph.part($0, of: object) }
      if !key.contains(where: \.isEmpty) { byKey[key, default: []].append(object) }
    }
    return byKey
  }
}
