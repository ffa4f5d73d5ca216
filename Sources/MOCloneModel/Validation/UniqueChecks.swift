/// Values that must be unique, and that a clone would repeat.
extension GraphChecks {
  func uniqueValuesAreRenewed() -> [Diagnostic] {
    let shared = sharedEntities
    var holders = CloneHolders(self)
    return checks.entities.flatMap { entity -> [Diagnostic] in
      guard !entity.uniquenessConstraints.isEmpty else { return [] }
      let reached = accessPath(at: entity.name)
      if reached == nil && isShared(entity.name, shared: shared) && isLookup(entity.name) { return [] }
      return entity.distinctConstraints.flatMap {
        failures(of: $0, entity.name, accessPath: reached, &holders)
      }
    }
  }

  private func failures(
    of names: [String], _ entity: String, accessPath: RelationshipDescription?, _ holders: inout CloneHolders
  ) -> [Diagnostic] {
    guard !model.concreteEntities(of: entity).isEmpty, !names.isEmpty else { return [] }
    let links = names.compactMap { link($0, of: entity) }
    if let repetition = repetition(of: names, entity, links: links) { return [repetition] }
    let renewed = names.filter { isRenewed($0, of: entity) }
    guard renewed.isEmpty else {
      guard renewed.allSatisfy({ link($0, of: entity).map(isNewWithOwner) == true }) else { return [] }
      let list = links.compactMap { model.inverse(of: $0) }.first { checks.clones($0) }
      return pathsBesideOwners(links, to: entity, &holders).map { path, root in
        repeated(names, of: entity, over: path, root: root, list: list)
      }
    }
    let paths = links.isEmpty || holders.stepsLeft <= 0 ? [] : accessPaths(at: entity)
    let repeating = paths.filter { !sources(of: $0, besides: links, &holders).isEmpty }
    // Where clones hold what the values link to, these are new, whatever lists are left out.
    if !paths.isEmpty && repeating.isEmpty { return [] }
    var finding = copied(names, of: entity, accessPath: repeating.first ?? accessPath)
    finding.refusesClones = finding.refusesClones && repeating.count == paths.count
    return [finding]
  }

  private func copied(
    _ names: [String], of entity: String, accessPath: RelationshipDescription?
  ) -> Diagnostic {
    guard let attribute = firstAttribute(names, of: entity) else {
      let link = names.lazy.compactMap { model.relationship($0, of: entity) }.first
      return .uniqueCopied(
        names, of: entity, at: link.map(ModelPath.relationship) ?? .entity(entity), accessPath: accessPath,
        help: "exclude one of them", edits: [])
    }
    let edits = edits(attribute, accessPath: accessPath)
    let isByItself =
      accessPath == nil && !attribute.isOptional && RebuildRule.unique(for: attribute.type) == nil
    let set = isByItself ? ["give each clone another value by '--set \(attribute.name)=...'"] : []
    let other =
      accessPath.map { "exclude \($0.quoted)" } ?? "give that another value in each clone by '--set'"
    let computed = ["have what '\(attribute.name)' is computed from made anew", other]
    var finding = Diagnostic.uniqueCopied(
      names, of: entity, at: .attribute(attribute), accessPath: accessPath,
      help: (attribute.derivation == .computed ? computed : edits.map(\.sentence) + set)
        .joined(separator: ", or "), edits: edits)
    finding.refusesClones = accessPath != nil && names.allSatisfy { isRequired($0, of: entity) }
    return finding
  }

  /// One that can be annotated rather than one that the database computes.
  private func firstAttribute(_ names: [String], of entity: String) -> AttributeDescription? {
    let attributes = names.compactMap { model.attribute($0, of: entity) }
    return attributes.first { $0.derivation != .computed } ?? attributes.first
  }

  /// Null is equal to nothing, so a value that may be missing does not always stand in the way of a clone.
  private func isRequired(_ name: String, of entity: String) -> Bool {
    model.attribute(name, of: entity).map { !$0.isOptional }
      ?? model.relationship(name, of: entity).map { !$0.isOptional } ?? false
  }

