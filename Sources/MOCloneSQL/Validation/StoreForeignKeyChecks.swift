import MOCloneModel

/// Foreign keys of the database beside the model's relationships.
extension StoreValidator {
  /// A foreign key that the model has, and the columns it is in.
  package struct ExpectedKey {
    package var path: ModelPath
    var quoted: String
    package var table: TableSchema
    package var columns: [String]
    var target: String
    var references: [String]
    var backward: RelationshipDescription?
    /// Whether SQL cannot declare it, since sibling entities keep references to something else there.
    var isDivided = false
  }

  /// Those of rows, then those of join tables; of two relationships over the same columns the first counts.
  package var expectedKeys: [ExpectedKey] {
    let own = references.compactMap { reference -> ExpectedKey? in
      guard let table = schema[mapping[reference.key.entity].table] else { return nil }
      return ExpectedKey(
        path: reference.path, quoted: reference.quoted, table: table, columns: reference.key.columns,
        target: mapping[reference.key.destination].table, references: reference.key.references,
        backward: reference.backward, isDivided: reference.isDivided(among: references, model))
    }
    let pairs = joins.flatMap { relationship, join, table -> [ExpectedKey] in
      let ends = [
        (join.columns, relationship.entity, join.references),
        (join.destinationColumns, relationship.destination, join.destinationReferences),
      ]
      return ends.map { columns, entity, references in
        ExpectedKey(
          path: .relationship(relationship), quoted: "'\(relationship.qualifiedName)'", table: table,
          columns: columns, target: mapping[entity].table, references: references)
      }
    }
    var seen: Set<[String]> = []
    return (own + pairs).filter { key in
      key.columns.allSatisfy { key.table.column($0) != nil }
        && seen.insert([key.table.name.sqlName, key.target.sqlName] + key.columns.map(\.sqlName))
          .inserted
    }
  }

  func foreignKeysAgree() -> [Diagnostic] {
    // Core Data declares none, and keeps the references itself.
    if schema.coreData != nil { return [] }
    return expectedKeys.compactMap { key in
      let declared = key.table.foreignKeys.filter { $0.isOn(key.columns) }
      if key.isDivided && declared.isEmpty { return nil }
      guard let first = declared.first else { return .missingForeignKey(key, dialect: dialect) }
      guard declared.contains(where: { agrees($0, key: key) }) else {
        return .foreignKeyMismatch(first, key: key)
      }
      let isUnique = schema[key.target]?.isUniqueKey(key.references)
      return isUnique == false ? .referencesNothingUnique(key, dialect: dialect) : nil
    }
  }

  private func agrees(_ declared: ForeignKeySchema, key: ExpectedKey) -> Bool {
    guard declared.table.sqlName == key.target.sqlName else { return false }
    // A target that does not exist is another finding.
    guard let references = declared.referenced(in: schema) else { return true }
    return declared.leads(from: key.columns, to: key.references, by: references)
  }

  /// A database that deletes what the model keeps, or keeps what the model deletes.
  func deleteActionsAgree() -> [Diagnostic] {
    expectedKeys.compactMap { key in
      guard let backward = key.backward,
        let declared = key.table.foreignKey(on: key.columns)
      else { return nil }
      let disagrees =
        switch declared.onDelete {
        case "CASCADE": backward.deleteRule != .cascade
        case "SET NULL", "SET DEFAULT": backward.deleteRule == .cascade || backward.deleteRule == .deny
        // What only refuses leaves the deletion to the model.
        default: false
        }
      return disagrees ? .deleteAction(declared, relationship: backward, table: key.table) : nil
    }
  }

  // MARK: References that the model does not know

