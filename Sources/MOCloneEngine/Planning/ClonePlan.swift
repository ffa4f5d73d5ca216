import MOCloneModel

/// What a clone does, settled before a row is read: one node for each access path of a concrete entity.
///
/// A plan is a value: it can be printed, compared, kept and run on any graph of its model.
///
/// ```swift
/// let plan = try ClonePlan(model: model, entity: "Note", request: CloneRequest(exclude: ["memos"]))
/// print(plan)
/// let copy = try Cloner(plan: plan).clone(object: note)
/// ```
public struct ClonePlan: Sendable, Equatable {
  /// Which plan this is a copy of, and what all copies share: a plan is large, and copying it would cost more than a
  /// small clone.
  package let identity: Identity

  /// The same for all copies of a plan, and for no other plan.
  package final class Identity: Sendable {
    fileprivate let contents: Contents
    /// The same for plans that differ in the values only that their requests set.
    package let shape: Shape

    fileprivate init(_ contents: Contents, shape: Shape?) {
      self.contents = contents
      self.shape = shape ?? Shape(contents.model)
    }
  }

  fileprivate struct Contents: Sendable, Equatable {
    let model: ObjectModel
    let entity: String
    let request: CloneRequest
    let nodes: [PlanNode]
    let rootCount: Int
    let slots: [FollowSlot]
  }

  /// What statements are rendered for: they name the values that a request sets, and hold none of them.
  package final class Shape: Sendable {
    /// While a shape lives no other model has its model's identifier.
    private let memo: ModelMemo

    package init(_ model: ObjectModel) {
      memo = model.memo
    }
  }

  /// The model that the plan was made for.
  public var model: ObjectModel { identity.contents.model }
  /// The entity asked for; a root may be of any entity that inherits from it.
  public var entity: String { identity.contents.entity }
  /// The request that the plan was made for.
  public var request: CloneRequest { identity.contents.request }
  /// Breadth first from the roots, which come first.
  package var nodes: [PlanNode] { identity.contents.nodes }
  /// How many of the nodes are roots: one for each concrete entity.
  public var rootCount: Int { identity.contents.rootCount }
  /// The attributes that `followParent` annotations of these nodes name.
  package var slots: [FollowSlot] { identity.contents.slots }

  /// Plans the clone of an object of an entity.
  ///
  /// - Throws: `CloneError` with everything that model and request alone show to be wrong: unknown names, a required
  ///   attribute excluded, a root without the ancestor it follows, values that do not fit.
  public init(model: ObjectModel, entity: String, request: CloneRequest = CloneRequest()) throws {
    self = try ClonePlanner(model: model, entity: entity, request: request).plan()
  }

  package init(
    model: ObjectModel, entity: String, request: CloneRequest, nodes: [PlanNode], rootCount: Int,
    slots: [FollowSlot]
  ) {
    let contents = Contents(
      model: model, entity: entity, request: request, nodes: nodes, rootCount: rootCount, slots: slots)
    identity = Identity(contents, shape: nil)
  }

  private init(identity: Identity) { self.identity = identity }

  /// The plan as one of a shape that another plan has already.
  package func of(_ shape: Shape) -> ClonePlan {
    ClonePlan(identity: Identity(identity.contents, shape: shape))
  }

  package var roots: ArraySlice<PlanNode> { nodes[..<rootCount] }

  /// The node of a root of a concrete entity.
  package func root(of entity: String) -> PlanNode? {
    roots.first { $0.entity == entity }
  }

  /// The entities that a clone of this plan can hold, in the order of the model.
  public var entities: [String] {
    let reached = Set(nodes.map(\.entity))
    return model.entities.map(\.name).filter(reached.contains)
  }

  /// Whether clones can stay with an object that is not cloned, so that another root of the same run, cloned after them,
  /// would bring them along or be linked to them: a child of a folder, an object of two owners, a person among friends.
  private var reachesAgain: Bool {
    let roots = Set(roots.map { model.rootEntity(of: $0.entity) })
    let members = Dictionary(grouping: nodes.dropFirst(rootCount)) { model.rootEntity(of: $0.entity) }
    let isReached = members.contains { name, nodes in
      let paths = nodes.compactMap(\.accessPath)
      return roots.contains(name) || Set(paths.map(\.qualifiedName)).count > 1
        || paths.contains { $0.isToMany && model.inverse(of: $0)?.isToMany != false }
    }
    let linked = entities.flatMap { model.relationships(of: $0) }
      .filter { $0.isToMany && model.inverse(of: $0)?.isToMany == true }
      .map { model.rootEntity(of: $0.destination) }
    return isReached || linked.contains { roots.contains($0) || members[$0] != nil }
  }