  /// A new value, none, or the same object for all.
  private func edits(
    _ attribute: AttributeDescription, accessPath: RelationshipDescription?
  ) -> [ModelEdit] {
    let place = ModelPath.attribute(attribute)
    // The database computes it whatever the model says, and may do so from what is made anew.
    if attribute.derivation == .computed { return [] }
    if let rule = RebuildRule.unique(for: attribute.type) {
      return [.annotate(place, checks.keys.rebuild, rule.rawValue)]
    }
    let exclude = ModelEdit.annotate(place, checks.keys.exclude)
    let link = accessPath.flatMap { path in
      canLink(path) ? ModelEdit.annotate(.relationship(path), AnnotationKeys.onClone, "link") : nil
    }
    return [attribute.isOptional ? exclude : .makeOptional(place).and(exclude)] + [link].compactMap { $0 }
  }

  /// Whether a clone may hold another value than its original; a name that is unknown is another finding.
  func isRenewed(_ name: String, of entity: String) -> Bool {
    if let attribute = model.attribute(name, of: entity) { return isRenewed(attribute, entity: entity) }
    guard let relationship = model.relationship(name, of: entity), !relationship.isToMany else { return true }
    return isRenewed(relationship)
  }

  private func isRenewed(_ attribute: AttributeDescription, entity: String) -> Bool {
    // That triggers keep a unique value is a finding of its own.
    guard attribute.takesAnnotations else { return true }
    let home = checks.mapping[entity]
    if let part = home.attributes[attribute.name]?.keyPart {
      switch home.key[part].source {
      case .copied: return false
      case .relationship(let name, _): return isRenewed(name, of: entity)
      case .rowid, .max, .automatic, .uuid, .given: return true
      }
    }
    let annotations = checks.written(attribute.userInfo)
    return annotations.has(.exclude) || annotations.has(.rebuild) || annotations.has(.followParent)
  }

  /// A link holds a new destination where the object comes with that destination.
  private func isRenewed(_ relationship: RelationshipDescription) -> Bool {
    if checks.written(relationship.userInfo).has(.exclude) || checks.clones(relationship) { return true }
    return model.inverse(of: relationship).map(checks.clones) ?? false
  }

  // MARK: Clones without the owner

  /// The to-one relationship that a value consists of.
  private func link(_ name: String, of entity: String) -> RelationshipDescription? {
    if let relationship = model.relationship(name, of: entity) {
      return relationship.isToMany ? nil : relationship
    }
    let home = checks.mapping[entity]
    guard let part = home.attributes[name]?.keyPart, case .relationship(let owner, _) = home.key[part].source
    else { return nil }
    return model.relationship(owner, of: entity)
  }

  /// Whether a link is another one only where the clone holds its destination.
  private func isNewWithOwner(_ link: RelationshipDescription) -> Bool {
    !checks.written(link.userInfo).has(.exclude) && !checks.clones(link)
  }

  /// Where a clone of a part of an owner, which leaves the owner out, takes along objects that link to it, and so repeat
  /// what is unique within the owner; with the part that is cloned.
  ///
  /// Clones that come back to the kind of the objects begin beside one of them anyway, and a link that may be missing is
  /// there for other objects, perhaps.
  private func pathsBesideOwners(
    _ links: [RelationshipDescription], to entity: String, _ holders: inout CloneHolders
  ) -> [(path: RelationshipDescription, root: String)] {
    guard links.allSatisfy({ !$0.isOptional }) else { return [] }
    let own = model.concreteEntities(of: entity)
    let owners = links.flatMap { model.concreteEntities(of: $0.destination) }
    var found: [(path: RelationshipDescription, root: String)] = []
    for path in accessPaths(at: entity) where holders.stepsLeft > 0 {
      for root in sources(of: path, besides: links, &holders) {
        let above = holders.of(root)
        guard above.isDisjoint(with: own), !above.isDisjoint(with: owners) else { continue }
        found.append((path, root))
        break
      }
    }
    return found
  }

