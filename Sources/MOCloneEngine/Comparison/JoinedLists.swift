import MOCloneModel

/// The lists of objects outside of a clone that its objects join.
///
/// A line that is copied with a product and keeps its order is a new line of that order, which nobody asked for. It matters
/// where the order owns its lines: it deletes them, or they cannot be without it.
struct JoinedLists {
  struct List: Hashable {
    /// The relationship, such as `Order.lines`.
    var name: String
    /// The entity of the new members.
    var member: String
  }

  /// A reference of an entity whose inverse is a list, and the entities of the objects that can own it.
  private struct Reference {
    var list: String
    var owners: [Int]
  }

  /// Entities are numbers here: each root asks for all of them.
  private let names: [String]
  private let entityOfNode: [Int]
  private var references: [[Reference]]

  init(_ graph: CloneGraph) {
    let (model, nodes) = (graph.plan.model, graph.plan.nodes)
    let names = nodes.map(\.entity).uniqued()
    let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    self.names = names
    entityOfNode = nodes.map { numbers[$0.entity]! }
    references = Array(repeating: [], count: names.count)
    var isDone = references.map { _ in false }
    for node in nodes where !node.isRoot && !isDone[entityOfNode[node.id]] {
      isDone[entityOfNode[node.id]] = true
      references[entityOfNode[node.id]] = node.relationships.compactMap { planned in
        guard planned.rule == .link, let list = Self.list(planned.relationship, model: model) else {
          return nil
        }
        let owners = model.concreteEntities(of: planned.relationship.destination)
        return Reference(list: list, owners: owners.compactMap { numbers[$0] })
      }
    }
  }

  /// The list that its owner owns: it deletes the members, or they cannot be without it.
  private static func list(_ relationship: RelationshipDescription, model: ObjectModel) -> String? {
    guard !relationship.isToMany, let list = model.inverse(of: relationship), list.isToMany,
      list.deleteRule == .cascade || !relationship.isOptional
    else { return nil }
    return list.qualifiedName
  }

  /// What the clones of one root join, each with the first node that does.
  func joined(by reached: ReachedNodes) -> [(list: List, node: Int)] {
    var isReached = names.map { _ in false }
    for node in reached.nodes { isReached[entityOfNode[node]] = true }
    var isDone = names.map { _ in false }
    return reached.nodes.dropFirst().flatMap { node -> [(list: List, node: Int)] in
      let entity = entityOfNode[node]
      if isDone[entity] { return [] }
      isDone[entity] = true
      return references[entity].filter { !$0.owners.contains { isReached[$0] } }
        .map { (List(name: $0.list, member: names[entity]), node) }
    }
  }
}

extension CloneDifference.Change {
  /// - Parameter path: the way from the root to the objects that join the list.
  init(joining list: JoinedLists.List, root: String, path: [String]) {
    self.init(
      kind: .joinsOthers, subject: list.name, before: "unchanged by a clone",
      after: "gains each copied \(list.member)",
      roots: [
        CloneDifference.Root(
          entity: root, path: path, objects: [CloneDifference.Reached(entity: list.member, path: path)])
      ])
  }
}
