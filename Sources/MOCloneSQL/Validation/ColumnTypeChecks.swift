import MOCloneModel

/// Columns that would change, or do not expect, what the model writes into them.
extension StoreValidator {
  func columnsHoldTheirTypes() -> [Diagnostic] {
    attributes.compactMap { stored in
      let (use, isStrict) = (stored.use, stored.table.isStrict)
      let part = use.keyPart.map { mapping[stored.attribute.entity].key[$0] }
      // That a key has no room is a finding of its own.
      let isTold = part?.columnWithoutRoom(in: stored.table) != nil
      return isTold
        || stored.column.holds(use.type, dates: use.dates, uuids: use.uuids, isStrict: isStrict)
        ? nil : .columnType(stored, annotations: annotations(stored.attribute.userInfo))
    } + keyTypes() + referenceTypes()
  }

  /// Generated keys that no attribute names.
  private func keyTypes() -> [Diagnostic] {
    homes.flatMap { root, table in
      mapping[root.name].key.compactMap { part -> Diagnostic? in
        guard case .uuid(let form) = part.source, let column = table.column(part.column),
          part.columnWithoutRoom(in: table) == nil,
          !uses[table.name, part.column].contains(where: \.isAttribute)
        else { return nil }
        return column.holds(.uuid, uuids: form, isStrict: table.isStrict)
          ? nil : .keyType(column, of: root.name, table: table.name, form: form)
      }
    }
  }

  /// Values of another class are never equal, or are not found by an index.
  private func referenceTypes() -> [Diagnostic] {
    references.flatMap { reference -> [Diagnostic] in
      let key = reference.key
      guard let table = schema[mapping[key.entity].table], let target = schema[mapping[key.destination].table]
      else { return [] }
      return zip(key.columns, key.references).compactMap { name, referenced in
        guard let column = table.column(name), let other = target.column(referenced),
          let one = column.valueClass, let two = other.valueClass, one != two
        else { return nil }
        return .referenceType(column, table: table, other: other, target: target, at: reference.path)
      }
    }
  }

  /// Positions in a list are numbers; a text sorts 10 before 9.
  package func orderColumnsHoldNumbers() -> [Diagnostic] {
    model.entities.flatMap { entity in
      entity.relationships.compactMap { relationship -> Diagnostic? in
        guard relationship.isOrdered, let place = orderColumn(of: relationship),
          let table = schema[place.table], let column = table.column(place.column),
          ["TEXT", "BLOB"].contains(column.affinity), !column.type.isEmpty
        else { return nil }
        return .orderColumnType(column, table: table, of: relationship)
      }
    }
  }

  private func orderColumn(of relationship: RelationshipDescription) -> (table: String, column: String)? {
    switch mapping[relationship.entity].relationships[relationship.name] {
    case .inverseForeignKey(let key): key.orderColumn.map { (mapping[key.entity].table, $0) }
    case .join(let join): join.orderColumn.map { (join.table, $0) }
    default: nil
    }
  }
}

extension ColumnUses.Use {
  fileprivate var isAttribute: Bool {
    if case .attribute = self { true } else { false }
  }
}

extension RowReference {
  /// The relationship whose column it is, else the one that leads back.
  var path: ModelPath { .relationship(relationship) }

  var quoted: String { "'\(relationship.qualifiedName)'" }
}

extension ColumnSchema {
  /// Whether the column keeps what is written for an attribute as it is, and is declared for something like it.
  package func holds(
    _ type: AttributeType, dates: DateStorage = .iso8601, uuids: UUIDStorage, isStrict: Bool
  ) -> Bool {
    if let base { return TypedColumns.accepts(base, type: type, dates: dates, uuids: uuids) }
    if self.type.isEmpty || isStrict && self.type.uppercased() == "ANY" { return true }
    return Self.affinities(type, dates: dates, uuids: uuids).contains(affinity)
  }