  /// The entities whose clones follow a relationship and hold none of the destinations of some links.
  private func sources(
    of path: RelationshipDescription, besides links: [RelationshipDescription], _ holders: inout CloneHolders
  ) -> [String] {
    var sources = model.concreteEntities(of: path.entity)
    for link in links {
      let known = holders.of(link.destination)
      sources.removeAll(where: known.contains)
    }
    return sources
  }

  private func repeated(
    _ names: [String], of entity: String, over path: RelationshipDescription, root: String,
    list: RelationshipDescription?
  ) -> Diagnostic {
    let place = ModelPath.relationship(path)
    let other = firstAttribute(names, of: entity).map { edits($0, accessPath: nil) } ?? []
    let all = [ModelEdit.annotate(place, checks.keys.exclude)] + other
    var finding = Diagnostic.uniqueCopied(
      names, of: entity, at: place, accessPath: path, root: root,
      help: all.map(\.sentence).joined(separator: ", or "), edits: all)
    if let list {
      finding.notes.append(
        Diagnostic.Note("cloned over this relationship they have a new owner", at: .relationship(list)))
    }
    return finding
  }

  // MARK: Equal values

  private typealias Repetition = (
    attribute: AttributeDescription, annotations: WrittenAnnotations, annotation: AnnotationKey
  )

  /// Rules that give several clones the same values, where these must be unique, alone or with what the clones share.
  private func repetition(
    of names: [String], _ entity: String, links: [RelationshipDescription]
  ) -> Diagnostic? {
    let attributes = names.filter { link($0, of: entity) == nil }
    let rules = attributes.compactMap { repetition(of: $0, entity) }
    guard let rule = rules.first, rules.count == attributes.count else { return nil }
    let isOfEachClone = links.isEmpty && rules.allSatisfy { $0.annotation == .exclude }
    // A list's objects are cloned together, and have the owner whose list it is.
    let list =
      isOfEachClone
      ? nil
      : accessPath(at: entity) { path in
        path.isToMany
          && links.allSatisfy { $0.qualifiedName == model.inverse(of: path)?.qualifiedName }
      }
    guard isOfEachClone || list != nil else { return nil }
    return .uniqueRepeated(
      names, of: entity, rule.attribute, annotation: rule.annotation, annotations: rule.annotations,
      effect: effect(of: rule, list: list), keys: checks.keys, list: list)
  }

  private func repetition(of name: String, _ entity: String) -> Repetition? {
    guard let attribute = model.attribute(name, of: entity), attribute.takesAnnotations,
      checks.mapping[entity].attributes[name]?.keyPart == nil
    else { return nil }
    let annotations = checks.written(attribute.userInfo)
    guard annotations.misspelt.isEmpty else { return nil }
    let rule: AnnotationKey? =
      if annotations.has(.exclude) {
        attribute.blank.isNull ? nil : .exclude
      } else if annotations.has(.followParent) {
        .followParent
      } else {
        annotations.meaning.rebuild?.repetition == nil ? nil : .rebuild
      }
    return rule.map { (attribute, annotations, $0) }
  }

  private func effect(of rule: Repetition, list: RelationshipDescription?) -> String {
    if let repeated = rule.annotations.meaning.rebuild?.repetition, rule.annotation == .rebuild {
      return "gives all objects of a clone \(repeated)"
    }
    guard let list, rule.annotation == .followParent else { return "gives every clone the default" }
    return "gives all objects of \(list.quoted) the same value"
  }

  /// Whether a shared object is a value to look up: it has no parts of its own, and nobody said what a clone of it holds. If it
  /// is ever cloned, `--set` gives the new value.
  private func isLookup(_ entity: String) -> Bool {
    model.concreteEntities(of: entity).allSatisfy { entity in
      model.relationships(of: entity).allSatisfy { !checks.clones($0) || isNameless($0) }
        && model.attributes(of: entity).allSatisfy {
          checks.written($0.userInfo).present.allSatisfy { $0 == .onClone }
        }
    }
  }

  // MARK: Access paths

  func accessPath(
    at entity: String, where isWanted: (RelationshipDescription) -> Bool = { _ in true }
  ) -> RelationshipDescription? {
    model.concreteEntities(of: entity).lazy.flatMap(edges.accessPaths(to:))
      .first { isWanted($0) && !isNameless($0) }
  }

