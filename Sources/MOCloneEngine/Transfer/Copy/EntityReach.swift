import MOCloneModel

/// The entities of whose tables a copy of objects or of a subtree can bring any object, whatever the objects are. What
/// lies in the others need not be read.
package struct EntityReach: Sendable {
  package let entities: Set<String>
  /// Those of which an object can bring what it owns.
  package let owners: Set<String>

  private struct Access: Hashable {
    var root: String
    var way: CopyWay
  }

  /// A relationship as it is followed from the objects of one table to those of another.
  private struct Step {
    var relationship: RelationshipDescription
    var destination: String
    /// Whether it is followed against its direction, as it has no inverse.
    var isBackward: Bool
  }

  /// - Returns: nil where every entity is meant.
  package init?(_ rules: CopyRules, of subtree: CopiedSubtree?) {
    guard let first = Self.start(rules, subtree) else { return nil }
    let model = rules.model
    let mapping = SchemaMapping(model)
    let followsAll = subtree != nil || rules.follow == .all
    var steps: [String: [Step]] = [:]
    for relationship in model.entities.flatMap(\.relationships) {
      let here = model.rootEntity(of: relationship.entity)
      let there = model.rootEntity(of: relationship.destination)
      steps[here, default: []].append(
        Step(relationship: relationship, destination: there, isBackward: false))
      // Without an inverse its objects are where the members of a list have their places, and bring more where all is
      // followed.
      if model.inverse(of: relationship) == nil, followsAll || relationship.isToMany {
        steps[there, default: []].append(
          Step(relationship: relationship, destination: here, isBackward: true))
      }
    }
    func next(_ access: Access) -> [Access] {
      steps[access.root, default: []].compactMap { step in
        let way = Self.way(
          over: step.relationship, from: step.isBackward ? .owned : access.way, rules, subtree, mapping)
        guard let way else { return nil }
        let back: CopyWay = followsAll ? .owned : .referred
        return Access(root: step.destination, way: step.isBackward ? back : way)
      }
    }
    var reached = Set(first.map { Access(root: model.rootEntity(of: $0), way: .owned) })
    var open = reached
    while !open.isEmpty {
      open = Set(open.flatMap(next)).subtracting(reached)
      reached.formUnion(open)
    }
    func names(of accesses: Set<Access>) -> Set<String> {
      let roots = Set(accesses.map(\.root))
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
