import Foundation
import MOCloneEngine
import MOCloneModel

/// Fills any graph with objects from a seed; the content depends on seed and model alone, the keys on the graph.
public struct RandomGraph {
  private var random: SplitMix64
  private let graph: any ObjectGraph
  private var model: ObjectModel { graph.model }
  /// In the order in which they were made.
  private var objects: [ObjectID] = []
  /// Objects that have a related object already, by the one-to-one relationship of the other side.
  private var taken: [String: Set<ObjectID>] = [:]
  private var keyCount: Int64 = 0
  private var lastOwner = 0
  /// The tenant that each object belongs to, where the model has an entity of that name.
  private var tenants: [ObjectID: ObjectID] = [:]
  /// The tenant whose objects are made.
  private var tenant: ObjectID?
  /// The last value of each part of a key that is copied, by entity and tenant.
  private var parts: [String: Int64] = [:]

  /// Fills a graph and saves it.
  ///
  /// - Returns: the objects in the order in which they were made, the same for every graph.
  public static func fill(_ graph: any ObjectGraph, seed: UInt64) throws -> [ObjectID] {
    var filler = RandomGraph(random: SplitMix64(seed: seed ^ 0xA5A5_5A5A), graph: graph)
    // One transaction, or a database would begin one for every call.
    try graph.atomically {
      for entity in graph.model.entities where !entity.isAbstract {
        try filler.addObjectsOfTenants(entity.name)
      }
      for entity in graph.model.entities {
        for relationship in entity.relationships { try filler.connect(relationship) }
      }
    }
    try graph.save()
    return filler.objects
  }

  private init(random: SplitMix64, graph: any ObjectGraph) {
    self.random = random
    self.graph = graph
  }

  private func objects(of entity: String) -> [ObjectID] {
    objects.filter { model.isKind($0.entity, of: entity) }
  }

  /// The objects of an entity that one object may lead to: those of its tenant.
  private func objects(of entity: String, beside object: ObjectID) -> [ObjectID] {
    objects(of: entity).filter { tenants[$0] == tenants[object] }
  }

  // MARK: Objects

  /// Keys begin with the tenant, so the objects of one are made before those of the next.
  private mutating func addObjectsOfTenants(_ entity: String) throws {
    let all = entity == "Tenant" ? [] : objects(of: "Tenant")
    if all.isEmpty { return try addObjects(entity) }
    for one in all {
      tenant = one
      try addObjects(entity)
    }
    tenant = nil
  }

  private mutating func addObjects(_ entity: String) throws {
    lastOwner = 0
    for _ in 0..<random.number(2...7) {
      var values: [String: AttributeValue] = [:]
      for attribute in model.attributes(of: entity) {
        if let value = value(of: attribute) { values[attribute.name] = value }
      }
      var owners: [ObjectID] = []
      var isPossible = true
      for relationship in model.relationships(of: entity) where isRequired(relationship) {
        guard let owner = owner(relationship) else {
          isPossible = false
          break
        }
        owners.append(owner)
        values[relationship.name] = owner.reference
      }
      guard isPossible else { continue }
      // A new object begins with the default where triggers keep the value.
      let kept = model.attributes(of: entity).filter(\.isKeptByTriggers).map(\.name)
      let object = try graph.insertObject(
        entity, key: key(of: entity, &values), values: values.filter { !kept.contains($0.key) })
      for name in kept { if let value = values[name] { try graph.setValue(value, for: name, of: object) } }
      objects.append(object)
      tenants[object] = entity == "Tenant" ? object : tenant
    }
  }

  private func isRequired(_ relationship: RelationshipDescription) -> Bool {
    !relationship.isToMany && !relationship.isOptional
  }

  private mutating func owner(_ relationship: RelationshipDescription) -> ObjectID? {
    var candidates = objects(of: relationship.destination).filter { tenants[$0] == tenant }
    let isOneToOne = model.inverse(of: relationship)?.isToMany == false
    if isOneToOne {
      candidates.removeAll { taken[relationship.qualifiedName]?.contains($0) == true }
    }
    guard !candidates.isEmpty else { return nil }
    // Where the owner's key is part of the key, keys must ascend.
    let isKey = relationship.columns.contains { $0.column.hasPrefix("owner_") }
    let owner = isKey ? candidates[min(lastOwner, candidates.count - 1)] : random.pick(candidates)
    if isKey { lastOwner += random.number(0...1) }
    if isOneToOne { taken[relationship.qualifiedName, default: []].insert(owner) }
    return owner
  }

