/// Looks for links from what a clone copies into lists of owners that it does not copy.
struct AggregateSearch {
  /// A clone of `root` reaches the members of `list` over `path`, and links them to owners outside itself.
  struct Intrusion {
    var root: String
    var path: [RelationshipDescription]
    var list: RelationshipDescription
    /// The excluded relationship without which the owners would be in the clone as well.
    var exclusion: RelationshipDescription?
  }

  /// Two lists whose owners own the same objects, and neither of which is cloned with the other.
  struct Rivals {
    var owner: RelationshipDescription
    var other: RelationshipDescription
  }

  private let graph: GraphChecks
  private var model: ObjectModel { graph.model }
  private var known: CloneHolders
  private var stepsLeft: Int {
    get { known.stepsLeft }
    set { known.stepsLeft = newValue }
  }
  /// The relationships that lead to parts of an owner and are excluded, by their destinations.
  private let exclusions: [String: [RelationshipDescription]]

  init(_ graph: GraphChecks) {
    self.graph = graph
    known = CloneHolders(graph)
    let excluded = graph.checks.soundRelationships.filter {
      graph.checks.written($0.userInfo).meaning.isExcluded && graph.ownership.ownsUnlessAnnotated($0)
    }
    exclusions = Dictionary(grouping: excluded, by: \.destination)
  }

  /// The relationships over which a clone reaches an entity, but for those that somebody said to follow.
  func accessPaths(to entity: String) -> [RelationshipDescription] {
    graph.accessPaths(at: entity).filter {
      graph.checks.written($0.userInfo).meaning.onClone != .clone
    }
  }

  /// The first of an entity's owners that a clone over one of its other access paths does not hold.
  mutating func intrusion(
    into lists: [RelationshipDescription], over path: RelationshipDescription
  ) -> Intrusion? {
    for list in lists where stepsLeft > 0 {
      stepsLeft -= 1
      let holders = holders(of: list.entity)
      guard let source = model.concreteEntities(of: path.entity).first(where: { !holders.contains($0) }),
        !isPart(source, of: list.entity)
      else { continue }
      let above = owners(of: source, outside: holders)
      return Intrusion(
        root: above.first?.entity ?? source, path: above.map(\.relationship) + [path], list: list)
    }
    return nil
  }

  /// Clones that leave out objects by an exclusion, and take along in other ways what is there for the sake of these objects.
  ///
  /// That is said by more than a link: a comment is there for the sake of the photo or the album that it is on, as is a
  /// `PhotoComment` for its photo, but a photo is not there for the sake of its category.
  mutating func intrusions(intoOwnersLeftOutOver link: RelationshipDescription) -> [Intrusion] {
    guard let list = graph.joinedList(of: link), !graph.ownership.owns(list) else { return [] }
    let owners = model.concreteEntities(of: link.destination).flatMap { model.lineage(of: $0) }
    let leaving = owners.flatMap { exclusions[$0] ?? [] }
    guard !leaving.isEmpty, isNamedAfterOwner(link) || isPolymorphic(link) else { return [] }
    let holders = holders(of: link.destination)
    return accessPaths(to: link.entity).compactMap { path -> Intrusion? in
      let sources = model.concreteEntities(of: path.entity)
      guard stepsLeft > 0, let source = sources.first(where: { !holders.contains($0) }) else { return nil }
      let ways = graph.edges.waysUp(from: source)
      stepsLeft -= ways.count
      for way in ways where !holders.contains(way.entity) {
        let above = model.lineage(of: way.entity)
        guard let exclusion = leaving.first(where: { above.contains($0.entity) }) else { continue }
        let wayDown = graph.edges.path(down: way, ways) + [path]
        return Intrusion(root: way.entity, path: wayDown, list: list, exclusion: exclusion)
      }
      return nil
    }
  }

