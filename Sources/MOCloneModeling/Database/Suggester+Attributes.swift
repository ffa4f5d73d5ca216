import MOCloneModel
import MOCloneSQL

/// New UUIDs and dates, and values that triggers keep.
extension Suggester {
  typealias KeptAttribute = (attribute: AttributeDescription, proofs: [TriggerProof])

  func attributeSuggestions(_ kept: [KeptAttribute]) -> [ModelDraft.Suggestion] {
    homes.flatMap { entity, table in
      entity.attributes.compactMap { attribute -> ModelDraft.Suggestion? in
        guard let stored = mapping[entity.name].attributes[attribute.name], stored.keyPart == nil,
          attribute.derivation == nil, let column = table.schema.column(stored.column)
        else { return nil }
        let rebuilt = rebuilt(attribute, column: column, entity: entity, table: table)
        return rebuilt.map { value, reason in
          ModelDraft.Suggestion(
            at: .attribute(attribute), .annotate(key: model.userInfoKeys.rebuild, value: value),
            reason: reason)
        }
      }
    } + derived(kept)
  }

  func rebuilt(
    _ attribute: AttributeDescription, column: ColumnSchema, entity: EntityDescription,
    table: DatabaseTable
  ) -> (value: String, reason: String)? {
    if let rule = renewing(attribute, of: entity) { return (rule.rawValue, "it is unique") }
    switch attribute.type {
    case .uuid where table.listed(column.name).makesUUIDs:
      return ("uuid", "the database gives each row a new one")
    case .uuid where isOwnUUID(column, table: table):
      return ("uuid", "no two rows looked at have the same")
    case .date where isDateOfChange(column, table: table) && table.listed(column.name).comparedWith.isEmpty:
      return ("now", "the clone is made then")
    default: return nil
    }
  }

  /// The rule for an attribute that is unique by itself; nil where none makes such values of its type.
  func renewing(_ attribute: AttributeDescription, of entity: EntityDescription) -> RebuildRule? {
    entity.uniquenessConstraints.contains([attribute.name]) ? RebuildRule.unique(for: attribute.type) : nil
  }

  /// Why dates of change are copied that a CHECK reads together with other columns: beside a new date these may be refused.
  var comparedDates: [ModelPath: [String]] {
    let dates = homes.flatMap { entity, table in
      entity.attributes.compactMap { attribute -> (ModelPath, [String])? in
        guard attribute.type == .date, attribute.derivation == nil,
          let stored = mapping[entity.name].attributes[attribute.name], stored.keyPart == nil,
          let column = table.schema.column(stored.column), isDateOfChange(column, table: table)
        else { return nil }
        let others = table.listed(column.name).comparedWith.map { "'\($0)'" }.joined(separator: ", ")
        guard !others.isEmpty else { return nil }
        let remark = "A CHECK reads it together with \(others), so clones keep the date."
        return (ModelPath.attribute(attribute), [remark])
      }
    }
    return Dictionary(dates, uniquingKeysWith: +)
  }

  /// Whether it is named as the UUID of the row itself, and all values differ.
  private func isOwnUUID(_ column: ColumnSchema, table: DatabaseTable) -> Bool {
    let words = NameWords(column.name)
    guard ["uuid", "guid", "uid"].contains(words.key.last ?? "") else { return false }
    let owner = words.dropping(last: 1)
    let values = table.values(of: column.name).sample
    return (owner.isEmpty || owner.key == shape.entities.one(table.id).key) && values.count > 1
      && values.count < TableSurvey.mostValues && Set(values).count == values.count
  }

  /// A date that rows lack shows no form in which the app writes it, and one that only some have, or that says what
  /// happened last beside others, is what happened to the row.
  private func isDateOfChange(_ column: ColumnSchema, table: DatabaseTable) -> Bool {
    let values = table.values(of: column.name)
    guard isNamedAsChange(column), !isHistory(table) else { return false }
    if values.hasNull, values.classes.isEmpty { return false }
    let words = Set(NameWords(column.name).key)
    if values.hasNull, words.isDisjoint(with: Self.changes) { return false }
    let last = table.schema.columns.filter { NameWords($0.name).key.contains("last") && isNamedAsChange($0) }
    return !words.contains("last") || last.count == 1
  }

  private func isNamedAsChange(_ column: ColumnSchema) -> Bool {
    let words = NameWords(column.name).key
    return !Self.changes.union(["inserted", "changed"]).isDisjoint(with: words)
  }

  private static let changes: Set<String> = [
    "created", "create", "creation", "updated", "update", "modified", "modification",
  ]

  /// Whether the rows say what was when, of something that they reference: a copy of a history keeps its dates.
  private func isHistory(_ table: DatabaseTable) -> Bool {
    Self.histories.contains(shape.entities.one(table.id).key.last ?? "")
      && shape.references.of(table.id).contains { $0.target != table.id }
  }

  private static let histories: Set<String> = [
    "event", "state", "statistic", "statistics", "stats", "log", "history", "audit", "measurement", "reading",
    "sample", "metric", "transition", "activity",
  ]

  /// Columns that a trigger writes for each new row, such as counters, where the rows that are there show it: what else
  /// a column holds would be lost.
  private func derived(_ kept: [KeptAttribute]) -> [ModelDraft.Suggestion] {
    let made = kept.filter { attribute, proofs in
      (attribute.isOptional || attribute.defaultValue != nil) && proofs.allSatisfy(holds)
    }
    return shape.contents.validator(model).keptWhole(made.map(\.attribute)).map { attribute in
      ModelDraft.Suggestion(
        at: .attribute(attribute), .derive(.trigger), reason: "a trigger writes it, as existing rows show")
    }
  }

  /// The attributes that triggers count or make, and what shows that they do nothing else.
  var keptByTriggers: [KeptAttribute] {
    shape.contents.validator(model).keptAttributes(db.dialect)
  }

  /// With an index each row that is looked at reads its members only, else all rows of the other table, which must be few.
  private static let mostProofs = 1000

  private func holds(_ proof: TriggerProof) -> Bool {
    let isLarge = shape.contents[proof.source.name.sqlName]?.hasRows(Self.mostProofs + 1) ?? true
    guard proof.isIndexed || !isLarge, let query = proof.query(Self.mostProofs), let answer = db.answer(query)
    else { return false }
    return answer[0].number > 0 && answer[1].number == 0
  }
}

extension ListedColumn {
  /// Whether its DEFAULT is PostgreSQL's or an extension's function for a random UUID.
  fileprivate var makesUUIDs: Bool {
    let names = ["gen_random_uuid(", "uuid_generate_v", "uuidv4(", "uuidv7("]
    return names.contains { (defaultValue ?? "").contains($0) }
  }
}
