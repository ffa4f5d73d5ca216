import MOCloneModel
import MOCloneSQL

/// Columns that always equal one of the row's owner whose value changes in a clone: what does not change there is as right
/// when it is copied, and stays right where later rows differ.
extension Suggester {
  /// With fewer rows, equal values may be chance.
  private static let fewestRows = 3

  /// - Parameters:
  ///   - counted: attributes that triggers make of the rows themselves, even where they equal the value of the only one.
  ///   - renewed: attributes that are made anew, where that is suggested.
  func followSuggestions(
    besides counted: [AttributeDescription], renewed: Set<ModelPath>
  ) throws -> [ModelDraft.Suggestion] {
    try shape.objectReferences.flatMap { reference -> [ModelDraft.Suggestion] in
      guard reference.target != reference.table, owning(reference) != nil,
        let child = homes.first(where: { $0.table.id == reference.table }),
        child.table.hasRows(Self.fewestRows),
        let parent = homes.first(where: { $0.table.id == reference.target })
      else { return [] }
      return try pairs(child.entity, parent: parent.entity).filter {
        try changes($1, of: parent.entity, renewed: renewed) && !counted.contains($1.attribute)
          && areEqual($0, other: $1, reference: reference)
      }.flatMap {
        suggestions($0.attribute, parent: parent.entity, followed: $1.attribute)
      }
    }
  }

  private typealias Stored = (attribute: AttributeDescription, column: AttributeColumn, words: [String])

  /// Attributes of one type, where the child's is called like the parent's, alone or with the parent's name before it.
  private func pairs(_ child: EntityDescription, parent: EntityDescription) -> [(Stored, Stored)] {
    let others = stored(parent)
    let prefix = NameWords(parent.name).key
    return stored(child).filter { $0.column.keyPart == nil }.flatMap { own in
      others.filter { other in
        own.attribute.type == other.attribute.type && [other.words, prefix + other.words].contains(own.words)
      }.map { (own, $0) }
    }
  }

  /// Whether a clone has another value than its original: a new one, or one that is given since no two may have the same.
  private func changes(_ followed: Stored, of entity: EntityDescription, renewed: Set<ModelPath>) -> Bool {
    followed.column.keyPart != nil || renewed.contains(.attribute(followed.attribute))
      || entity.uniquenessConstraints.contains([followed.attribute.name])
  }

  private func stored(_ entity: EntityDescription) -> [Stored] {
    entity.attributes.compactMap { attribute in
      guard attribute.derivation == nil,
        ![.boolean, .date, .binary, .transformable].contains(attribute.type)
      else { return nil }
      return mapping[entity.name].attributes[attribute.name].map {
        (attribute, $0, NameWords(attribute.name).key)
      }
    }
  }

  private func areEqual(_ own: Stored, other: Stored, reference: TableReference) throws -> Bool {
    guard let table = shape.contents[reference.table], let target = shape.contents[reference.target] else {
      return false
    }
    let dialect = db.dialect
    let on = zip(reference.columns, reference.references).map {
      "\(dialect.column("c", $0)) = \(dialect.column("p", $1))"
    }
    let (a, b) = (dialect.column("c", own.column.column), dialect.column("p", other.column.column))
    let row = db.answer(
      "SELECT count(*), count(DISTINCT \(a)), coalesce(min(CASE WHEN \(a) \(dialect.comparisons.same) \(b) THEN 1 ELSE 0 END), 0) "
        + "FROM (SELECT * FROM \(dialect.table(table.schema.name)) LIMIT \(TableSurvey.mostValues)) c JOIN "
        + "\(dialect.table(target.schema.name)) p ON \(on.joined(separator: " AND "))")
    guard let row else { return false }
    return row[0].number >= Self.fewestRows && row[1].number > 1 && row[2].number == 1
  }

  private func suggestions(
    _ attribute: AttributeDescription, parent: EntityDescription, followed: AttributeDescription
  ) -> [ModelDraft.Suggestion] {
    let keys = model.userInfoKeys
    let reason = "it equals '\(followed.name)' of its \(parent.name) in all rows looked at"
    return [
      ModelDraft.Suggestion(
        at: .attribute(attribute),
        .annotate(key: keys.followParent, value: "\(parent.name).\(followed.name)"), reason: reason),
      ModelDraft.Suggestion(
        at: .attribute(attribute), .annotate(key: keys.withoutParent, value: "keep"),
        reason: "a clone without its \(parent.name) keeps the value"),
    ]
  }
}