  /// The parts of a key that the graph would make at random, and in `values` those that are copied from originals.
  private mutating func key(of entity: String, _ values: inout [String: AttributeValue]) -> ObjectKey? {
    let mapping = SchemaMapping(model)[entity]
    keyCount += 1
    var key: [AttributeValue] = []
    for (i, part) in mapping.key.enumerated() {
      let attribute = mapping.attributes.first { $0.value.keyPart == i }
      switch part.source {
      case .uuid:
        // Keys ascend as integers do, so that ties by key are decided the same way in every store.
        let uuid = uuid(UInt64(keyCount), random.next())
        key.append(attribute.map { .new(uuid, as: $0.value.type) } ?? .uuid(uuid))
      case .copied:
        // Those of another tenant are the same ones.
        let place = "\(mapping.table) \(tenant.map { "\($0)" } ?? "")"
        parts[place, default: 0] += 1
        if let attribute { values[attribute.key] = .integer(parts[place]!) }
        key.append(.null)
      case .rowid, .max, .automatic, .relationship, .given: key.append(.null)
      }
    }
    return key.allSatisfy(\.isNull) ? nil : ObjectKey(key)
  }

  /// Nil leaves the attribute to its default, or to the key it lies in.
  private mutating func value(of attribute: AttributeDescription) -> AttributeValue? {
    if attribute.column != nil { return nil }
    if attribute.isOptional, random.chance(15) { return .null }
    let number = random.number(0...99_999)
    switch attribute.type {
    case .string, .uri: return .string("text \(number)")
    case .boolean: return .bool(number.isMultiple(of: 2))
    // Stores of days keep no times.
    case .date:
      let seconds = model.store.dates == .day ? Double(number) * 86_400 : Double(number) * 1_000 + 0.25
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .binary, .transformable: return .binary(Data([UInt8(number % 256), UInt8(number / 256 % 256)]))
    // A follower of a key must not hold one by chance.
    case .integer64 where attribute.userInfo["followParent"] != nil:
      return .integer(Int64(1_000_000 + number))
    case .integer16, .integer32, .integer64: return .integer(Int64(number % 30_000))
    case .double, .float: return .double(Double(number) / 7)
    case .decimal: return .decimal(Decimal(number) / 100)
    case .uuid: return .uuid(uuid(random.next(), random.next()))
    }
  }

  private func uuid(_ high: UInt64, _ low: UInt64) -> UUID {
    let text = String(format: "%016llX%016llX", high, low)
    let digits = Array(text)
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
    return UUID(uuidString: groups.joined(separator: "-"))!
  }

  // MARK: Relationships

  /// Connects the objects of a relationship; the pair of a relationship and its inverse counts once.
  private mutating func connect(_ relationship: RelationshipDescription) throws {
    let inverse = model.inverse(of: relationship)
    if let inverse, isRequired(inverse) {
      if relationship.isOrdered { try shuffle(relationship) }
      return
    }
    if isRequired(relationship) { return }
    switch (relationship.isToMany, inverse?.isToMany) {
    case (true, true): if relationship.name < inverse!.name { try connectMany(relationship) }
    case (true, nil) where relationship.joinTable != nil: try connectMany(relationship)
    case (true, false), (true, nil): try connectMembers(relationship)
    case (false, true): break
    case (false, false): if relationship.name < inverse!.name { try connectOnes(relationship) }
    case (false, nil): try connectOnes(relationship)
    }
  }

  private mutating func shuffle(_ relationship: RelationshipDescription) throws {
    for object in objects(of: relationship.entity) {
      let members = try graph.destinations(relationship.name, of: object)
      try graph.setDestinations(members.shuffled(using: &random), relationship.name, of: object)
    }
  }

  private mutating func connectMany(_ relationship: RelationshipDescription) throws {
    for object in objects(of: relationship.entity) where random.chance(60) {
      let others = objects(of: relationship.destination, beside: object)
      let chosen = others.shuffled(using: &random).prefix(random.number(0...4))
      try graph.setDestinations(Array(chosen), relationship.name, of: object)
    }
    if let inverse = model.inverse(of: relationship), inverse.isOrdered { try shuffle(inverse) }
  }

  private mutating func connectMembers(_ relationship: RelationshipDescription) throws {
    let owners = objects(of: relationship.entity)
    guard !owners.isEmpty else { return }
    for object in objects(of: relationship.destination).shuffled(using: &random) where random.chance(80) {
      let near = owners.filter { tenants[$0] == tenants[object] }
      guard !near.isEmpty else { continue }
      try graph.addDestination(object, to: relationship.name, of: random.pick(near))
    }
  }

  private mutating func connectOnes(_ relationship: RelationshipDescription) throws {
    for object in objects(of: relationship.entity) where random.chance(60) {
      let others = objects(of: relationship.destination, beside: object)
      guard !others.isEmpty else { continue }
      try graph.setDestinations([random.pick(others)], relationship.name, of: object)
    }
  }
}

extension ObjectID {
  /// The key as the value of a relationship.
  fileprivate var reference: AttributeValue {
    key.parts.count == 1 ? key.parts[0] : .string(key.description)
  }
}

extension AttributeValue {
  /// A UUID as an attribute of a type holds it.
  fileprivate static func new(_ uuid: UUID, as type: AttributeType) -> AttributeValue {
    type == .uuid ? .uuid(uuid) : .string(uuid.uuidString)
  }
}
