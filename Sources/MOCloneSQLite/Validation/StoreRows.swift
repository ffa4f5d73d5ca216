import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What the rows of a store show beside its schema.
struct StoreRows {
  let db: Database
  let validator: StoreValidator

  func findings() throws -> [Diagnostic] {
    try refusedInserts() + nullKeys() + nulls() + violations() + unknownDiscriminators() + malformedValues()
      + validator.orderColumnsHoldNumbers() + checkedDefaults()
  }

  // MARK: Inserts

  /// Tables into which the connection cannot insert.
  private func refusedInserts() throws -> [Diagnostic] {
    if validator.schema.coreData != nil { try CoreDataFunctions(db: db).register() }
    let places =
      validator.homes.map { ($0.table, ModelPath.entity($0.root.name)) }
      + validator.joins.map { ($0.2, ModelPath.relationship($0.0)) }
    var seen: Set<String> = []
    return try places.compactMap { table, path in
      guard seen.insert(table.name).inserted,
        let obstacle = try InsertObstacle(insertingInto: table, in: db)
      else { return nil }
      return Diagnostic(.insertRefused, at: path, obstacle.message, help: obstacle.help)
    }
  }

  // MARK: Nulls

  private func nullKeys() throws -> [Diagnostic] {
    try validator.homes.flatMap { root, table in
      try table.nullable(validator.mapping[root.name].keyColumns).compactMap { column -> Diagnostic? in
        let condition = "\(Dialect.sqlite.name(column)) IS NULL"
        let count = try Int.fetchOne(
          db, sql: "SELECT count(*) FROM \(Dialect.sqlite.table(table.name)) WHERE \(condition)")
        guard let count, count > 0 else { return nil }
        return .nullKey(root.name, column: column, count: count, table: table.name)
      }
    }
  }

  /// One reading of each table.
  private func nulls() throws -> [Diagnostic] {
    let tables = Dictionary(grouping: validator.nullableRequirements) { $0.table.name }
    return try tables.sorted { $0.key < $1.key }.flatMap { table, requirements -> [Diagnostic] in
      let counts = requirements.map { "sum(\(condition($0)))" }
      let row = try Row.fetchOne(db, sql: "SELECT \(counts.list) FROM \(Dialect.sqlite.table(table))")
      return try requirements.enumerated().compactMap { place, requirement in
        guard let count: Int = row?[place], count > 0 else { return nil }
        return .requiredNull(
          requirement, count: count, key: try firstKey(requirement.table, where: condition(requirement)))
      }
    }
  }

  /// Rows of other entities of the table have no value here.
  private func condition(_ requirement: StoreValidator.Requirement) -> String {
    let isNull = "\(Dialect.sqlite.name(requirement.column)) IS NULL"
    let homes = validator.model.concreteEntities(of: requirement.entity).compactMap {
      validator.mapping[$0].discriminator
    }
    guard let column = homes.first?.column else { return isNull }
    return
      "(\(Dialect.sqlite.name(column)) IN (\(homes.map { Dialect.sqlite.text($0.value) }.list)) AND \(isNull))"
  }

  private func firstKey(_ table: TableSchema, where condition: String) throws -> String {
    let key = table.primaryKey
    guard !key.isEmpty else { return "a row without a key" }
    let row = try Row.fetchOne(
      db,
      sql:
        "SELECT \(key.map(Dialect.sqlite.name).list) FROM \(Dialect.sqlite.table(table.name)) WHERE \(condition) LIMIT 1"
    )
    let values = row.map { Array($0.databaseValues) } ?? []
    return zip(key, values).map { "\($0) \($1.sqlLiteral)" }.joined(separator: ", ")
  }

  // MARK: Foreign keys

  /// Counted by table and foreign key, with the keys of the first rows.
  private func violations() throws -> [Diagnostic] {
    try validator.schema.names.compactMap { validator.schema[$0] }.filter { !$0.foreignKeys.isEmpty }
      .flatMap { table -> [Diagnostic] in
        // SQLite cannot look where the referenced columns are not unique, which is another finding.
        let broken = try? Row.fetchAll(
          db,
          sql:
            "SELECT fkid, parent, count(*) AS count FROM pragma_foreign_key_check(?, 'main') GROUP BY fkid, parent",
          arguments: [table.name])
        return try (broken ?? []).map { try violation($0, table) }
      }
  }

