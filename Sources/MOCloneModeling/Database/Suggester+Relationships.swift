import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Rows that a clone of another object should leave behind: logs, documents, and what belongs to someone else as well.
extension Suggester {
  /// - Parameter settled: relationships that are left out or kept for another reason, so that no owner is nearer by them.
  func relationshipSuggestions(besides settled: Set<ModelPath>) -> [ModelDraft.Suggestion] {
    let owners = owners
    var shared: [ModelDraft.Suggestion] = []
    let found = shape.objectTables.flatMap { table -> [ModelDraft.Suggestion] in
      let references = shape.references.of(table.id).filter { $0.target != table.id }
      let owning = references.compactMap { reference -> (TableReference, RelationshipDescription)? in
        self.owning(reference).flatMap { $0.isToMany ? (reference, $0) : nil }
      }
      if let reason = recordReason(table) {
        return owning.filter { !isContent(table, of: $0.0) }.map { exclude($0.1, reason) }
      }
      let free = owning.filter { !settled.contains(.relationship($0.1)) }
      let rows =
        sharedRows(table, owning: free, owners: owners) + givenRows(table, owning: free, owners: owners)
      shared += rows
      return rows + mentions(owning)
    }
    return found + linksToSharedRows(leftBy: shared) + ownersLeftOut()
  }

  /// Many-to-many relationships to rows that a clone leaves with their other owner: a copied organization's groups would
  /// have the members of the original one.
  private func linksToSharedRows(leftBy suggestions: [ModelDraft.Suggestion]) -> [ModelDraft.Suggestion] {
    let annotated = applied(suggestions)
    let linked = Set(
      annotated.entities.flatMap(\.relationships).filter {
        $0.isToMany && annotated.inverse(of: $0)?.isToMany == true
      }.map(\.destination))
    return suggestions.flatMap { suggestion -> [ModelDraft.Suggestion] in
      let path = suggestion.path.components
      guard path.count > 3, let list = annotated.relationship(path[3], of: path[1]),
        linked.contains(list.destination), annotated.inverse(of: list)?.isOptional == false,
        let plan = try? ClonePlan(model: annotated, entity: list.entity)
      else { return [] }
      let rows = Set(annotated.concreteEntities(of: list.destination))
      guard rows.isDisjoint(with: plan.nodes.map(\.entity)) else { return [] }
      let reason =
        "a clone of \(list.entity.withArticle) leaves each \(list.destination) with the original, so it has none to link to"
      return plan.nodes.flatMap(\.relationships).map(\.relationship).filter { link in
        link.isToMany && link.destination == list.destination && link.userInfo.isEmpty
          && annotated.inverse(of: link)?.isToMany == true
      }.map { exclude($0, reason) }
    }
  }