  /// Foreign keys into tables of the model that are no relationship: rows keep pointing at the original.
  func otherReferences() -> [Diagnostic] {
    let known = Dictionary(grouping: expectedKeys) { $0.table.name }
    // A table that the model misspells is missing under its name, and said there.
    let isNamed = !uses.lacksTable(schema)
    // So is a column that the model misspells, whose reference has no name then.
    let misnamed = Set(
      joins.filter { _, join, table in
        (join.columns + join.destinationColumns).contains { table.column($0) == nil }
      }.map(\.2.name))
    let tables = schema.names.compactMap { schema[$0] }.filter {
      (isNamed || uses.contains($0.name)) && !misnamed.contains($0.name)
    }
    return tables.flatMap { table in
      table.foreignKeys.filter { declared in
        uses.contains(declared.table) && known[table.name]?.contains { declared.isOn($0.columns) } != true
      }.map { unknownReference($0, table: table) }
    }
  }

  /// Whether what a foreign key references is unique; else no clone can keep or break it.
  private func isEnforceable(_ declared: ForeignKeySchema) -> Bool {
    guard let target = schema[declared.table] else { return true }
    guard let references = declared.referenced(in: schema) else { return false }
    return target.isUniqueKey(references)
  }

  private func unknownReference(_ declared: ForeignKeySchema, table: TableSchema) -> Diagnostic {
    let destination = homes.first { $0.table.name.sqlName == declared.table.sqlName }
    let owner = homes.first { $0.table.name == table.name }.map { ModelPath.entity($0.root.name) } ?? .model
    let target = destination?.root.name
    let columns = declared.columns.map { "'\($0)'" }.joined(separator: ", ")
    guard isEnforceable(declared) else {
      return .unenforceable(declared, table: table, at: owner)
    }
    if destination == nil, let join = joins.first(where: { $0.2.name.sqlName == declared.table.sqlName }) {
      return .referenceToJoin(at: .relationship(join.0), table: table, columns: columns, join: join.2)
    }
    guard uses.contains(table.name) else {
      return .unknownTable(table, columns: columns, target: target ?? declared.table)
    }
    let form = declared.form(key: destination.map { mapping[$0.root.name].keyColumns }, destination?.table)
    for case .attribute(let attribute) in declared.columns.flatMap({ uses[table.name, $0] }) {
      return .unknownReference(
        at: .attribute(attribute), "'\(attribute.entity).\(attribute.name)' is an attribute", table: table,
        columns: columns, target: target ?? declared.table, form: form)
    }
    return .unknownReference(
      at: owner, "the model does not name it", table: table, columns: columns,
      target: target ?? declared.table, form: form)
  }
}

extension TableSchema {
  /// Whether the table keeps rows apart by just these columns.
  fileprivate func isUniqueKey(_ columns: [String]) -> Bool {
    uniqueColumns.contains { Set($0.map(\.sqlName)) == Set(columns.map(\.sqlName)) }
  }
}

extension ForeignKeySchema {
  /// What a model writes at 'column' of the relationship that is this foreign key.
  ///
  /// - Parameter key: the columns of the destination's key, which need not be named where they are referenced.
  fileprivate func form(key: [String]?, _ destination: TableSchema?) -> String {
    let references = destination.map { self.references(in: $0) } ?? self.references
    if key.map({ $0.map(\.sqlName) == references.map(\.sqlName) }) != false
      || references.count != columns.count
    {
      return columns.count == 1 ? columns[0] : "[\(columns.joined(separator: ", "))]"
    }
    return "[" + zip(columns, references).map { "{column: \($0), references: \($1)}" }.joined(separator: ", ")
      + "]"
  }
}

extension Diagnostic {
  fileprivate static func missingForeignKey(
    _ key: StoreValidator.ExpectedKey, dialect: Dialect
  ) -> Diagnostic {
    let columns = key.columns.map(dialect.name).list
    return Diagnostic(
      .missingForeignKey, at: key.path,
      "the table '\(key.table.name)' declares no foreign key for \(key.quoted), so the database does not "
        + "prevent dangling references",
      help: "declare FOREIGN KEY (\(columns)) REFERENCES \(dialect.newTable(key.target)) "
        + "(\(key.references.map(dialect.name).list)) in the table")
  }

