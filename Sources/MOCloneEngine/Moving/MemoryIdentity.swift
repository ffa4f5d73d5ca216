import MOCloneModel

extension MemoryGraph {
  public func objects(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID] {
    if let index = index(of: identity) {
      guard let values = Self.values(key), let row = index.row(values) else { return [] }
      return [objectID(row, in: index.table)]
    }
    return try objectIDs(identity.scope).filter { object in
      try zip(identity.paths, key).allSatisfy { try part($0, of: object) == $1 }
    }
  }

  /// The index of the uniqueness constraint that an identity is.
  private func index(of identity: Identity) -> UniqueIndex? {
    let names = identity.paths.map(\.description)
    guard identity.paths.allSatisfy({ $0.steps.count + ($0.attribute == nil ? 0 : 1) == 1 }) else {
      return nil
    }
    return store.indexes.first { $0.entity == identity.scope && $0.constraint == names }
  }

  /// A key as an index holds it.
  private static func values(_ key: [IdentityPart]) -> [AttributeValue]? {
    let values = key.map { part in
      switch part {
      case .value(let value): value
      case .object(let object): object.key.parts[0]
      }
    }
    return values.contains(.null) ? nil : values
  }
}
