import MOCloneModel

/// What a clone of a root would contain, found in a graph of any kind object by object.
///
/// For a graph that cannot note what it has found, such as a server that follows another one: a database that can is
/// asked for sets. Each relationship of each object is read once; memory grows with the objects.
package struct WalkedClosure {
  private let graph: any ObjectGraph
  private let plan: ClonePlan
  /// The nodes at which each object was reached.
  private var reached: [ObjectID: Set<Int>] = [:]
  private var destinations: [Step: [ObjectID]] = [:]

  private struct Step: Hashable {
    var object: ObjectID
    var relationship: String
  }

  /// The objects in the order in which they were reached, the root first.
  package private(set) var objects: [ObjectID] = []

  /// - Throws: what the graph throws; `CancellationError`.
  package init(of root: ObjectID, by plan: ClonePlan, in graph: any ObjectGraph) throws {
    (self.graph, self.plan) = (graph, plan)
    var open: [(object: ObjectID, node: Int)] = []
    var next = 0
    func isNew(_ object: ObjectID, at node: Int) -> Bool {
      if reached[object] == nil { objects.append(object) }
      return reached[object, default: []].insert(node).inserted
    }
    if let node = plan.root(of: root.entity), isNew(root, at: node.id) { open.append((root, node.id)) }
    while next < open.count {
      let (object, node) = open[next]
      next += 1
      for relationship in plan.nodes[node].relationships where relationship.rule == .clone {
        for other in try self.destinations(of: object, relationship) where other != root {
          let target = relationship.targets.first { plan.nodes[$0].entity == other.entity }
          if let target, isNew(other, at: target) { open.append((other, target)) }
        }
      }
    }
  }

  /// The objects that ask for a relationship in one of the ways in which they were reached.
  func objects(asking relationship: RelationshipDescription) -> [ObjectID] {
    objects.filter { object in
      reached[object]?.contains { plan.nodes[$0].plan(of: relationship)?.rule.asks == true } ?? false
    }
  }

  private mutating func destinations(
    of object: ObjectID, _ relationship: RelationshipPlan
  ) throws -> [ObjectID] {
    let step = Step(object: object, relationship: relationship.relationship.name)
    if let known = destinations[step] { return known }
    try Cancellation.check()
    let found = try graph.destinations(step.relationship, of: object)
    destinations[step] = found
    return found
  }

  /// How many objects would be cloned and linked.
  ///
  /// - Throws: what the graph throws.
  package mutating func counts() throws -> CloneResult {
    var result = CloneResult()
    var linked: Set<Step> = []
    let mapping = SchemaMapping(plan.model)
    let root = objects.first.flatMap { plan.root(of: $0.entity) }
    for relationship in root?.relationships ?? [] {
      guard case .object(let key) = relationship.given else { continue }
      let destination = relationship.relationship.destination
      guard let found = try graph.find(destination, key: key) else {
        throw CloneError.noSuchObject(destination, key)
      }
      linked.insert(Step(object: found, relationship: destination))
    }
    for object in objects {
      result.cloned[object.entity, default: 0] += plan.request.count
      for node in reached[object]! {
        for relationship in plan.nodes[node].relationships where links(relationship, mapping: mapping) {
          for other in try destinations(of: object, relationship) where reached[other] == nil {
            linked.insert(Step(object: other, relationship: relationship.relationship.destination))
          }
        }
      }
    }
    for step in linked { result.linked[step.relationship, default: 0] += 1 }
    return result
  }

  /// Whether clones can hold links over a relationship: what lies in another object's row stays with that.
  private func links(_ relationship: RelationshipPlan, mapping: SchemaMapping) -> Bool {
    relationship.rule == .link && relationship.given == nil
      && mapping.canShare(relationship.relationship, in: plan.model)
  }
}
