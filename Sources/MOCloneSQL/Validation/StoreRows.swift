import MOCloneEngine
import MOCloneModel

/// What the rows of a store show beside its schema.
package struct StoreRows<Connection: SQLConnection> {
  package let db: Connection
  package let validator: StoreValidator
  private var dialect: Dialect { db.dialect }

  package init(db: Connection, validator: StoreValidator) {
    self.db = db
    self.validator = validator
  }

  // MARK: Nulls

  package func nullKeys() throws -> [Diagnostic] {
    try validator.homes.flatMap { root, table in
      try table.nullable(validator.mapping[root.name].keyColumns).compactMap { column -> Diagnostic? in
        let isNull = "\(dialect.name(column)) IS NULL"
        let count = try rows("SELECT count(*) FROM \(dialect.table(table.name)) WHERE \(isNull)")[0][0].number
        return count == 0 ? nil : .nullKey(root.name, column: column, count: count, table: table.name)
      }
    }
  }

  /// One reading of each table.
  package func nulls() throws -> [Diagnostic] {
    let tables = Dictionary(grouping: validator.nullableRequirements) { $0.table.name }
    return try tables.sorted { $0.key < $1.key }.flatMap { table, requirements -> [Diagnostic] in
      let counts = requirements.map { "sum(CASE WHEN \(condition($0)) THEN 1 ELSE 0 END)" }
      let row = try rows("SELECT \(counts.list) FROM \(dialect.table(table))")[0]
      return try zip(requirements, row).filter { $1.number > 0 }.map { requirement, count in
        let key = try firstKey(requirement.table, where: condition(requirement))
        return .requiredNull(requirement, count: count.number, key: key)
      }
    }
  }

  /// Rows of other entities of the table have no value here.
  private func condition(_ requirement: StoreValidator.Requirement) -> String {
    let isNull = "\(dialect.name(requirement.column)) IS NULL"
    let homes = discriminators(of: requirement.entity)
    return homes.isEmpty ? isNull : "(\(belongs(to: homes)) AND \(isNull))"
  }

  /// The key of the first row that a condition holds for, to be read.
  package func firstKey(_ table: TableSchema, where condition: String) throws -> String {
    let key = table.primaryKey
    guard !key.isEmpty else { return "a row without a key" }
    let found = try rows(
      "SELECT \(key.map(dialect.name).list) FROM \(dialect.table(table.name)) WHERE \(condition) LIMIT 1")
    return zip(key, found.first ?? []).map { "\($0) \(dialect.literal($1))" }.joined(separator: ", ")
  }

  // MARK: Discriminators

  /// Rows whose discriminator belongs to no entity, which every reading refuses.
  package func unknownDiscriminators() throws -> [Diagnostic] {
    try validator.homes.flatMap { root, table -> [Diagnostic] in
      let homes = discriminators(of: root.name)
      guard let name = homes.first?.column, table.column(name) != nil else { return [] }
      let column = dialect.name(name)
      let found = try rows(
        "SELECT \(column), count(*) FROM \(dialect.table(table.name)) WHERE \(column) IS NULL OR "
          + "NOT \(belongs(to: homes)) GROUP BY 1 ORDER BY 1 LIMIT 10")
      return found.map { row in
        .unknownDiscriminator(
          dialect.literal(row[0]), count: row[1].number, column: name, entity: root.name, table: table.name)
      }
    }
  }

  private func discriminators(of entity: String) -> [EntityMapping.Discriminator] {
    validator.model.concreteEntities(of: entity).compactMap { validator.mapping[$0].discriminator }
  }

  /// As text, because a typed database compares no number with it.
  private func belongs(to homes: [EntityMapping.Discriminator]) -> String {
    "CAST(\(dialect.name(homes[0].column)) AS TEXT) IN (\(homes.map { dialect.text($0.value) }.list))"
  }

  private func rows(_ sql: String) throws -> [[StoredValue]] { try db.rows(sql, [:]) }
}

extension Diagnostic {
  fileprivate static func nullKey(_ entity: String, column: String, count: Int, table: String) -> Diagnostic {
    Diagnostic(
      .nullKey, at: .entity(entity) / "primaryKey",
      "the key '\(column)' of '\(entity)' is null in \(count.counting("row")) of the table '\(table)'",
      help: "fill in these rows: an object without a key cannot be named or cloned")
  }

  fileprivate static func unknownDiscriminator(
    _ value: String, count: Int, column: String, entity: String, table: String
  ) -> Diagnostic {
    Diagnostic(
      .unknownDiscriminator, .error, at: .entity(entity),
      "\(count.counting("row")) of '\(table)' \(count == 1 ? "has" : "have") the discriminator \(value) in the column "
        + "'\(column)', which belongs to no entity",
      help: "add a sub-entity of '\(entity)' with 'discriminator: {value: ...}', or correct these rows")
  }
}
