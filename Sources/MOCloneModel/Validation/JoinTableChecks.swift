/// The join tables of many-to-many relationships.
extension ModelChecks {
  func joinTablesJoinToManyRelationships() -> [Diagnostic] {
    soundRelationships.filter { $0.joinTable != nil && !$0.isToMany }.map { .joinTableOnToOne($0) }
  }

  func joinTablesAgree() -> [Diagnostic] {
    soundRelationships.compactMap { relationship in
      guard let own = relationship.joinTable, let inverse = sound.inverse(of: relationship),
        let other = inverse.joinTable, relationship.qualifiedName > inverse.qualifiedName
      else { return nil }
      let agree =
        Self.agree(own.table.map { [model.store.table($0)] }, other.table.map { [model.store.table($0)] })
        && Self.agree(own.columns, other.inverseColumns) && Self.agree(own.inverseColumns, other.columns)
      return agree ? nil : .joinTableMismatch(relationship, inverse: inverse)
    }
  }

  private static func agree(_ a: [String]?, _ b: [String]?) -> Bool {
    guard let a, let b, !a.isEmpty, !b.isEmpty else { return true }
    return a.map(\.sqlName) == b.map(\.sqlName)
  }

  func joinColumnsDiffer() -> [Diagnostic] {
    joins().compactMap { relationship, join in
      if join.columns.count != join.references.count
        || join.destinationColumns.count != join.destinationReferences.count
      {
        return .joinColumnCount(relationship, join: join)
      }
      return columnTwice(in: join).map {
        .joinColumnTwice(
          relationship, column: $0,
          isAtDestination: join.destinationColumns.map(\.sqlName).contains($0.sqlName))
      }
    }
  }

  /// Both ends may share some columns, as those of one tenant do, where each has a column of its own.
  private func columnTwice(in join: JoinTableMapping) -> String? {
    let ends = [join.columns, join.destinationColumns].map { Set($0.map { $0.sqlName }) }
    let shared = ends[0].intersection(ends[1])
    let mayShare = ends.allSatisfy { !shared.isSuperset(of: $0) }
    let orders = [join.orderColumn, join.inverseOrderColumn].compactMap { $0 }
    let apart = join.destinationColumns.filter { !mayShare || !shared.contains($0.sqlName) }
    return [join.columns, join.destinationColumns, join.columns + apart + orders].lazy
      .compactMap { $0.firstRepetition { $0.sqlName } }.first
  }

  func joinTablesAreNotShared() -> [Diagnostic] {
    var owners: [String: [(RelationshipDescription, Set<String>)]] = [:]
    var tables: [String: String] = [:]
    for entity in entities {
      tables[mapping[entity.name].table.sqlName] = sound.rootEntity(of: entity.name)
    }
    return joins().compactMap { relationship, join in
      let table = join.table.sqlName
      if let entity = tables[table] {
        return .joinTableOfEntity(relationship, table: join.table, entity: entity)
      }
      let columns = Set((join.columns + join.destinationColumns).map(\.sqlName))
      defer { owners[table, default: []].append((relationship, columns)) }
      return owners[table]?.first { $0.1 == columns }
        .map { .sharedJoinTable(join.table, first: $0.0, second: relationship) }
    }
  }

  /// Each join table once, seen from the side that describes it, else from the one that is first by name.
  private func joins() -> [(RelationshipDescription, JoinTableMapping)] {
    soundRelationships.compactMap { relationship in
      guard relationship.isToMany,
        case .join(let join) = mapping[relationship.entity].relationships[relationship.name]
      else { return nil }
      if let inverse = sound.inverse(of: relationship), inverse.isToMany {
        let isDescribed = relationship.joinTable != nil
        let isFirst = relationship.qualifiedName < inverse.qualifiedName
        guard isDescribed != (inverse.joinTable != nil) ? isDescribed : isFirst else { return nil }
      }
      return (relationship, join)
    }
  }
}

extension Diagnostic {
  static func joinTableOnToOne(_ relationship: RelationshipDescription) -> Diagnostic {
    Diagnostic(
      .joinTableOnToOne, at: .relationship(relationship) / "joinTable",
      "\(relationship.quoted) is to-one, so it needs no join table",
      help: "name its foreign key by 'column', or write 'joinTable' at a to-many relationship")
  }

  static func joinTableMismatch(
    _ relationship: RelationshipDescription, inverse: RelationshipDescription
  ) -> Diagnostic {
    Diagnostic(
      .joinTableMismatch, at: .relationship(relationship) / "joinTable",
      "\(relationship.quoted) and its inverse \(inverse.quoted) describe different join tables",
      notes: [Note("the other side", at: .relationship(inverse) / "joinTable")],
      help: "describe the table on one side only")
  }

  static func joinColumnCount(_ relationship: RelationshipDescription, join: JoinTableMapping) -> Diagnostic {
    let key = join.columns.count == join.references.count ? "inverseColumn" : "column"
    return Diagnostic(
      .joinColumns, at: .relationship(relationship) / "joinTable" / key,
      "the join table of \(relationship.quoted) needs \(join.references.count) column(s) for "
        + "'\(relationship.entity)' and \(join.destinationReferences.count) for '\(relationship.destination)', "
        + "one for each part of the key",
      help: "name them by 'joinTable: {column: ..., inverseColumn: ...}'")
  }

  static func joinColumnTwice(
    _ relationship: RelationshipDescription, column: String, isAtDestination: Bool
  ) -> Diagnostic {
    Diagnostic(
      .joinColumns,
      at: .relationship(relationship) / "joinTable" / (isAtDestination ? "inverseColumn" : "column"),
      "the join table of \(relationship.quoted) uses the column '\(column)' more than once",
      help: "name different columns by 'joinTable: {column: ..., inverseColumn: ...}'")
  }

  static func joinTableOfEntity(
    _ relationship: RelationshipDescription, table: String, entity: String
  ) -> Diagnostic {
    Diagnostic(
      .sharedTable, at: .relationship(relationship) / "joinTable" / "table",
      "the join table of \(relationship.quoted) is '\(table)', which is already the table of '\(entity)'",
      notes: [Note("the entity", at: .entity(entity))],
      help: "name another table by 'joinTable: {table: ...}'")
  }

  static func sharedJoinTable(
    _ table: String, first: RelationshipDescription, second: RelationshipDescription
  ) -> Diagnostic {
    Diagnostic(
      .sharedJoinTable, at: .relationship(second) / "joinTable" / "table",
      "\(second.quoted) and \(first.quoted) both use the same columns of the join table '\(table)'",
      notes: [Note("the other relationship", at: .relationship(first) / "joinTable" / "table")],
      help: "name another table for one of them by 'joinTable: {table: ...}'")
  }
}