  /// All relationships over which clones may come to objects of an entity, each once.
  func accessPaths(at entity: String) -> [RelationshipDescription] {
    model.concreteEntities(of: entity).flatMap(edges.accessPaths(to:)).filter { !isNameless($0) }
      .uniqued { $0.qualifiedName }
  }

  /// The destinations of links that are no way back to an owner; what has no inverse may turn out to be a link.
  private var sharedEntities: Set<String> {
    Set(checks.soundRelationships.filter { isNameless($0) || !isRenewed($0) }.map(\.destination))
  }

  private func isShared(_ entity: String, shared: Set<String>) -> Bool {
    model.concreteEntities(of: entity).contains { !shared.isDisjoint(with: model.lineage(of: $0)) }
  }
}

extension EntityDescription {
  /// The uniqueness constraints, each once and each name of it once: that one is repeated is a finding of its own.
  fileprivate var distinctConstraints: [[String]] {
    uniquenessConstraints.uniqued { Set($0) }.map { $0.uniqued() }
  }
}

extension Diagnostic {
  static func uniqueRepeated(
    _ names: [String], of entity: String, _ attribute: AttributeDescription, annotation: AnnotationKey,
    annotations: WrittenAnnotations, effect: String, keys: AnnotationKeys,
    list: RelationshipDescription? = nil
  ) -> Diagnostic {
    let key = annotations.key(annotation)
    let other =
      annotation == .exclude
      ? "remove the 'default' and write 'optional: true', so that excluded values are null"
      : "write 'exclude: \"\"' in place of '\(key)', with 'optional: true' and no default"
    return Diagnostic(
      .uniqueCopied, at: .attribute(attribute) / "userInfo" / key,
      "\(uniqueness(of: names, of: entity)), but '\(key)' \(effect)",
      notes: [Note("the constraint", at: .entity(entity) / "uniquenessConstraints")]
        + (list.map { [Note("cloned over this relationship", at: .relationship($0))] } ?? []),
      help: RebuildRule.unique(for: attribute.type).map {
        "write 'rebuild: \($0.rawValue)' in place of '\(key)'"
      } ?? other,
      edits: [renewal(attribute, annotation: annotation, annotations: annotations, keys: keys)])
  }

  private static func renewal(
    _ attribute: AttributeDescription, annotation: AnnotationKey, annotations: WrittenAnnotations,
    keys: AnnotationKeys
  ) -> ModelEdit {
    let place = ModelPath.attribute(attribute)
    let fallback = annotations.has(.withoutParent) ? [AnnotationKey.withoutParent] : []
    let removed = ModelEdit(
      ([annotation] + fallback).map { .remove(place / "userInfo" / annotations.key($0)) })
    if let rule = RebuildRule.unique(for: attribute.type) {
      return removed.and(.annotate(place, keys.rebuild, rule.rawValue))
    }
    return removed.and(ModelEdit([.remove(place / "default")])).and(.makeOptional(place))
      .and(.annotate(place, keys.exclude))
  }

  static func uniqueCopied(
    _ names: [String], of entity: String, at path: ModelPath, accessPath: RelationshipDescription?,
    root: String? = nil, help: String, edits: [ModelEdit]
  ) -> Diagnostic {
    let place = root.map { " where \($0.withArticle) is cloned by itself" } ?? ""
    let way = ModelPath.way(accessPath.map { [$0] } ?? [], to: "\(entity).\(names[0])")
    return Diagnostic(
      .uniqueCopied, at: path,
      "\(uniqueness(of: names, of: entity)), but \(names.count == 1 ? "it is" : "they are") copied"
        + " unchanged\(place), so a clone has the same value as its original: \(way)",
      notes: [Note("the constraint", at: .entity(entity) / "uniquenessConstraints")], help: help, edits: edits
    )
  }

  /// What a constraint says: `'Note.code' is unique`.
  private static func uniqueness(of names: [String], of entity: String) -> String {
    let whole = names.map { "'\(entity).\($0)'" }.joined(separator: " and ")
    return whole + (names.count == 1 ? " is unique" : " are unique together")
  }
}
