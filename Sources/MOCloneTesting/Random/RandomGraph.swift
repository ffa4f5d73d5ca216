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
  /// Objects that have a partner already, by the one-to-one relationship of the other side.
  private var taken: [String: Set<ObjectID>] = [:]
  private var keyCount: Int64 = 0
  private var lastOwner = 0

  /// Fills a graph and saves it.
  ///
  /// - Returns: the objects in the order in which they were made, the same for every graph.
  public static func fill(_ graph: any ObjectGraph, seed: UInt64) throws -> [ObjectID] {
    var filler = RandomGraph(random: SplitMix64(seed: seed ^ 0xA5A5_5A5A), graph: graph)
    for entity in graph.model.entities where !entity.isAbstract { try filler.addObjects(entity.name) }
    for entity in graph.model.entities {
      for relationship in entity.relationships { try filler.connect(relationship) }
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

  // MARK: Objects

  private mutating func addObjects(_ entity: String) throws {
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
        values[relationship.name] = owner.key.parts[0]
      }
      guard isPossible else { continue }
      objects.append(try graph.insertObject(entity, key: key(of: entity, owners), values: values))
    }
  }

  private func isRequired(_ relationship: RelationshipDescription) -> Bool {
    !relationship.isToMany && !relationship.isOptional
  }

  private mutating func owner(_ relationship: RelationshipDescription) -> ObjectID? {
    var candidates = objects(of: relationship.destination)
    let isOneToOne = model.inverse(of: relationship)?.isToMany == false
    if isOneToOne {
      candidates.removeAll { taken[relationship.qualifiedName]?.contains($0) == true }
    }
    guard !candidates.isEmpty else { return nil }
    // Where the owner's key is part of the key, keys must ascend.
    let isKey = relationship.columns.first?.column == "owner_id"
    let owner = isKey ? candidates[min(lastOwner, candidates.count - 1)] : random.pick(candidates)
    if isKey { lastOwner += random.number(0...1) }
    if isOneToOne { taken[relationship.qualifiedName, default: []].insert(owner) }
    return owner
  }

  private mutating func key(of entity: String, _ owners: [ObjectID]) -> ObjectKey? {
    let columns = model.entity(model.rootEntity(of: entity))!.primaryKey
    keyCount += 1
    if columns.count > 1 { return ObjectKey([owners[0].key.parts[0], .integer(keyCount)]) }
    guard columns.first?.generate == .uuid else { return nil }
    // Keys ascend as integers do, so that ties by key are decided the same way in every store.
    return ObjectKey([.uuid(uuid(UInt64(keyCount), random.next()))])
  }

  /// Nil leaves the attribute to its default, or to the key it lies in.
  private mutating func value(of attribute: AttributeDescription) -> AttributeValue? {
    if attribute.column != nil { return nil }
    if attribute.isOptional, random.chance(15) { return .null }
    let number = random.number(0...99_999)
    switch attribute.type {
    case .string, .uri: return .string("text \(number)")
    case .boolean: return .bool(number.isMultiple(of: 2))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1_000 + 0.25))
    case .binary, .transformable: return .binary(Data([UInt8(number % 256), UInt8(number / 256 % 256)]))
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
    case (true, false): try connectMembers(relationship)
    case (true, nil): try connectHidden(relationship)
    case (false, true): break
    case (false, false): if relationship.name < inverse!.name { try connectOnes(relationship) }
    case (false, nil): try connectOnes(relationship)
    }
  }

  private mutating func shuffle(_ relationship: RelationshipDescription) throws {
    for object in objects(of: relationship.entity) {
      let members = try graph.destinations(relationship.name, of: object)
      try graph.setDestinations(
        places(members).shuffled(using: &random).map { members[$0] }, relationship.name, of: object)
    }
  }

  private func places(_ elements: [ObjectID]) -> [Int] {
    Array(elements.indices)
  }

  private mutating func connectMany(_ relationship: RelationshipDescription) throws {
    let others = objects(of: relationship.destination)
    for object in objects(of: relationship.entity) where random.chance(60) {
      let chosen = places(others).shuffled(using: &random).prefix(random.number(0...4)).map { others[$0] }
      try graph.setDestinations(chosen, relationship.name, of: object)
    }
    if let inverse = model.inverse(of: relationship), inverse.isOrdered { try shuffle(inverse) }
  }

  private mutating func connectMembers(_ relationship: RelationshipDescription) throws {
    let owners = objects(of: relationship.entity)
    guard !owners.isEmpty else { return }
    for member in places(objects(of: relationship.destination)).shuffled(using: &random)
    where random.chance(80) {
      try graph.addDestination(
        objects(of: relationship.destination)[member], to: relationship.name, of: random.pick(owners))
    }
  }

  private mutating func connectHidden(_ relationship: RelationshipDescription) throws {
    if relationship.joinTable != nil { return try connectMany(relationship) }
    try connectMembers(relationship)
  }

  private mutating func connectOnes(_ relationship: RelationshipDescription) throws {
    let others = objects(of: relationship.destination)
    guard !others.isEmpty else { return }
    for object in objects(of: relationship.entity) where random.chance(60) {
      try graph.setDestinations([random.pick(others)], relationship.name, of: object)
    }
  }
}
