/// Clones that put new members into the aggregate of an object outside the clone, or that return to where they began.
///
/// An aggregate is an object with all that it owns, as in Evans, Domain-Driven Design, chapter 6.
extension GraphChecks {
  func clonesKeepOutOfOtherAggregates() -> [Diagnostic] {
    var search = AggregateSearch(self)
    var told: Set<Set<String>> = []
    return checks.soundRelationships.flatMap { link -> [Diagnostic] in
      guard !link.isToMany, !checks.clones(link), !checks.written(link.userInfo).has(.exclude),
        let list = model.inverse(of: link), list.isToMany,
        ownership.owns(list)
      else { return [] }
      return search.intrusions(over: link).compactMap { intrusion in
        let isShared = ownership.owns(intrusion.accessPath)
        // Of two owners each intrudes on the other: said once.
        if isShared, !told.insert([list.qualifiedName, intrusion.accessPath.qualifiedName]).inserted {
          return nil
        }
        return isShared
          ? twoOwners(intrusion, list) : .joinsOtherAggregate(intrusion, list, key: checks.keys.exclude)
      }
    }
  }

  /// An association, whose key is its two owners', often stands for a many-to-many relationship, so it is only noted.
  private func twoOwners(
    _ intrusion: AggregateSearch.Intrusion, _ list: RelationshipDescription
  ) -> Diagnostic {
    let lists = [list, intrusion.accessPath]
    let entity = intrusion.link.entity
    // `OrderLine` sounds as if it belonged to the order.
    let owner = lists.first { entity.hasPrefix($0.entity) } ?? list
    let other = lists.first { $0.qualifiedName != owner.qualifiedName } ?? list
    return .twoOwners(
      entity, owner: owner, other: other, isAssociation: isAssociation(entity), key: checks.keys.exclude)
  }

  private func isAssociation(_ entity: String) -> Bool {
    let sources = checks.mapping[entity].key.map(\.source)
    return sources.count > 1
      && sources.allSatisfy { source in
        if case .relationship = source { true } else { false }
      }
  }
}

extension Diagnostic {
  static func joinsOtherAggregate(
    _ intrusion: AggregateSearch.Intrusion, _ list: RelationshipDescription, key: String
  ) -> Diagnostic {
    let way = ModelPath.way(intrusion.path, to: intrusion.link.qualifiedName)
    return Diagnostic(
      .joinsOtherAggregate, at: .relationship(intrusion.accessPath),
      "cloning \(intrusion.root.withArticle) adds \(intrusion.accessPath.name.words) to existing objects of "
        + "'\(list.entity)', which own them: \(way)",
      notes: [Note("the list that gets new members", at: .relationship(list))],
      help:
        "add 'userInfo: {\(key): \"\"}' to \(intrusion.accessPath.quoted), or 'userInfo: {onClone: clone}' if that is "
        + "meant")
  }

  static func twoOwners(
    _ entity: String, owner: RelationshipDescription, other: RelationshipDescription, isAssociation: Bool,
    key: String
  ) -> Diagnostic {
    Diagnostic(
      .joinsOtherAggregate, isAssociation ? .note : .warning, at: .relationship(other),
      "\(entity.withArticle) is owned by \(owner.entity.withArticle) and by \(other.entity.withArticle), so cloning either one adds "
        + "\(other.name.words) to existing objects of the other",
      notes: [Note("the other owner", at: .relationship(owner))],
      help:
        "add 'userInfo: {\(key): \"\"}' to \(other.quoted), or to \(owner.quoted), or 'userInfo: {onClone: clone}' to both if "
        + "that is meant")
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
