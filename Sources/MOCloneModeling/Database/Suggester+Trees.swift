import MOCloneModel
import MOCloneSQL

/// References within a table that lead to rows of other owners.
extension Suggester {
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
}