  private func violation(_ row: Row, _ table: TableSchema) throws -> Diagnostic {
    let columns = try String.fetchAll(
      db, sql: "SELECT \"from\" FROM pragma_foreign_key_list(?, 'main') WHERE id = ? ORDER BY seq",
      arguments: [table.name, row["fkid"] as Int])
    let key = validator.expectedKeys.first { $0.table.name == table.name && Set($0.columns) == Set(columns) }
    let entity = validator.homes.first { $0.table.name == table.name }?.root.name
    let first = try firstRows(table, fkid: row["fkid"])
    return .foreignKeyViolation(
      table.name, columns, parent: row["parent"], count: row["count"], first: first,
      at: key?.path ?? entity.map { .entity($0) } ?? .model)
  }

  /// A table without rowid does not tell which rows they are.
  private func firstRows(_ table: TableSchema, fkid: Int) throws -> [String] {
    let rows = try Int64?.fetchAll(
      db, sql: "SELECT rowid FROM pragma_foreign_key_check(?, 'main') WHERE fkid = ? LIMIT 3",
      arguments: [table.name, fkid])
    return try rows.compactMap { $0 }.map { try firstKey(table, where: "rowid = \($0)") }
  }
}

extension Diagnostic {
  fileprivate static func foreignKeyViolation(
    _ table: String, _ columns: [String], parent: String, count: Int, first: [String], at path: ModelPath
  ) -> Diagnostic {
    let names = columns.map { "'\($0)'" }.joined(separator: ", ")
    let shown =
      first.isEmpty ? "" : " of \(first.joined(separator: "; "))\(count > first.count ? " ..." : "")"
    return Diagnostic(
      .foreignKeyViolation, at: path,
      count == 1
        ? "1 row of '\(table)' references a missing '\(parent)'."
        : "\(count) rows of '\(table)' reference a missing '\(parent)'.",
      help: "fix \(names)\(shown), or delete these rows: a clone that would hold such a reference is refused")
  }
}

extension Diagnostic {
  fileprivate static func nullKey(_ entity: String, column: String, count: Int, table: String) -> Diagnostic {
    Diagnostic(
      .nullKey, at: .entity(entity) / "primaryKey",
      "the key '\(column)' of '\(entity)' is null in \(count) row\(count == 1 ? "" : "s") of the table '\(table)'",
      help: "fill in these rows: an object without a key cannot be named or cloned")
  }
}

extension SQLiteGraph {
  /// Checks that the store fits the model, as the one line of a test after an app's migrations.
  ///
  /// ```swift
  /// let queue = try DatabaseQueue()
  /// try migrator.migrate(queue)
  /// try SQLiteGraph(queue, model: .notes).validate()
  /// ```
  ///
  /// Errors end it, and so does drift: a foreign key into a table of the model that the model does not know, such as a
  /// later migration brings, since a clone would leave its rows behind.
  ///
  /// - Parameter tables: tables that may refer to the model's without being a part of it.
  /// - Returns: the findings that are no errors.
  /// - Throws: `ModelError` with every error, `CloneError` where the store cannot be read.
  @discardableResult
  public func validate(ignoring tables: Set<String> = []) throws -> [Diagnostic] {
    let findings = try storeFindings(ignoring: tables).map { finding in
      var finding = finding
      if finding.code == .unknownReference { finding.severity = .error }
      return finding
    }
    if findings.contains(where: { $0.severity == .error }) { throw ModelError(diagnostics: findings) }
    return findings
  }

  /// Everything in which the store disagrees with the model; nothing is written.
  ///
  /// - Throws: `CloneError` where the store cannot be read.
  ///
  /// - Parameter tables: those that are not looked at, although they refer to the model's.
  public func storeFindings(ignoring tables: Set<String> = []) throws -> [Diagnostic] {
    let findings: [Diagnostic] = try read { access in
      let reader = SchemaReader(db: access.db, mapping: access.mapping)
      let mapped = StoreCheck.tables(of: model.entities.map(\.name), model, access.mapping)
      let ignored = Set(tables.map(\.sqlName))
      let tables = try reader.tableNames().filter { !ignored.contains($0.sqlName) }
      let known = Set(tables.map(\.sqlName))
      let schema = try reader.schema(of: tables + mapped.filter { !known.contains($0.sqlName) })
      let validator = StoreValidator(
        schema: schema, model: model, writes: try TriggerWrites.all(in: access.db))
      return try validator.findings + StoreRows(db: access.db, validator: validator).findings()
    }
    // A store with errors may lack what a plan reads.
    return findings.contains { $0.severity == .error } ? findings : try findings + spreadEstimates()
  }

  /// The indexes that the store lacks for following the model's relationships.
  package func missingIndexes() throws -> MissingIndexes {
    try read { access in
      let entities = model.entities.map(\.name)
      let schema = try SchemaReader(db: access.db).schema(
        of: StoreCheck.tables(of: entities, model, access.mapping))
      return MissingIndexes(schema: schema, mapping: access.mapping, model: model)
    }
  }
}
