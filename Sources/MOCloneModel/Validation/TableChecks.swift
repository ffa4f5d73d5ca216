/// Tables, columns and keys that are used more than once.
extension ModelChecks {
  func tablesAreNotShared() -> [Diagnostic] {
    var owners: [String: String] = [:]
    return entities.compactMap { entity in
      guard sound.rootEntity(of: entity.name) == entity.name, isComplete(entity.name) else { return nil }
      let table = mapping[entity.name].table
      guard let first = owners[table.sqlName] else {
        owners[table.sqlName] = entity.name
        return nil
      }
      return .sharedTable(table, first: first, second: entity.name)
    }
  }

  func columnsAreNotShared() -> [Diagnostic] {
    columnClaims().flatMap { root, claims -> [Diagnostic] in
      let columns = claims.map { $0.column.sqlName }
      if Set(columns).count == columns.count { return [] }
      let keyColumns = Set(mapping[root].keyColumns.map(\.sqlName))
      var taken: [String: TakenColumn] = [:]
      return zip(claims, columns).compactMap { claim, column -> Diagnostic? in
        let lineage = sound.lineage(of: claim.entity)
        defer { taken[column, default: TakenColumn()].add(claim, lineage: lineage) }
        let first = taken[column]?.conflict(with: claim, lineage: lineage) {
          mayShare(claim, $0, onKeyColumn: keyColumns.contains(column))
        }
        return first.map { .sharedColumn($0, claim, table: mapping[root].table) }
      }
    }
  }

  private func mayShare(_ a: ColumnClaim, _ b: ColumnClaim, onKeyColumn: Bool) -> Bool {
    let areSiblings = !sound.isKind(a.entity, of: b.entity) && !sound.isKind(b.entity, of: a.entity)
    return a.mayShare(with: b, onKeyColumn: onKeyColumn, areSiblings: areSiblings)
  }

  func keysAreSound() -> [Diagnostic] {
    entities.compactMap { entity in
      if let twice = entity.primaryKey.firstRepetition(by: { $0.column.sqlName }) {
        return .keyColumnTwice(twice.column, of: entity.name)
      }
      let counted = entity.primaryKey.filter { $0.generate == .max }
      if counted.count > 1 { return .severalCounted(counted.map(\.column), of: entity.name) }
      if let finding = entity.primaryKey.lazy.compactMap({ failure(ofGenerating: $0, entity.name) }).first {
        return finding
      }
      guard entity.primaryKey.count > 1 else { return nil }
      return entity.primaryKey.first { $0.generate == .rowid }.map { .rowidInKey($0.column, of: entity.name) }
    }
  }

  /// A key that is generated in another type than that of the attribute on its column.
  private func failure(ofGenerating part: KeyColumn, _ entity: String) -> Diagnostic? {
    guard let generate = part.generate, generate != .none else { return nil }
    let attribute = sound.attributes(of: entity).first {
      mapping[entity].attributes[$0.name]?.column.sqlName == part.column.sqlName
    }
    return attribute.flatMap {
      generate.fits($0.type) ? nil : .generatedType(part.column, generate: generate, attribute: $0)
    }
  }
}

extension KeyGeneration {
  /// Whether an attribute of a type can hold what is generated; a UUID may be held as a string or as bytes.
  fileprivate func fits(_ type: AttributeType) -> Bool {
    switch self {
    case .rowid, .max: type.isInteger
    case .uuid: [.uuid, .string, .binary].contains(type)
    case .none: true
    }
  }
}

extension Diagnostic {
  static func sharedTable(_ table: String, first: String, second: String) -> Diagnostic {
    Diagnostic(
      .sharedTable, at: .entity(second) / "table", "'\(second)' and '\(first)' both use the table '\(table)'",
      notes: [Note("the other entity", at: .entity(first) / "table")],
      help: "give one of them another 'table:', or make one the other's 'parent'")
  }

  static func sharedColumn(_ first: ColumnClaim, _ second: ColumnClaim, table: String) -> Diagnostic {
    Diagnostic(
      .sharedColumn, at: second.path,
      "\(second.owner) and \(first.owner) both use the column '\(second.column)' of the table '\(table)'",
      notes: [Note("the other use of the column", at: first.path)],
      help: second.kind == .order || first.kind == .order
        ? "name another column by 'orderColumn:'" : "give one of them another name by 'column:'")
  }

  static func keyColumnTwice(_ column: String, of entity: String) -> Diagnostic {
    Diagnostic(
      .invalidPrimaryKey, at: .entity(entity) / "primaryKey",
      "the primary key of '\(entity)' names the column '\(column)' more than once",
      help: "name each column once")
  }

  static func rowidInKey(_ column: String, of entity: String) -> Diagnostic {
    Diagnostic(
      .invalidPrimaryKey, at: .entity(entity) / "primaryKey",
      "'\(column)' cannot be a rowid: the primary key of '\(entity)' has several columns",
      help: "make it the only column of the key, or write 'generate: max' to count within the other columns")
  }

  static func severalCounted(_ columns: [String], of entity: String) -> Diagnostic {
    Diagnostic(
      .invalidPrimaryKey, at: .entity(entity) / "primaryKey",
      "the primary key of '\(entity)' counts several columns: \(columns.map { "'\($0)'" }.joined(separator: ", "))",
      help: "write 'generate: max' at one column; it is counted within the others")
  }

  static func generatedType(
    _ column: String, generate: KeyGeneration, attribute: AttributeDescription
  ) -> Diagnostic {
    let isUUID = generate == .uuid
    return Diagnostic(
      .invalidPrimaryKey, at: .entity(attribute.entity) / "primaryKey",
      "'generate: \(generate.rawValue)' \(isUUID ? "makes UUIDs" : "counts integers"), but \(attribute.quoted) on the "
        + "column '\(column)' is \(attribute.type.rawValue)",
      notes: [Note("the attribute", at: .attribute(attribute))],
      help: "make the attribute \(isUUID ? "a UUID" : "an Integer"), or use another 'generate:'")
  }
}
