import MOCloneModel

/// One part of what identifies a row or an object, comparable with each other after conversion to the attribute's type.
enum MatchPart: Hashable {
  case value(AttributeValue)
  case object(MemoryObject)
  /// An object that is yet to be made, by the row that it is made from.
  case row(Int)

  static let empty = MatchPart.value(.null)

  /// Whether the part identifies nothing: null, or an empty string.
  var isEmpty: Bool { self == .empty || self == .value(.string("")) }
}

/// The objects of a graph by what identifies them.
struct IdentityIndex {
  typealias Key = [MatchPart]

  let identity: Identity
  private(set) var objects: [Key: [MemoryObject]] = [:]
  /// Keys that several objects share, in the order of the objects.
  private(set) var repeated: [Key] = []

  /// - Parameters:
  ///   - settled: the object that counts in place of one on the way.
  ///   - isMeant: the objects looked at among those of the entity.
  init(
    _ identity: Identity, of entity: String, in graph: MemoryGraph,
    settled: (MemoryObject) -> MemoryObject = { $0 },
    where isMeant: (MemoryObject) throws -> Bool = { _ in true }
  ) throws {
    self.identity = identity
    for object in try graph.memoryObjects(entity) where try isMeant(object) {
      guard let key = try graph.identityKey(identity, of: object, settled: settled) else { continue }
      objects[key, default: []].append(object)
      if objects[key]!.count == 2 { repeated.append(key) }
    }
  }
}

extension MemoryGraph {
  /// What identifies an object; nil where a part of it is null or empty.
  func identityKey(
    _ identity: Identity, of object: MemoryObject, settled: (MemoryObject) -> MemoryObject = { $0 }
  ) throws -> IdentityIndex.Key? {
    var key: IdentityIndex.Key = []
    for path in identity.paths {
      let part = try matchPart(path.steps[...], attribute: path.attribute, of: object, settled: settled)
      if part.isEmpty { return nil }
      key.append(part)
    }
    return key
  }

  /// What lies at the end of a path that begins at an object.
  func matchPart(
    _ steps: ArraySlice<RelationshipDescription>, attribute: AttributeDescription?, of object: MemoryObject,
    settled: (MemoryObject) -> MemoryObject = { $0 }
  ) throws -> MatchPart {
    var object = object
    for step in steps {
      let relation = try relationNumber(step.name, of: entity(of: object))
      guard let next = destinationRows(of: relation, object.row).first else { return .empty }
      object = settled(MemoryObject(table: store.layout.relations[relation].destinationTable, row: next))
    }
    guard let attribute else { return .object(object) }
    return .value(column(attribute.name, of: entity(of: object))?.value(object.row) ?? .null)
  }

  /// A key as messages show it.
  func identityParts(_ key: IdentityIndex.Key, of identity: Identity) -> [IdentityPart] {
    let parts = key.map { part -> IdentityPart in
      switch part {
      case .value(let value): .value(value)
      case .object(let object): .object(objectID(object))
      case .row: .value(.string("new"))
      }
    }
    return identity.shown(parts, in: mapping)
  }
}

// MARK: - One object

extension MemoryGraph {
  /// The objects that have an identity: one lookup for a uniqueness constraint, else a pass over the scope.
  public func objects(_ identity: Identity, _ key: [IdentityPart]) throws -> [ObjectID] {
    if let index = index(of: identity) {
      guard let values = Self.values(key), let row = index.row(values) else { return [] }
      return [objectID(row, in: index.table)]
    }
    let wanted = try key.map { part -> MatchPart in
      switch part {
      case .value(let value): .value(value)
      case .object(let object): .object(try memoryObject(object))
      }
    }
    return try memoryObjects(identity.scope).filter { try identityKey(identity, of: $0) == wanted }
      .map(objectID)
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
