import MOCloneEngine
import MOCloneModel

/// The objects that a root brings along, with the ways in which each was reached.
struct ReferenceClosure {
  let root: ObjectID
  /// By generation, then by key.
  private(set) var objects: [ObjectID] = []
  private(set) var parent: [ObjectID: ObjectID] = [:]
  private var accesses: [ObjectID: [RelationshipDescription?]] = [:]
  private let rules: ReferenceRules

  private struct Access: Hashable {
    var object: ObjectID
    var relationship: RelationshipDescription?
  }

  fileprivate struct Offer {
    var object: ObjectID
    var parent: ObjectID
    var relationship: RelationshipDescription
  }

  init(root: ObjectID, rules: ReferenceRules, graph: any ObjectGraph) throws {
    self.root = root
    self.rules = rules
    accesses[root] = [nil]
    objects = [root]
    var generation = [Access(object: root, relationship: nil)]
    while !generation.isEmpty {
      var offers: [Offer] = []
      for access in generation { offers += try self.offers(of: access, graph) }
      generation = enter(offers)
    }
  }

  func contains(_ object: ObjectID) -> Bool {
    accesses[object] != nil
  }

  /// The strongest rule of all the ways in which an object was reached.
  func rule(_ relationship: RelationshipDescription, of object: ObjectID) -> ReferenceRules.Rule {
    accesses[object]!.map { rules.rule(of: relationship, from: object.entity, accessPath: $0) }.min()!
  }

  func asks(_ object: ObjectID, _ relationship: RelationshipDescription) -> Bool {
    rule(relationship, of: object) <= .link
  }

  private func offers(of access: Access, _ graph: any ObjectGraph) throws -> [Offer] {
    let entity = access.object.entity
    var offers: [Offer] = []
    for relationship in graph.model.relationships(of: entity)
    where rules.rule(of: relationship, from: entity, accessPath: access.relationship) == .clone {
      for destination in try graph.destinations(relationship.name, of: access.object) {
        offers.append(Offer(object: destination, parent: access.object, relationship: relationship))
      }
    }
    return offers
  }

  /// Enters the pairs of a generation and returns those that are new.
  private mutating func enter(_ offers: [Offer]) -> [Access] {
    var new: [Access] = []
    var found: [ObjectID] = []
    var best: [ObjectID: Offer] = [:]
    for offer in offers where offer.object != root {
      if accesses[offer.object] == nil || best[offer.object] != nil {
        if accesses[offer.object] == nil { found.append(offer.object) }
        best[offer.object] = best[offer.object].map { $0.isBefore(offer) ? $0 : offer } ?? offer
      }
      if accesses[offer.object]?.contains(offer.relationship) == true { continue }
      accesses[offer.object, default: []].append(offer.relationship)
      new.append(Access(object: offer.object, relationship: offer.relationship))
    }
    for (object, offer) in best { parent[object] = offer.parent }
    objects += found.sorted { ReferenceClosure.isBefore($0.key, $1.key) }
    return new
  }

  /// Numbers as numbers, text by bytes, part by part.
  static func isBefore(_ a: ObjectKey, _ b: ObjectKey) -> Bool {
    for (x, y) in zip(a.parts, b.parts) where x != y {
      if case .integer(let m) = x, case .integer(let n) = y { return m < n }
      return x.description.utf8.lexicographicallyPrecedes(y.description.utf8)
    }
    return false
  }
}

extension ReferenceClosure.Offer {
  /// Whether this parent goes before another one of the same generation.
  fileprivate func isBefore(_ other: Self) -> Bool {
    let own = relationship.qualifiedName
    let others = other.relationship.qualifiedName
    if own != others { return own.utf8.lexicographicallyPrecedes(others.utf8) }
    return !ReferenceClosure.isBefore(other.parent.key, parent.key)
  }
}
