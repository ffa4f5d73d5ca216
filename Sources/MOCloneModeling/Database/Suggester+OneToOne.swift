import MOCloneModel
import MOCloneSQL

/// What an object would clone over a one-to-one relationship: its owner stays, and the parts that it holds come along.
extension Suggester {
  /// One-to-one relationships over which an object would clone its owner, and lists by which parts of an owner come to
  /// what another owner of its kind has; the validator finds them.
  func ownersLeftOut() -> [ModelDraft.Suggestion] {
    let owners = owners
    let held = heldParts()
    let settled = Set(held.map { ModelPath.relationship($0.forward) })
    let found = ModelValidator.validate(model).filter {
      $0.code == .climbsToOwner && !settled.contains($0.path)
    }
    return held.flatMap { takenAlong($0) } + found.flatMap { ownerLeftOut($0.path.components, owners) }
  }

  private func ownerLeftOut(
    _ path: [String], _ owners: [String: Set<String>]
  ) -> [ModelDraft.Suggestion] {
    guard path.count > 3, let relationship = model.relationship(path[3], of: path[1]) else { return [] }
    let owner = model.rootEntity(of: relationship.destination)
    let isFree = relationship.isOptional && !isReferenced(relationship)
    if owner == model.rootEntity(of: relationship.entity) { return isFree ? withoutOther(relationship) : [] }
    let reason = "\(path[1].withArticle) belongs to its \(relationship.destination) as well"
    let lists = listsTaking(relationship.entity).filter {
      isPart(model.rootEntity(of: $0.entity), of: owner, owners)
    }
    return (isFree ? [exclude(relationship, Self.climbing)] : []) + lists.map { exclude($0, reason) }
  }

  private static let climbing = "cloned alone, it would clone its owner as well"

  /// An optional reference to the only other one of a kind. Where rows come along with an owner, as pages with a project, the
  /// chain that they are stays together; of two such as spouses, neither is a part of the other.
  private func withoutOther(_ relationship: RelationshipDescription) -> [ModelDraft.Suggestion] {
    let owner = model.rootEntity(of: relationship.entity)
    let isOwned = listsTaking(relationship.entity).contains { model.rootEntity(of: $0.entity) != owner }
    guard !isOwned, Self.steps.isDisjoint(with: NameWords(relationship.name).key),
      let inverse = model.inverse(of: relationship), inverse.userInfo.isEmpty
    else { return [exclude(relationship, Self.climbing)] }
    return [relationship, inverse].map { exclude($0, "neither of the two is a part of the other") }
  }

  /// What names the next one of a chain.
  private static let steps: Set<String> = [
    "next", "previous", "prev", "parent", "child", "before", "after", "predecessor", "successor", "following",
    "preceding",
  ]

  // MARK: Parts that an object holds

  private typealias Held = (forward: RelationshipDescription, back: RelationshipDescription)

  /// The parts that an object names in a column of its own, as an order its shipping address, and a document its current
  /// version.
  private func heldParts() -> [Held] {
    shape.objectReferences.compactMap { reference -> Held? in
      guard reference.isUnique, reference.target != reference.table, reference.onDelete != "CASCADE",
        isMember(reference) || isLeaf(reference),
        let forward = forward(reference), forward.userInfo.isEmpty,
        let back = owning(reference), !back.isToMany
      else { return nil }
      return (forward, back)
    }
  }

  private func takenAlong(_ part: Held) -> [ModelDraft.Suggestion] {
    let (holder, name) = (part.forward.entity, part.forward.destination)
    return [
      ModelDraft.Suggestion(
        at: .relationship(part.forward), .annotate(key: AnnotationKeys.onClone, value: "clone"),
        reason: "the \(name) is a part of its \(holder)"),
      exclude(part.back, "cloned alone, \(name.withArticle) would clone its \(holder) as well"),
    ]
  }

  /// Whether an optional reference leads to one of the rows that come along with its row.
  private func isMember(_ reference: TableReference) -> Bool {
    guard reference.isOptional, let target = shape.contents[reference.target] else { return false }
    return shape.references.of(reference.target).contains {
      $0.target == reference.table && !$0.isUnique && owning($0) != nil
        && (!$0.isOptional || $0.onDelete == "CASCADE")
        && (recordReason(target) == nil || isContent(target, of: $0))
    }
  }

  /// Whether a reference tells in which role a row has one that has nothing itself, and that only such references lead to.
  /// One that rows must have tells so only beside another one that they can be without: a profile must have its owner.
  private func isLeaf(_ reference: TableReference) -> Bool {
    guard let target = shape.contents[reference.target], recordReason(target) == nil,
      shape.references.of(target.id).isEmpty, shape.pairs[target.id] == nil,
      model.relationships(of: shape.entities[target.id]).allSatisfy({ !$0.isToMany }),
      !Self.people.contains(shape.entities.one(target.id).key.last ?? "")
    else { return false }
    let roles = shape.references.to(target.id).filter { $0.table == reference.table }
    return roles.contains(where: \.isOptional)
      && roles.allSatisfy { !shape.names.isPlain($0) && $0.onDelete != "CASCADE" }
  }

  /// The lists that take objects of an entity along.
  private func listsTaking(_ entity: String) -> [RelationshipDescription] {
    model.entities.flatMap(\.relationships).filter {
      $0.isToMany && $0.destination == entity && $0.userInfo.isEmpty
        && model.inverse(of: $0)?.isToMany == false
    }
  }

  /// Whether rows of other tables hold the value of its columns, which then cannot be left out.
  private func isReferenced(_ relationship: RelationshipDescription) -> Bool {
    guard let key = mapping[relationship.entity].foreignKey(relationship.name) else { return false }
    let table = mapping[relationship.entity].table.sqlName
    return shape.references.all.contains {
      $0.target == table && !$0.references.names.isDisjoint(with: key.columns.names)
    }
  }
}
