/// Looks for links from what a clone copies into lists of objects that it does not copy.
struct AggregateSearch {
  /// A clone of `root` reaches `link.entity` over `path`, whose last relationship is `accessPath`, and is linked by `link`.
  struct Intrusion {
    var root: String
    var path: [RelationshipDescription]
    var accessPath: RelationshipDescription
    var link: RelationshipDescription
  }

  private let graph: GraphChecks
  private var model: ObjectModel { graph.model }
  private var stepsLeft = GraphChecks.mostSteps * 10
  /// The entities whose clones may hold objects of an entity, by that.
  private var holders: [String: Set<String>] = [:]

  init(_ graph: GraphChecks) {
    self.graph = graph
  }

  mutating func intrusions(over link: RelationshipDescription) -> [Intrusion] {
    var seen: Set<String> = []
    return model.concreteEntities(of: link.entity).flatMap { graph.edges.accessPaths(to: $0) }.compactMap {
      path in
      guard stepsLeft > 0, seen.insert(path.qualifiedName).inserted, !graph.isNameless(path),
        graph.checks.written(path.userInfo).meaning.onClone != .clone
      else { return nil }
      return intrusion(over: link, reachedBy: path)
    }
  }

  private mutating func intrusion(
    over link: RelationshipDescription, reachedBy accessPath: RelationshipDescription
  ) -> Intrusion? {
    let holders = holders(of: link.destination)
    guard let source = model.concreteEntities(of: accessPath.entity).first(where: { !holders.contains($0) })
    else {
      return nil
    }
    var path = [accessPath]
    var root = source
    var visited: Set<String> = [source]
    while let above = owner(of: root, outside: holders.union(visited)) {
      path.insert(above.relationship, at: 0)
      root = above.entity
      visited.insert(root)
      stepsLeft -= 1
    }
    return Intrusion(root: root, path: path, accessPath: accessPath, link: link)
  }

  private func owner(
    of entity: String, outside excluded: Set<String>
  ) -> (entity: String, relationship: RelationshipDescription)? {
    for relationship in graph.edges.accessPaths(to: entity) where graph.ownership.owns(relationship) {
      if let source = model.concreteEntities(of: relationship.entity).first(where: { !excluded.contains($0) })
      {
        return (source, relationship)
      }
    }
    return nil
  }

  private mutating func holders(of entity: String) -> Set<String> {
    if let known = holders[entity] { return known }
    let ways = model.concreteEntities(of: entity).flatMap { graph.edges.waysUp(from: $0) }
    stepsLeft -= ways.count
    let found = Set(ways.map(\.entity))
    holders[entity] = found
    return found
  }
}