  /// `OrderLine` sounds as if it belonged to the order.
  private func isNamedAfterOwner(_ link: RelationshipDescription) -> Bool {
    guard link.entity.hasPrefix(link.destination) else { return false }
    return link.entity.dropFirst(link.destination.count).first.map { $0.isUppercase || $0 == "_" } == true
  }

  /// Whether other sub-entities have other destinations in the same column: such rows are there for one of several kinds.
  private func isPolymorphic(_ link: RelationshipDescription) -> Bool {
    let mapping = graph.checks.mapping
    guard let columns = mapping[link.entity].foreignKey(link.name)?.columns.map(\.sqlName) else {
      return false
    }
    let root = model.rootEntity(of: link.entity)
    return graph.checks.soundRelationships.contains { other in
      other.destination != link.destination && other.entity != link.entity
        && model.rootEntity(of: other.entity) == root
        && mapping[other.entity].foreignKey(other.name)?.columns.map(\.sqlName) == columns
    }
  }

  /// The owner that the entity is named after, or else the first, and one that is not cloned with it.
  mutating func rivals(
    among lists: [RelationshipDescription], _ paths: [RelationshipDescription]
  ) -> [Rivals] {
    let followed = Set(paths.map(\.qualifiedName))
    guard let entity = lists.first?.destination, lists.count > 1 else { return [] }
    // `OrderLine` sounds as if it belonged to the order.
    let owner = lists.first { entity.hasPrefix($0.entity) } ?? lists[0]
    for other in lists where other.qualifiedName != owner.qualifiedName && stepsLeft > 0 {
      stepsLeft -= 1
      if intrudes(over: owner, into: other, followed) || intrudes(over: other, into: owner, followed) {
        return [Rivals(owner: owner, other: other)]
      }
    }
    return []
  }

  private mutating func intrudes(
    over path: RelationshipDescription, into list: RelationshipDescription, _ followed: Set<String>
  ) -> Bool {
    let holders = holders(of: list.entity)
    guard followed.contains(path.qualifiedName) else { return false }
    // What lies in the other owner's aggregate itself is cloned into it: a task with its subtasks into their project.
    return model.concreteEntities(of: path.entity).contains {
      !holders.contains($0) && !isPart($0, of: list.entity)
    }
  }

  /// The way down to an entity from its owner's owner and so on, as far up as clones do not hold some other objects.
  private mutating func owners(
    of entity: String, outside holders: Set<String>
  ) -> [(entity: String, relationship: RelationshipDescription)] {
    var path: [(entity: String, relationship: RelationshipDescription)] = []
    var visited: Set<String> = [entity]
    func owner(of entity: String) -> (entity: String, relationship: RelationshipDescription)? {
      for relationship in graph.edges.accessPaths(to: entity) where graph.ownership.owns(relationship) {
        let source = model.concreteEntities(of: relationship.entity)
          .first { !holders.contains($0) && !visited.contains($0) }
        if let source { return (source, relationship) }
      }
      return nil
    }
    while stepsLeft > 0, let above = owner(of: path.last?.entity ?? entity) {
      path.append(above)
      visited.insert(above.entity)
      stepsLeft -= 10
    }
    return path.reversed()
  }

  /// Whether an entity is owned by another one, or by what that owns: then both are in one aggregate.
  private mutating func isPart(_ entity: String, of owner: String) -> Bool {
    let wanted = Set(model.concreteEntities(of: owner))
    var pending = [entity]
    var next = 0
    var seen: Set<String> = [entity]
    while next < pending.count, stepsLeft > 0 {
      stepsLeft -= 1
      for relationship in graph.edges.accessPaths(to: pending[next]) where graph.ownership.owns(relationship)
      {
        for source in model.concreteEntities(of: relationship.entity) where seen.insert(source).inserted {
          if wanted.contains(source) { return true }
          pending.append(source)
        }
      }
      next += 1
    }
    return false
  }

  private mutating func holders(of entity: String) -> Set<String> { known.of(entity) }
}