  /// Whether the clones of roots must be found before any is written: those of one could belong to what another one
  /// brings along or is linked to.
  package func isTogether(_ roots: [ObjectID]) -> Bool { roots.count > 1 && reachesAgain }

  /// Whether the run's generator gives clones of an entity one of some attributes.
  package func generates(_ names: [String], of entity: String) -> Bool {
    nodes.contains { node in
      model.isKind(node.entity, of: entity)
        && node.attributes.contains { names.contains($0.attribute.name) && $0.rule.isGenerated }
    }
  }

  /// Whether some relationship is left out.
  package var excludes: Bool { nodes.contains { $0.relationships.contains { $0.reason.isExclusion } } }

  /// The entities of what would belong to clones at some nodes, were relationships on the way there not excluded.
  package func entitiesLeftOut(at nodes: some Sequence<PlanNode>) -> Set<String> {
    var found: Set<String> = []
    var open = nodes.flatMap(\.relationships).filter { $0.reason.isExclusion }.map(\.relationship)
    while let relationship = open.popLast() {
      let inverse = model.inverse(of: relationship)
      guard relationship.isToMany || inverse != nil, inverse?.isToMany != true else { continue }
      for entity in model.concreteEntities(of: relationship.destination)
      where found.insert(entity).inserted {
        open += model.relationships(of: entity).filter { $0.qualifiedName != inverse?.qualifiedName }
      }
    }
    return found
  }

  /// Checks that a graph has what the plan names, which may have been made for another model.
  ///
  /// - Parameter has: whether there is an entity, or a property of it.
  /// - Throws: `CloneError` (`store-mismatch`).
  package func checkNames(_ has: (_ entity: String, _ property: String?) -> Bool) throws {
    for node in nodes {
      let names = node.relationships.map(\.relationship.name) + node.attributes.map(\.attribute.name)
      guard has(node.entity, nil) else { throw CloneError.planOfAnotherModel(node.entity) }
      for name in names where !has(node.entity, name) {
        throw CloneError.planOfAnotherModel("'\(name)' of \(node.entity)")
      }
    }
  }
}

extension CloneError {
  fileprivate static func planOfAnotherModel(_ name: String) -> CloneError {
    CloneError(.storeMismatch, "the plan was made for another model; this one does not have \(name)")
  }
}

extension ClonePlan {
  public static func == (a: Self, b: Self) -> Bool {
    a.identity === b.identity || a.identity.contents == b.identity.contents
  }
}

/// One access path of an entity, and every rule there.
package struct PlanNode: Sendable, Equatable, Identifiable {
  /// The node's place in the plan.
  package var id: Int
  /// The concrete entity.
  package var entity: String
  /// The relationship the object was reached over, as its entity declares it; nil for the root.
  package var accessPath: RelationshipDescription?
  package var attributes: [AttributePlan]
  package var relationships: [RelationshipPlan]

  package var isRoot: Bool { accessPath == nil }

  /// What makes two nodes the same, in one plan or in two: how an entity is reached.
  struct AccessKey: Hashable {
    var entity: String
    /// The relationship by its entity and name; nil for the root.
    var relationship: String?
  }

  var accessKey: AccessKey { AccessKey(entity: entity, relationship: accessPath?.qualifiedName) }

  package func rule(ofAttribute name: String) -> AttributeRule? {
    attributes.first { $0.attribute.name == name }?.rule
  }

  package func plan(ofRelationship name: String) -> RelationshipPlan? {
    relationships.first { $0.relationship.name == name }
  }

  /// Nil where another entity declares the relationship, be it under the same name.
  package func plan(of relationship: RelationshipDescription) -> RelationshipPlan? {
    plan(ofRelationship: relationship.name).flatMap {
      $0.relationship.entity == relationship.entity ? $0 : nil
    }
  }
}

package struct AttributePlan: Sendable, Equatable {
  package var attribute: AttributeDescription
  package var rule: AttributeRule
}