  /// One-to-one relationships over which an object would clone its owner, and lists by which parts of an owner come to
  /// what another owner of its kind has; the validator finds them.
  private func ownersLeftOut() -> [ModelDraft.Suggestion] {
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

  /// Relationships over which clones reach into what others own, or repeat what is unique within an owner that they leave
  /// out; the validator finds them, beside other suggestions.
  ///
  /// Where rows are left to their owner, that decides what else reaches into its parts, so those come first and alone.
  func aggregateSuggestions(
    besides others: [ModelDraft.Suggestion], keeping kept: Set<ModelPath>
  ) -> [ModelDraft.Suggestion] {
    let annotated = applied(others)
    let found = ModelValidator.validate(annotated).compactMap { finding -> (Bool, ModelDraft.Suggestion)? in
      let path = finding.path.components
      guard finding.severity == .warning, path.count > 3,
        let relationship = annotated.relationship(path[3], of: path[1]),
        let reason = Self.reason(of: finding, at: relationship), relationship.userInfo.isEmpty,
        relationship.isOptional, !kept.contains(.relationship(relationship))
      else { return nil }
      let isUnique = finding.code == .uniqueCopied
      // A value that is unique may be a reference itself.
      guard isUnique ? relationship.isToMany : !isAssociation(relationship.destination) else { return nil }
      return (isUnique, exclude(relationship, reason))
    }
    let unique = found.filter { $0.0 }
    return (unique.isEmpty ? found : unique).map { $0.1 }
  }

  private static func reason(of finding: Diagnostic, at list: RelationshipDescription) -> String? {
    switch finding.code {
    case .joinsOtherAggregate: return "a clone would add to what others own"
    case .returnsToKind: return "a clone would come back to others of its kind"
    case .uniqueCopied:
      guard let owner = finding.notes.last?.path.components.dropFirst().first else { return nil }
      return "\(list.destination.withArticle) is cloned with its \(owner): copies here would repeat values "
        + "that are unique there"
    default: return nil
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

  // MARK: Trees

  /// References within a table over which clones would come to rows of other owners, as to the answers of others, where
  /// existing rows show that. Where a row and the one that it is under have the same owner, as in a thread, all is a tree.
  func treeSuggestions(beside others: [ModelDraft.Suggestion]) -> [ModelDraft.Suggestion] {
    let annotated = applied(others)
    let owning = annotated.owningRelationships
    return shape.objectReferences.compactMap { reference -> ModelDraft.Suggestion? in
      guard reference.target == reference.table, reference.isOptional, let list = self.owning(reference),
        list.isToMany
      else { return nil }
      let owner = shape.references.of(reference.table).first { owner in
        guard owner.target != owner.table, let back = self.owning(owner) else { return false }
        return owning.contains(back.qualifiedName) && tells(owner, apartOver: reference)
      }
      return owner.map { owner in
        let name = shape.entities[owner.target]
        return exclude(
          list,
          "such \(list.destination.withArticle) may have another \(name): a clone would add to what others own"
        )
      }
    }
  }

  /// Whether some row has another owner than the row that it references.
  private func tells(_ owner: TableReference, apartOver reference: TableReference) -> Bool {
    guard let table = shape.contents[reference.table] else { return false }
    let dialect = db.dialect
    let name = dialect.table(table.schema.name)
    let isFilled = reference.columns.map { "\(dialect.name($0)) IS NOT NULL" }
    let isOn = zip(reference.columns, reference.references).map {
      "\(dialect.column("c", $0)) = \(dialect.column("p", $1))"
    }
    let differs = owner.columns.map { "\(dialect.column("c", $0)) <> \(dialect.column("p", $0))" }
    let row = db.answer(
      "SELECT count(*) FROM (SELECT * FROM \(name) WHERE \(isFilled.joined(separator: " AND ")) "
        + "LIMIT \(TableSurvey.mostRows)) c JOIN \(name) p ON \(isOn.joined(separator: " AND ")) "
        + "WHERE \(differs.joined(separator: " OR "))")
    return row.map { $0[0].number > 0 } ?? false
  }

  // MARK: Records

  private static let logs: Set<String> = [
    "log", "audit", "history", "changelog", "notification", "token", "login", "revision", "backup", "archive",
  ]
  private static let documents: Set<String> = ["invoice", "payment", "refund", "payout"]
  /// Documents only where they hold an amount: a message has receipts, too.
  private static let bookings: Set<String> = ["receipt", "transaction", "charge"]

  /// Why rows of a table are a record of what happened, and nothing that a clone repeats.
  private func recordReason(_ table: DatabaseTable) -> String? {
    let last = shape.entities.one(table.id).key.last ?? ""
    if Self.logs.contains(last) { return "a record of what happened to the original" }
    let isDocument =
      Self.documents.contains(last) || Self.bookings.contains(last) && holdsMoney(table)
    return isDocument ? "what was billed or paid is not done again" : nil
  }

  /// The revision that a page points to is no record of it, but what it consists of, as a transaction journal consists of
  /// its transactions.
  private func isContent(_ table: DatabaseTable, of reference: TableReference) -> Bool {
    let name = shape.entities.one(table.id)
    let last = name.key.last ?? ""
    if last == "revision" {
      return shape.references.to(table.id).contains { $0.table == reference.target }
    }
    return Self.bookings.contains(last) && !reference.isOptional && reference.onDelete == "CASCADE"
      && shape.entities.one(reference.target).hasPrefix(name)
  }

  private static let amounts: Set<String> = [
    "amount", "total", "subtotal", "price", "sum", "balance", "cents", "value", "fee", "tax", "paid",
    "debit", "credit", "cost", "net", "gross",
  ]

  private func holdsMoney(_ table: DatabaseTable) -> Bool {
    table.schema.columns.contains { !Self.amounts.isDisjoint(with: NameWords($0.name).key) }
  }

  // MARK: Rows of several owners

  /// Where one of several owners is plainly the nearest, the others leave the rows behind; where several are, what names
  /// the kind of the rows does.
  private func sharedRows(
    _ table: DatabaseTable, owning: [(TableReference, RelationshipDescription)],
    owners: [String: Set<String>]
  ) -> [ModelDraft.Suggestion] {
    guard owning.count > 1, !joinsByName(table, references: owning.map(\.0)) else { return [] }
    let weights = owning.map { weight(of: $0.0, table) }
    guard let best = weights.max() else { return [] }
    let nearest = owning.indices.filter { weights[$0] == best }.map { owning[$0].0 }
    let entity = shape.entities[table.id]
    let owner = nearest[0]
    return owning.filter { reference, _ in
      !nearest.contains(reference) && (nearest.count == 1 || isLookup(reference.target))
        && !nearest.contains { isOfOneAggregate(reference, with: $0, owners) }
    }.map { reference, list in
      let isTwice = reference.target == owner.target
      let name = isTwice ? "'\(shape.names.role(owner).lowerCamel)'" : shape.entities[owner.target]
      return exclude(list, "\(entity.withArticle) belongs to its \(name) as well")
    }
  }

  /// Whether the nearest owner's clone takes another owner along, so that the rows are in both of their aggregates, or only
  /// that other owner, which owns the nearest, has all rows.
  private func isOfOneAggregate(
    _ other: TableReference, with nearest: TableReference, _ owners: [String: Set<String>]
  ) -> Bool {
    // A row that goes with either owner, and needs neither, may have the one or the other.
    let isEither = [other, nearest].allSatisfy { $0.isOptional && $0.onDelete == "CASCADE" }
    guard shape.names.isPlain(other) || isEither else { return false }
    let (entity, owner) = (shape.entities[other.target], shape.entities[nearest.target])
    return isPart(entity, of: owner, owners) || nearest.isOptional && isPart(owner, of: entity, owners)
  }

  /// Where rows name what they are on in two columns, as label links and members do, they belong to that, and not to the
  /// label, the kind or the person that they give it.
  private func givenRows(
    _ table: DatabaseTable, owning: [(TableReference, RelationshipDescription)],
    owners: [String: Set<String>]
  ) -> [ModelDraft.Suggestion] {
    guard let pair = shape.pairs[table.id] else { return [] }
    return owning.filter { reference, _ in
      let owner = shape.entities[reference.target]
      let isOfOneAggregate = pair.targets.compactMap(\.table).contains {
        $0 == reference.target || isPart(shape.entities[$0], of: owner, owners)
      }
      return !isOfOneAggregate
        && (isLookup(reference.target) || isLink(table, to: reference.target)
          || isPerson(reference, after: pair, in: table))
    }.map {
      exclude($1, "\(shape.entities[table.id].withArticle) belongs to its '\(pair.role.lowerCamel)' as well")
    }
  }

  /// Whether the table is called by a target and no other owner, as `label_links` and `taggings` are.
  private func isLink(_ table: DatabaseTable, to target: String) -> Bool {
    let (name, words) = (shape.entities.one(table.id).key, shape.entities.one(target).key)
    guard let last = name.last, let word = words.last else { return false }
    return Self.joins.contains(last) && name.dropLast().elementsEqual(words)
      || last.hasPrefix(word) && last.hasSuffix("ing")
  }

  private static let people: Set<String> = ["user", "person", "member", "author"]

  /// Whether a reference leads to a person, and the row names what it is on before.
  private func isPerson(
    _ reference: TableReference, after pair: PolymorphicPair, in table: DatabaseTable
  ) -> Bool {
    func place(_ column: String) -> Int? {
      table.schema.columns.firstIndex { $0.name.sqlName == column.sqlName }
    }
    guard let own = place(pair.keyColumn), let other = place(reference.columns[0]) else { return false }
    return own < other && Self.people.contains(shape.entities.one(reference.target).key.last ?? "")
  }

  /// By entity, what owns its objects.
  private var owners: [String: Set<String>] {
    let owning = model.owningRelationships
    return model.entities.flatMap(\.relationships).reduce(into: [:]) { owners, list in
      guard owning.contains(list.qualifiedName) else { return }
      owners[model.rootEntity(of: list.destination), default: []].insert(model.rootEntity(of: list.entity))
    }
  }

  /// Whether another entity owns an entity, or what owns that.
  private func isPart(_ entity: String, of owner: String, _ owners: [String: Set<String>]) -> Bool {
    guard entity != owner else { return false }
    var seen: Set<String> = [entity]
    var pending = [entity]
    while let next = pending.popLast() {
      pending += owners[next, default: []].filter { seen.insert($0).inserted }
    }
    return seen.contains(owner)
  }

  /// Whether the rows of an entity belong to all that they join.
  private func isAssociation(_ entity: String) -> Bool {
    guard let home = homes.first(where: { $0.entity.name == entity }) else { return false }
    return joinsByName(home.table, references: shape.references.of(home.table.id))
  }

  /// Whether the table is called by what it joins, as `film_actor`, `users_teams` and `film_actor_map` are: then its rows
  /// belong to both.
  private func joinsByName(_ table: DatabaseTable, references: [TableReference]) -> Bool {
    func words(_ table: String) -> [String] { shape.entities.one(table).key.map(Noun.singular) }
    var name = words(table.id)
    if let last = name.last, Self.joins.contains(last) { name.removeLast() }
    return references.contains { a in
      references.contains { b in a != b && words(a.target) + words(b.target) == name }
    }
  }

  private static let joins: Set<String> = ["map", "mapping", "link", "join", "relation", "association"]

  /// How plainly rows are parts of what they reference.
  private func weight(of reference: TableReference, _ table: DatabaseTable) -> Int {
    let target = shape.entities.one(reference.target)
    var weight = shape.entities.one(table.id).hasPrefix(target) ? 4 : 0
    if reference.onDelete == "CASCADE" { weight += 3 }
    if !reference.isOptional { weight += 1 }
    if !shape.names.isPlain(reference) { weight -= 1 }
    if isLookup(reference.target) { weight -= 2 }
    if isNumbered(table, within: reference) { weight += 2 }
    return weight
  }

  /// A table of names that others choose from.
  private func isLookup(_ table: String) -> Bool {
    guard let table = shape.contents[table], shape.references.of(table.id).isEmpty else { return false }
    return table.schema.columns.count <= 3
      || ["type", "kind", "status"].contains(shape.entities.one(table.id).key.last)
  }

  /// Whether the key begins with the owner and tells its rows apart by a value of their own, such as a number.
  private func isNumbered(_ table: DatabaseTable, within reference: TableReference) -> Bool {
    guard let first = table.key.first, reference.holds(first) else { return false }
    let references = shape.references.of(table.id)
    return table.key.contains { part in !references.contains { $0.holds(part) } }
  }

  /// Optional references that say in which role, as `support_rep_id` does, and whose rows stay when the target goes.
  private func mentions(
    _ owning: [(TableReference, RelationshipDescription)]
  ) -> [ModelDraft.Suggestion] {
    owning.compactMap { reference, back in
      let role = shape.names.role(reference)
      guard reference.isOptional, reference.onDelete != "CASCADE", !shape.names.isPlain(reference) else {
        return nil
      }
      let entity = shape.entities[reference.table]
      return exclude(back, "\(entity.withArticle) only names it as its '\(role.lowerCamel)'")
    }
  }
}
