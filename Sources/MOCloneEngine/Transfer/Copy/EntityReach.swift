import MOCloneModel

/// The entities of whose tables a copy of objects or of a subtree can bring any object, whatever the objects are. What
/// lies in the others need not be read.
package struct EntityReach: Sendable {
  package let entities: Set<String>
  /// Those of which an object can bring what it owns.
  package let owners: Set<String>

  private struct Arrival: Hashable {
    var root: String
    var way: CopyWay
  }

  /// - Returns: nil where every entity is meant.
  package init?(_ rules: CopyRules, of subtree: CopiedSubtree?) {
    guard let first = Self.start(rules, subtree) else { return nil }
    let model = rules.model
    let mapping = SchemaMapping(model)
    let relationships = model.entities.flatMap(\.relationships)
    func step(_ arrival: Arrival, over relationship: RelationshipDescription) -> [Arrival] {
      func followed(from way: CopyWay) -> CopyWay? {
        Self.way(over: relationship, from: way, rules, subtree, mapping)
      }
      let (here, there) = (
        model.rootEntity(of: relationship.entity), model.rootEntity(of: relationship.destination)
      )
      var next: [Arrival] = []
      if arrival.root == here, let way = followed(from: arrival.way) {
        next.append(Arrival(root: there, way: way))
      }
      // Without an inverse its objects are where the members of a list have their places, and bring more where all is
      // followed.
      let followsAll = subtree != nil || rules.follow == .all
      if arrival.root == there, model.inverse(of: relationship) == nil, followsAll || relationship.isToMany,
        followed(from: .owned) != nil
      {
        next.append(Arrival(root: here, way: followsAll ? .owned : .referred))
      }
      return next
    }
    var reached = Set(first.map { Arrival(root: model.rootEntity(of: $0), way: .owned) })
    var open = reached
    while !open.isEmpty {
      open = Set(open.flatMap { arrival in relationships.flatMap { step(arrival, over: $0) } })
        .subtracting(reached)
      reached.formUnion(open)
    }
    func names(of arrivals: Set<Arrival>) -> Set<String> {
      let roots = Set(arrivals.map(\.root))
      return Set(model.entities.map(\.name).filter { roots.contains(model.rootEntity(of: $0)) })
    }
    entities = names(of: reached)
    owners = names(of: reached.filter { $0.way == .owned })
  }

  private static func start(_ rules: CopyRules, _ subtree: CopiedSubtree?) -> [String]? {
    guard let subtree else { return rules.roots?.map(\.entity) }
    guard case .closure(let plan, _) = subtree.members else { return nil }
    return plan.entities + subtree.given.map(\.entity)
  }

  /// How an object can bring what a relationship leads to, or is identified over it; nil where it is neither.
  private static func way(
    over relationship: RelationshipDescription, from way: CopyWay, _ rules: CopyRules,
    _ subtree: CopiedSubtree?,
    _ mapping: SchemaMapping
  ) -> CopyWay? {
    let isIdentifying = rules.identifying.contains(relationship.qualifiedName)
    guard let subtree else {
      return rules.way(over: relationship, from: way, mapping: mapping) ?? (isIdentifying ? .referred : nil)
    }
    // What is linked to can have to be made, with what it requires.
    let isRequired = !relationship.isToMany && !relationship.isOptional
    return isIdentifying || subtree.asks(relationship) || isRequired ? .owned : nil
  }
}
