import MOCloneModel
import MOCloneSQL

/// Rows that a clone of another object should leave behind: logs, documents, and what belongs to someone else as well.
extension Suggester {
  /// - Parameter settled: relationships that are left out or kept for another reason, so that no owner is nearer by them.
  func relationshipSuggestions(besides settled: Set<ModelPath>) -> [ModelDraft.Suggestion] {
    shape.objectTables.flatMap { table -> [ModelDraft.Suggestion] in
      let references = shape.references.of(table.id).filter { $0.target != table.id }
      let owning = references.compactMap { reference -> (TableReference, RelationshipDescription)? in
        self.owning(reference).flatMap { $0.isToMany ? (reference, $0) : nil }
      }
      if let reason = recordReason(table) {
        return owning.filter { !isContent(table, of: $0.0.target) }.map { exclude($0.1, reason) }
      }
      return sharedRows(table, owning: owning.filter { !settled.contains(.relationship($0.1)) })
        + mentions(owning)
    } + ownersLeftOut()
  }

  /// One-to-one relationships over which an object would clone its owner; the validator finds them.
  private func ownersLeftOut() -> [ModelDraft.Suggestion] {
    ModelValidator.validate(model).filter { $0.code == .climbsToOwner }.compactMap { finding in
      let path = finding.path.components
      guard path.count > 3, let relationship = model.relationship(path[3], of: path[1]),
        relationship.isOptional, !isReferenced(relationship)
      else { return nil }
      return exclude(relationship, "cloned alone, it would clone its owner as well")
    }
  }

  /// Relationships over which clones reach into what others own; the validator finds them, beside other suggestions.
  func aggregateSuggestions(
    besides others: [ModelDraft.Suggestion], keeping kept: Set<ModelPath>
  ) -> [ModelDraft.Suggestion] {
    let annotated = applied(others)
    return ModelValidator.validate(annotated).compactMap { finding in
      let path = finding.path.components
      guard finding.severity == .warning, [.joinsOtherAggregate, .returnsToKind].contains(finding.code),
        path.count > 3, let relationship = annotated.relationship(path[3], of: path[1]),
        relationship.userInfo.isEmpty, relationship.isOptional, !isAssociation(relationship.destination),
        !kept.contains(.relationship(relationship))
      else { return nil }
      return exclude(
        relationship,
        finding.code == .returnsToKind
          ? "a clone would come back to others of its kind" : "a clone would add to what others own")
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

  /// The revision that a page points to is no record of it, but what it consists of.
  private func isContent(_ table: DatabaseTable, of owner: String) -> Bool {
    shape.entities.one(table.id).key.last == "revision"
      && shape.references.to(table.id).contains { $0.table == owner }
  }

  private static let amounts: Set<String> = [
    "amount", "total", "subtotal", "price", "sum", "balance", "cents", "value", "fee", "tax", "paid",
    "debit", "credit", "cost", "net", "gross",
  ]

  private func holdsMoney(_ table: DatabaseTable) -> Bool {
    table.schema.columns.contains { !Self.amounts.isDisjoint(with: NameWords($0.name).key) }
  }

  // MARK: Rows of several owners

  /// Where one of several owners is plainly the nearest, the others leave the rows behind.
  private func sharedRows(
    _ table: DatabaseTable, owning: [(TableReference, RelationshipDescription)]
  ) -> [ModelDraft.Suggestion] {
    guard owning.count > 1, !joinsByName(table, references: owning.map(\.0)) else { return [] }
    let weights = owning.map { weight(of: $0.0, table) }
    guard let best = weights.max(), weights.count(where: { $0 == best }) == 1,
      let i = weights.firstIndex(of: best)
    else { return [] }
    let entity = shape.entities[table.id]
    return owning.indices.filter { $0 != i }.map { other in
      let isTwice = owning[other].0.target == owning[i].0.target
      let owner =
        isTwice ? "'\(shape.names.role(owning[i].0).lowerCamel)'" : shape.entities[owning[i].0.target]
      return exclude(owning[other].1, "\(entity.withArticle) belongs to its \(owner) as well")
    }
  }

  /// Whether the rows of an entity belong to all that they join.
  private func isAssociation(_ entity: String) -> Bool {
    guard let home = homes.first(where: { $0.entity.name == entity }) else { return false }
    return joinsByName(home.table, references: shape.references.of(home.table.id))
  }

  /// Whether the table is called by what it joins, as `film_actor` is: then its rows belong to both.
  private func joinsByName(_ table: DatabaseTable, references: [TableReference]) -> Bool {
    let name = shape.entities.one(table.id).key
    return references.contains { a in
      references.contains { b in
        a != b && shape.entities.one(a.target).key + shape.entities.one(b.target).key == name
      }
    }
  }

  /// How plainly rows are parts of what they reference.
  private func weight(of reference: TableReference, _ table: DatabaseTable) -> Int {
    let target = shape.entities.one(reference.target)
    var weight = shape.entities.one(table.id).hasPrefix(target) ? 4 : 0
    if reference.onDelete == "CASCADE" { weight += 3 }
    if !reference.isOptional { weight += 1 }
    if !shape.names.isPlain(reference) { weight -= 1 }
    if isLookup(reference.target) { weight -= 2 }
    return weight
  }

  /// A table of names that others choose from.
  private func isLookup(_ table: String) -> Bool {
    guard let table = shape.contents[table] else { return false }
    return table.schema.columns.count <= 3 && shape.references.of(table.id).isEmpty
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