  fileprivate static func foreignKeyMismatch(
    _ declared: ForeignKeySchema, key: StoreValidator.ExpectedKey
  ) -> Diagnostic {
    let found = declared.references.isEmpty ? "" : " (\(declared.references.joined(separator: ", ")))"
    return Diagnostic(
      .foreignKeyMismatch, at: key.path,
      "\(key.quoted) has keys of the table '\(key.target)' (\(key.references.joined(separator: ", "))), but the table "
        + "'\(key.table.name)' declares that (\(declared.columns.joined(separator: ", "))) references "
        + "'\(declared.table)'\(found)",
      help:
        "change 'destination', or name the referenced columns by 'column: [{column: ..., references: ...}]'")
  }

  fileprivate static func referencesNothingUnique(
    _ key: StoreValidator.ExpectedKey, dialect: Dialect
  ) -> Diagnostic {
    let columns = key.references.map(dialect.name).list
    let name = dialect.name("\(key.target)_unique_" + key.references.joined(separator: "_"))
    return Diagnostic(
      .foreignKeyMismatch, at: key.path,
      "the foreign key of \(key.quoted) references (\(key.references.joined(separator: ", "))) of the table "
        + "'\(key.target)', which is not unique there, so SQLite refuses every write",
      help: "CREATE UNIQUE INDEX \(name) ON \(dialect.newTable(key.target)) (\(columns))")
  }

  fileprivate static func deleteAction(
    _ declared: ForeignKeySchema, relationship: RelationshipDescription, table: TableSchema
  ) -> Diagnostic {
    let rule =
      switch declared.onDelete {
      case "CASCADE": "cascade"
      default: "nullify"
      }
    return Diagnostic(
      .deleteAction, at: .relationship(relationship) / "deleteRule",
      "the delete rule of '\(relationship.qualifiedName)' is \(relationship.deleteRule.rawValue), but the table "
        + "'\(table.name)' declares ON DELETE \(declared.onDelete)",
      help: "write 'deleteRule: \(rule)' if the database is right")
  }

  fileprivate static func unenforceable(
    _ declared: ForeignKeySchema, table: TableSchema, at path: ModelPath
  ) -> Diagnostic {
    let columns = declared.columns.map { "'\($0)'" }.joined(separator: ", ")
    return Diagnostic(
      .foreignKeyMismatch, .warning, at: path,
      "the foreign key on \(columns) of the table '\(table.name)' references columns of '\(declared.table)' that are not "
        + "unique, so SQLite refuses writes to both tables where foreign keys are enforced",
      help: "create a unique index on the referenced columns, or remove the foreign key")
  }

  fileprivate static func unknownTable(_ table: TableSchema, columns: String, target: String) -> Diagnostic {
    Diagnostic(
      .unknownReference, at: .entity(target),
      "the table '\(table.name)' references '\(target)' by \(columns), but the model does not have it, so its "
        + "rows are not copied with their '\(target)'",
      help: "add an entity with 'table: \(table.name)' if its rows should be copied")
  }

  fileprivate static func referenceToJoin(
    at path: ModelPath, table: TableSchema, columns: String, join: TableSchema
  ) -> Diagnostic {
    Diagnostic(
      .unknownReference, at: path,
      "the table '\(table.name)' references the join table '\(join.name)' by \(columns), and no relationship leads to "
        + "rows of a join table, so its rows are not copied with those of '\(join.name)'",
      help:
        "in place of the join table, write an entity with 'table: \(join.name)' and a to-one relationship to each "
        + "side, as a new `moclone model import` of the database has it")
  }

  fileprivate static func unknownReference(
    at path: ModelPath, _ why: String, table: TableSchema, columns: String, target: String,
    form: String
  ) -> Diagnostic {
    Diagnostic(
      .unknownReference, at: path,
      "\(columns) of the table '\(table.name)' references '\(target)', but \(why), so a clone still references the "
        + "original's '\(target)'",
      help: "make it a relationship to '\(target)' with 'column: \(form)'")
  }
}
