import MOCloneModel

/// Tells the rows that keep a reference from those of sibling entities that keep another one in the same columns, as a
/// polymorphic reference does: `comment.subject_id` holds a post in rows of PostComment, a photo in rows of PhotoComment.
package struct ReferenceHolders: Sendable {
  let model: ObjectModel
  let mapping: SchemaMapping
  /// The references in the tables of some root entities, where they are known already.
  var known: [String: [RowReference]] = [:]
  let dialect: Dialect

  /// Leaves the other rows out.
  package func condition(_ key: ForeignKeyMapping, alias: String) -> Condition {
    guard let column = mapping[key.entity].discriminator?.column else { return .always }
    return others(than: key).map {
      dialect.different(dialect.column(alias, column), dialect.text(mapping[$0].discriminator!.value))
    }.all
  }

  /// The entities of the table that keep other references in all columns of a key.
  private func others(than key: ForeignKeyMapping) -> [String] {
    let root = model.rootEntity(of: key.entity)
    guard root != key.entity else { return [] }
    let columns = Set(key.columns.map { $0.sqlName })
    let references = known[root] ?? RowReference.all(in: root, model: model, mapping: mapping)
    let sharing = references.filter { other in
      other.key.columns.contains { columns.contains($0.sqlName) }
        && !model.isKind(other.entity, of: key.entity) && !model.isKind(key.entity, of: other.entity)
    }
    if sharing.isEmpty { return [] }
    return model.concreteEntities(of: root).filter { entity in
      !model.isKind(entity, of: key.entity)
        && columns.isSubset(
          of: references.filter { model.isKind(entity, of: $0.entity) }.flatMap(\.key.columns)
            .map { $0.sqlName })
    }
  }
}
