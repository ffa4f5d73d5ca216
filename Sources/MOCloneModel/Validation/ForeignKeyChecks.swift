/// The columns that relationships name.
extension ModelChecks {
  func foreignKeysLieOnOneSide() -> [Diagnostic] {
    soundRelationships.compactMap { relationship in
      guard !relationship.columns.isEmpty, let inverse = sound.inverse(of: relationship) else { return nil }
      if relationship.isToMany { return .columnOnToMany(relationship, inverse: inverse) }
      let isSecond = relationship.qualifiedName > inverse.qualifiedName
      return isSecond && !inverse.isToMany && !inverse.columns.isEmpty
        ? .twoForeignKeys(relationship, inverse: inverse) : nil
    }
  }

  func foreignKeysMatchTheirKeys() -> [Diagnostic] {
    writtenForeignKeys().compactMap { relationship, target in
      let given = relationship.columns
      let key = mapping[target].keyColumns
      if given.allSatisfy({ $0.references != nil }) { return nil }
      return given.count == key.count
        ? nil : .foreignKeyColumns(relationship, count: given.count, target: target, key: key)
    }
  }

  func referencedColumnsAreUnique() -> [Diagnostic] {
    writtenForeignKeys().flatMap { relationship, target -> [Diagnostic] in
      let written = relationship.columns.compactMap(\.references)
      if written.isEmpty { return [] }
      let unique = uniqueColumns(of: target)
      let key = mapping[target].keyColumns
      let columns = Set(
        relationship.columns.enumerated().compactMap { i, column in
          (column.references ?? (i < key.count ? key[i] : nil))?.sqlName
        })
      let named = namedColumns(of: target)
      if unique.contains(where: { columns.isSuperset(of: $0) }), columns.isSubset(of: named) { return [] }
      let alone = Set(unique.filter { $0.count == 1 }.flatMap { $0 })
      let wrong = written.filter { !alone.contains($0.sqlName) }
      return wrong.map { .referenceNotUnique(relationship, column: $0, target: target) }
    }
  }

  /// The relationships whose own columns count, and the entity that those columns reference.
  private func writtenForeignKeys() -> [(RelationshipDescription, target: String)] {
    soundRelationships.filter { !$0.columns.isEmpty }.compactMap { relationship in
      if !relationship.isToMany { return (relationship, relationship.destination) }
      return relationship.inverse == nil ? (relationship, relationship.entity) : nil
    }
  }

  /// The sets of columns that tell the rows of an entity apart: its key, and each uniqueness constraint.
  private func uniqueColumns(of entity: String) -> [Set<String>] {
    let home = mapping[entity]
    let constraints = sound.lineage(of: entity).compactMap { sound.entity($0) }.flatMap(
      \.uniquenessConstraints)
    let columns = constraints.map { $0.flatMap(home.columns) }
    return ([home.keyColumns] + columns).filter { !$0.isEmpty }.map { Set($0.map { $0.sqlName }) }
  }

  /// The columns that the model names in rows of an entity.
  private func namedColumns(of entity: String) -> Set<String> {
    let home = mapping[entity]
    let columns = home.keyColumns + home.attributes.values.map(\.column)
    return Set((columns + home.foreignKeys.flatMap(\.key.columns)).map { $0.sqlName })
  }

  func orderColumnsBelongToOrderedRelationships() -> [Diagnostic] {
    soundRelationships.compactMap { relationship in
      // An ordered to-one is another finding.
      guard !relationship.isOrdered else { return nil }
      if relationship.orderColumn != nil { return .orderColumn(relationship, at: ["orderColumn"]) }
      return relationship.joinTable?.orderColumn == nil
        ? nil : .orderColumn(relationship, at: ["joinTable", "orderColumn"])
    }
  }
}

extension Diagnostic {
  static func columnOnToMany(
    _ relationship: RelationshipDescription, inverse: RelationshipDescription
  ) -> Diagnostic {
    Diagnostic(
      .columnOnToMany, at: .relationship(relationship) / "column",
      "\(relationship.quoted) is to-many and has an inverse, so it has no column of its own",
      notes: [Note("the other side", at: .relationship(inverse))],
      help: inverse.isToMany
        ? "name the columns of the join table by 'joinTable'" : "write 'column' at \(inverse.quoted)")
  }

  static func twoForeignKeys(
    _ relationship: RelationshipDescription, inverse: RelationshipDescription
  ) -> Diagnostic {
    Diagnostic(
      .twoForeignKeys, at: .relationship(relationship) / "column",
      "\(relationship.quoted) and its inverse \(inverse.quoted) both name a column, but one foreign key is enough",
      notes: [Note("the other side", at: .relationship(inverse) / "column")],
      help: "keep 'column' on the side whose table has the foreign key")
  }

  static func foreignKeyColumns(
    _ relationship: RelationshipDescription, count: Int, target: String, key: [String]
  ) -> Diagnostic {
    let parts = key.map { "'\($0)'" }.joined(separator: ", ")
    return Diagnostic(
      .foreignKeyColumns, at: .relationship(relationship) / "column",
      "\(relationship.quoted) names \(count) column\(count == 1 ? "" : "s"), but the key of '\(target)' has "
        + "\(key.count): \(parts)",
      notes: [Note("the key", at: .entity(target) / "primaryKey")],
      help: "name one column for each part of the key, or the unique column each one 'references'")
  }

  static func referenceNotUnique(
    _ relationship: RelationshipDescription, column: String, target: String
  ) -> Diagnostic {
    Diagnostic(
      .referenceNotUnique, at: .relationship(relationship) / "column",
      "\(relationship.quoted) references the column '\(column)' of '\(target)', which is neither its key nor "
        + "unique, alone or with the other columns",
      notes: [Note("the entity", at: .entity(target))],
      help: "add its attribute to 'uniquenessConstraints' of '\(target)', or reference the whole key")
  }

  static func orderColumn(_ relationship: RelationshipDescription, at keys: [String]) -> Diagnostic {
    Diagnostic(
      .orderColumnWithoutOrder, at: keys.reduce(.relationship(relationship)) { $0 / $1 },
      "\(relationship.quoted) names an order column, but it is not ordered",
      help: "add 'ordered: true', or remove 'orderColumn'",
      edits: [
        .set(.relationship(relationship) / "ordered", "true"),
        .remove(keys.reduce(.relationship(relationship)) { $0 / $1 }),
      ])
  }
}