  private static func affinities(_ type: AttributeType, dates: DateStorage, uuids: UUIDStorage) -> [String] {
    switch type {
    case .string, .uri: ["TEXT"]
    case .boolean, .integer16, .integer32, .integer64: ["INTEGER", "NUMERIC"]
    // SQLite keeps a fraction in an INTEGER column as it is; FLOATING POINT is one.
    case .double, .float: ["REAL", "NUMERIC", "INTEGER"]
    case .decimal: ["TEXT", "NUMERIC", "INTEGER"]
    case .binary, .transformable: ["BLOB", "NUMERIC"]
    case .uuid: uuids == .blob ? ["BLOB", "NUMERIC"] : ["TEXT", "NUMERIC"]
    case .date:
      switch dates {
      case .iso8601, .iso8601Seconds, .sqlite, .sqliteSeconds, .day: ["TEXT", "NUMERIC"]
      case .unix, .referenceDate: ["REAL", "NUMERIC", "INTEGER"]
      case .unixMilliseconds: ["INTEGER", "NUMERIC"]
      }
    }
  }

  /// Numbers, text or bytes; nil where nothing is declared.
  fileprivate var valueClass: String? {
    switch affinity {
    case "TEXT": "text"
    case "BLOB": type.isEmpty ? nil : base ?? "bytes"
    default: "numbers"
    }
  }
}

extension Diagnostic {
  fileprivate static func columnType(
    _ stored: StoreValidator.StoredAttribute, annotations: CloneAnnotations
  ) -> Diagnostic {
    let attribute = stored.attribute
    let form: String? =
      switch (attribute.type, stored.use.uuids) {
      case _ where stored.column.base != nil && !stored.use.isNumericDate: nil
      case (.uuid, .blob): "as 16 bytes"
      case (.uuid, _): "as text"
      case (.date, _): "as \(stored.use.dates.rawValue)"
      default: nil
      }
    // In a strict table a new value of another form is refused, while a copy is not.
    let fails = stored.table.isStrict && annotations.rebuild != nil && !annotations.isExcluded
    return Diagnostic(
      .columnType, fails ? .error : .warning, at: .attribute(attribute),
      "'\(attribute.entity).\(attribute.name)' is \(attribute.type.rawValue)\(form.map { ", stored \($0)" } ?? ""), "
        + "but its column '\(stored.column.name)' in the table '\(stored.table.name)' is \(stored.column.type)",
      help: form == nil
        ? "change 'type' to the type of the column, or change the column"
        : "set 'storage' of the attribute to the form of the column's values, or change the column")
  }

  fileprivate static func keyType(
    _ column: ColumnSchema, of entity: String, table: String, form: UUIDStorage
  ) -> Diagnostic {
    Diagnostic(
      .columnType, .warning, at: .entity(entity) / "primaryKey",
      "the key of '\(entity)' is a generated UUID, stored as \(form == .blob ? "16 bytes" : "text"), but its column "
        + "'\(column.name)' in the table '\(table)' is \(column.type)",
      help: "set 'store: {uuids: ...}' to the form of the column's values, or write another 'generate:'")
  }

  fileprivate static func referenceType(
    _ column: ColumnSchema, table: TableSchema, other: ColumnSchema, target: TableSchema,
    at path: ModelPath
  ) -> Diagnostic {
    Diagnostic(
      .columnType, .warning, at: path,
      "the column '\(column.name)' of the table '\(table.name)' is \(column.type), but it references '\(other.name)' of "
        + "the table '\(target.name)', which is \(other.type), so such values are compared without an index, if at all",
      help: "declare both columns with the same type")
  }

  fileprivate static func orderColumnType(
    _ column: ColumnSchema, table: TableSchema, of relationship: RelationshipDescription
  ) -> Diagnostic {
    Diagnostic(
      .columnType, at: .relationship(relationship),
      "the column '\(column.name)' of '\(table.name)' holds positions in '\(relationship.qualifiedName)', but its type is "
        + "\(column.type), in which 10 comes before 9",
      help: "make the column an \(column.base == nil ? "INTEGER" : "integer")")
  }
}
