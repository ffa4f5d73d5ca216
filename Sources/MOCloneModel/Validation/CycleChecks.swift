/// Cycles of relationships that a clone follows, or that own their destinations.
extension GraphChecks {
  /// A clone that comes back to its own kind over objects that it does not own takes along what belongs to others; where every
  /// step owns, or one relationship leads from a kind to itself, it is a tree.
  func clonesDoNotReturnToTheirKind() -> [Diagnostic] {
    var stepsLeft = Self.mostSteps
    return checks.soundRelationships.compactMap { back in
      guard stepsLeft > 0, back.isToMany, checks.clones(back), !isNameless(back), !ownership.owns(back),
        checks.written(back.userInfo).meaning.onClone != .clone,
        let cycle = cycle(closedBy: back, &stepsLeft),
        Set(cycle.map { model.rootEntity(of: $0.entity) }).count > 1
      else { return nil }
      let candidates = cycle.filter { $0.isToMany && !ownership.owns($0) }
      // Of several such relationships the one is named that leads back to what the model declares first.
      guard candidates.min(by: { place(of: $0) < place(of: $1) })?.qualifiedName == back.qualifiedName else {
        return nil
      }
      return .returnsToKind(cycle, key: checks.keys.exclude)
    }
  }

  private func place(of relationship: RelationshipDescription) -> Int {
    model.index.number[model.rootEntity(of: relationship.destination)] ?? .max
  }

  /// The shortest way from where a relationship leads to where it begins, and the relationship itself.
  private func cycle(
    closedBy back: RelationshipDescription, _ stepsLeft: inout Int
  ) -> [RelationshipDescription]? {
    guard let source = model.concreteEntities(of: back.entity).first else { return nil }
    let starts = Set(model.concreteEntities(of: back.destination))
    let ways = edges.waysUp(from: source)
    stepsLeft -= ways.count
    return ways.dropFirst().first { starts.contains($0.entity) }.map { edges.path(down: $0, ways) + [back] }
  }

  func ownersFormNoCycle() -> [Diagnostic] {
    ownerCycles { $0.deleteRule == .cascade }.map { .ownershipCycle($0) }
  }

  /// Where each object needs the one above it none is the first, so it is no tree: a clone of a team's leader takes along the team,
  /// and with it the other members. Where every step cascades it is an ownership cycle.
  func requiredOwnersFormNoCycle() -> [Diagnostic] {
    let cycles = ownerCycles { checks.written($0.userInfo).meaning.onClone != .clone }
    return cycles.compactMap { cycle in
      let kinds = Set(cycle.map { model.rootEntity(of: $0.entity) })
      guard kinds.count > 1, cycle.contains(where: \.isToMany),
        !cycle.allSatisfy({ $0.deleteRule == .cascade })
      else { return nil }
      guard let first = cycle.firstIndex(where: { !$0.isToMany }) else {
        return .returnsToKind(cycle, key: checks.keys.exclude)
      }
      return .returnsToKind(
        Array(cycle[first...] + cycle[..<first]), leavingAt: cycle[first], key: checks.keys.exclude)
    }
  }

  /// Cycles of relationships that own what cannot be without its owner, one for each entity at most.
  private func ownerCycles(of isWanted: (RelationshipDescription) -> Bool) -> [[RelationshipDescription]] {
    let owning = onCycles(
      checks.soundRelationships.filter { relationship in
        isWanted(relationship) && ownership.owns(relationship)
          && model.inverse(of: relationship)?.isOptional == false
      })
    let below = Dictionary(grouping: owning, by: \.entity)
    var done: Set<String> = []
    return owning.compactMap { first in
      guard !done.contains(first.entity), let cycle = cycle(from: first, below) else { return nil }
      done.formUnion(cycle.map(\.entity))
      return cycle
    }
  }

  /// The relationships that are part of a cycle, or of a way from one cycle to another.
  private func onCycles(_ relationships: [RelationshipDescription]) -> [RelationshipDescription] {
    let below = withoutEnds(relationships, from: \.entity, to: \.destination)
    return withoutEnds(below, from: \.destination, to: \.entity)
  }

  /// The relationships but for those from entities that none of the others leads to (Kahn's algorithm).
  private func withoutEnds(
    _ relationships: [RelationshipDescription], from source: (RelationshipDescription) -> String,
    to destination: (RelationshipDescription) -> String
  ) -> [RelationshipDescription] {
    let next = Dictionary(grouping: relationships, by: source).mapValues { $0.map(destination) }
    var arrivals: [String: Int] = [:]
    for relationship in relationships { arrivals[destination(relationship), default: 0] += 1 }
    var pending = next.keys.filter { arrivals[$0] == nil }
    var ends: Set<String> = []
    while let end = pending.popLast() {
      ends.insert(end)
      for entity in next[end] ?? [] {
        arrivals[entity]! -= 1
        if arrivals[entity] == 0 { pending.append(entity) }
      }
    }
    return relationships.filter { !ends.contains(source($0)) }
  }

  /// The shortest cycle that begins with a relationship.
  private func cycle(
    from first: RelationshipDescription, _ below: [String: [RelationshipDescription]]
  ) -> [RelationshipDescription]? {
    var paths = [[first]]
    var seen: Set<String> = []
    var next = 0
    while next < paths.count {
      let path = paths[next]
      let entity = path[path.count - 1].destination
      if entity == first.entity { return path }
      next += 1
      guard seen.insert(entity).inserted else { continue }
      paths += (below[entity] ?? []).map { path + [$0] }
    }
    return nil
  }
}

extension Diagnostic {
  /// - Parameter leaving: the relationship to leave out, where it is not the last one, over which the clone comes back.
  static func returnsToKind(
    _ cycle: [RelationshipDescription], leavingAt leaving: RelationshipDescription? = nil, key: String
  ) -> Diagnostic {
    let back = cycle[cycle.count - 1]
    let way = ModelPath.way(Array(cycle.dropLast()), to: back.qualifiedName)
    let place = ModelPath.relationship(leaving ?? back)
    let note =
      leaving == nil
      ? Note("the clone leaves its own objects here", at: .relationship(cycle[0]))
      : Note("the clone comes back to its kind here", at: .relationship(back))
    return Diagnostic(
      .returnsToKind, at: place,
      "cloning \(back.destination.withArticle) also clones others of its kind, with all that they have: \(way)",
      notes: [note],
      help: ModelEdit.annotate(place, key).sentence + ", or 'userInfo: {onClone: clone}' if that is meant",
      edits: [.annotate(place, key), .annotate(place, AnnotationKeys.onClone, "clone")])
  }

  static func ownershipCycle(_ cycle: [RelationshipDescription]) -> Diagnostic {
    let last = cycle[cycle.count - 1]
    let way = ModelPath.way(Array(cycle.dropLast()), to: last.qualifiedName)
    return Diagnostic(
      .ownershipCycle, at: .relationship(last),
      "\(cycle[0].entity.withArticle) needs an owner that it owns itself, so none can be the first: \(way)",
      help: "add 'optional: true' to the inverse of \(last.quoted), or remove 'deleteRule: cascade' there",
      edits: [
        .makeOptional(.entity(last.destination) / "relationships" / (last.inverse ?? "")),
        .remove(.relationship(last) / "deleteRule"),
      ])
  }
}
