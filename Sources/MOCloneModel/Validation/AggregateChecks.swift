/// Clones that put new members into the aggregate of an object outside the clone.
///
/// An aggregate is an object with all that it owns (Evans, Domain-Driven Design, chapter 6).
extension GraphChecks {
  func clonesKeepOutOfOtherAggregates() -> [Diagnostic] {
    joinedAggregates().flatMap { entity, count, rivals, intrusions in
      rivals.map {
        .severalOwners(
          of: entity, $0, count: count, isAssociation: isAssociation(entity), key: checks.keys.exclude)
      } + intrusions.map { .joinsOtherAggregate($0, key: checks.keys.exclude) }
    }
  }

  /// The relationships over which clones come to members of owners that they do not hold.
  func pathsIntoOtherAggregates() -> [RelationshipDescription] {
    joinedAggregates().flatMap { _, _, rivals, intrusions in
      rivals.flatMap { [$0.owner, $0.other] } + intrusions.compactMap(\.path.last)
    }
  }

  /// The entities with members in lists of owners, how many lists these are, and how clones come to them.
  private func joinedAggregates() -> [(
    entity: String, lists: Int, rivals: [AggregateSearch.Rivals], intrusions: [AggregateSearch.Intrusion]
  )] {
    var search = AggregateSearch(self)
    let left = checks.entities.map { entity in
      entity.relationships.flatMap { search.intrusions(intoOwnersLeftOutOver: $0) }
    }
    // What such a list holds belongs to others, so that these may add to it.
    let intruding = Set(left.joined().compactMap(\.path.last?.qualifiedName))
    return zip(checks.entities, left).compactMap { entity, left in
      let lists = entity.relationships.compactMap(joinedList).filter {
        ownership.owns($0) && !intruding.contains($0.qualifiedName)
      }
      guard !lists.isEmpty || !left.isEmpty else { return nil }
      let paths = search.accessPaths(to: entity.name)
      let others = paths.filter { !ownership.owns($0) }.compactMap { search.intrusion(into: lists, over: $0) }
      return (entity.name, lists.count, search.rivals(among: lists, paths), left + others)
    }
  }

  /// The list that a clone joins over a link; nil where the relationship is no such link.
  func joinedList(of link: RelationshipDescription) -> RelationshipDescription? {
    guard !link.isToMany, !checks.clones(link), !checks.written(link.userInfo).has(.exclude),
      let list = model.inverse(of: link), list.isToMany
    else { return nil }
    return list
  }

  /// Whether the key consists of references, as that of a many-to-many relationship with values of its own.
  private func isAssociation(_ entity: String) -> Bool {
    let sources = checks.mapping[entity].key.map(\.source)
    return sources.count > 1
      && sources.allSatisfy { source in
        if case .relationship = source { true } else { false }
      }
  }
}

extension Diagnostic {
  /// Of two owners one does without, or both are meant; of more owners each other pair would be told next.
  private static func edits(
    _ owner: RelationshipDescription, other: RelationshipDescription, key: String
  ) -> [ModelEdit] {
    let meant = [other, owner].map { ModelEdit.annotate(.relationship($0), AnnotationKeys.onClone, "clone") }
    return [other, owner].map { .annotate(.relationship($0), key) } + [meant[0].and(meant[1])]
  }

  static func joinsOtherAggregate(_ intrusion: AggregateSearch.Intrusion, key: String) -> Diagnostic {
    let (list, place) = (intrusion.list, intrusion.path[intrusion.path.count - 1])
    let way = ModelPath.way(intrusion.path, to: "\(list.destination).\(list.inverse ?? "")")
    // Where nothing cascades, that an object cannot be without its owner may only mean that every one has a kind.
    let isPlain = list.deleteRule == .cascade || intrusion.exclusion != nil
    let exclusion = intrusion.exclusion.map {
      Note("without this exclusion, these objects would be cloned as well", at: .relationship($0))
    }
    return Diagnostic(
      .joinsOtherAggregate, isPlain ? .warning : .note, at: .relationship(place),
      "cloning \(intrusion.root.withArticle) adds \(place.name.words) to existing objects of '\(list.entity)', which own them: "
        + way,
      notes: [Note("the list that gets new members", at: .relationship(list))]
        + (exclusion.map { [$0] } ?? []),
      help: ModelEdit.annotate(.relationship(place), key).sentence
        + ", or 'userInfo: {onClone: clone}' if that is meant",
      edits: [
        .annotate(.relationship(place), key),
        .annotate(.relationship(place), AnnotationKeys.onClone, "clone"),
      ])
  }

  /// An association often stands for a many-to-many relationship, so it is only noted.
  static func severalOwners(
    of entity: String, _ rivals: AggregateSearch.Rivals, count: Int, isAssociation: Bool, key: String
  ) -> Diagnostic {
    let (owner, other) = (rivals.owner, rivals.other)
    let more = count > 2 ? " (of \(count) owners)" : ""
    return Diagnostic(
      .joinsOtherAggregate, isAssociation ? .note : .warning, at: .relationship(other),
      "\(entity.withArticle) is owned by \(owner.entity.withArticle) and by \(other.entity.withArticle)\(more), so cloning "
        + "either one adds \(other.name.words) to existing objects of the other",
      notes: [Note("the other owner", at: .relationship(owner))],
      help:
        "add 'userInfo: {\(key): \"\"}' to \(other.quoted), or to \(owner.quoted), or 'userInfo: {onClone: clone}' to both "
        + "if that is meant",
      edits: count > 2 ? [] : edits(owner, other: other, key: key))
  }
}

extension String {
  /// `orderLines` as words: `order lines`.
  fileprivate var words: String {
    reduce(into: "") { text, letter in
      let isBoundary = letter.isUppercase && text.last?.isLowercase == true
      text += isBoundary ? " " + letter.lowercased() : letter == "_" ? " " : String(letter)
    }
  }
}
