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

  /// A reference whose inverse is a list, and the entities of the objects that can own it.
  private struct Reference {
    var list: List
    var owners: [Int]
  }

  /// Entities are numbers here: each root asks for all of them.
  private let entityOfNode: [Int]
  private let entityCount: Int
  private let references: [Reference]
  /// By number: what an object comes with is no list of others, so the ways to an entity differ in them.
  private let referencesOfNode: [[Int]]

  init(_ graph: CloneGraph) {
    let (model, nodes) = (graph.plan.model, graph.plan.nodes)
    let names = nodes.map(\.entity).uniqued()
    let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    var references: [Reference] = []
    var known: [List: Int] = [:]
    referencesOfNode = nodes.map { node -> [Int] in
      if node.isRoot { return [] }
      return node.relationships.compactMap { planned -> Int? in
        guard planned.rule == .link, let name = Self.list(planned.relationship, model: model) else {
          return nil
        }
        let list = List(name: name, member: node.entity)
        if let number = known[list] { return number }
        let owners = model.concreteEntities(of: planned.relationship.destination)
        known[list] = references.count
        references.append(Reference(list: list, owners: owners.compactMap { numbers[$0] }))
        return references.count - 1
      }
    }
    self.references = references
    entityOfNode = nodes.map { numbers[$0.entity]! }
    entityCount = names.count
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
    var isReached = Array(repeating: false, count: entityCount)
    for node in reached.nodes { isReached[entityOfNode[node]] = true }
    var isDone = references.map { _ in false }
    var found: [(list: List, node: Int)] = []
    for node in reached.nodes.dropFirst() {
      for number in referencesOfNode[node] where !isDone[number] {
        isDone[number] = true
        let reference = references[number]
        if !reference.owners.contains(where: { isReached[$0] }) { found.append((reference.list, node)) }
      }
    }
    return found
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
