import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Stored values that nobody can read.
extension StoreRows {
  /// UUIDs, dates and decimals in another form than the model says; other types take what a column holds.
  func malformedValues() throws -> [Diagnostic] {
    let types: Set<AttributeType> = [.uuid, .date, .decimal]
    return try validator.attributes.filter { types.contains($0.attribute.type) }.compactMap { stored in
      let found = try malformed(stored)
      return found.count == 0 ? nil : .malformedValue(stored, found.count, found.first)
    }
  }

  /// How many values are malformed, and the first of them with their keys.
  private func malformed(_ stored: StoreValidator.StoredAttribute) throws -> (count: Int, first: [String]) {
    let coding = ValueCoding(stored.use)
    let key = stored.table.primaryKey
    let column = Dialect.sqlite.name(stored.use.column)
    let rows = try Row.fetchCursor(
      db,
      sql: "SELECT \((key.map(Dialect.sqlite.name) + [column]).list) FROM "
        + "\(Dialect.sqlite.table(stored.table.name)) WHERE \(column) IS NOT NULL")
    var (count, first): (Int, [String]) = (0, [])
    while let row = try rows.next() {
      let values = Array(row.databaseValues)
      guard let value = values.last, coding.decode(value) == nil else { continue }
      count += 1
      guard first.count < 3 else { continue }
      let place = zip(key, values).map { "\($0) \($1.sqlLiteral)" }.joined(separator: ", ")
      first.append("\(value.sqlLiteral.shortened)\(place.isEmpty ? "" : " in \(place)")")
    }
    return (count, first)
  }

  /// Rows whose discriminator belongs to no entity, which every reading refuses.
  func unknownDiscriminators() throws -> [Diagnostic] {
    try validator.homes.flatMap { root, table -> [Diagnostic] in
      let homes = validator.model.concreteEntities(of: root.name).compactMap {
        validator.mapping[$0].discriminator
      }
      guard let name = homes.first?.column, table.column(name) != nil else { return [] }
      let column = Dialect.sqlite.name(name)
      let rows = try Row.fetchAll(
        db,
        sql: "SELECT \(column), count(*) FROM \(Dialect.sqlite.table(table.name)) WHERE \(column) IS NULL OR "
          + "\(column) NOT IN (\(homes.map { Dialect.sqlite.text($0.value) }.list)) GROUP BY 1 ORDER BY 1 LIMIT 10"
      )
      return rows.map { row in
        let value = Array(row.databaseValues)[0].sqlLiteral
        return .unknownDiscriminator(value, count: row[1], column: name, root.name, table: table.name)
      }
    }
  }
}

extension StoreValidator {
  /// Positions in a list are numbers; a text sorts 10 before 9.
  func orderColumnsHoldNumbers() -> [Diagnostic] {
    model.entities.flatMap { entity in
      entity.relationships.compactMap { relationship -> Diagnostic? in
        guard relationship.isOrdered, let place = orderColumn(of: relationship),
          let table = schema[place.table], let column = table.column(place.column),
          ["TEXT", "BLOB"].contains(column.affinity), !column.type.isEmpty
        else { return nil }
        return .orderColumnType(column, table, of: relationship)
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

extension Diagnostic {
  fileprivate static func malformedValue(
    _ stored: StoreValidator.StoredAttribute, _ count: Int, _ first: [String]
  ) -> Diagnostic {
    Diagnostic(
      .malformedValue, at: .attribute(stored.attribute),
      "\(count) value\(count == 1 ? "" : "s") of the column '\(stored.use.column)' in '\(stored.table.name)' cannot be read as "
        + "\(stored.attribute.type.rawValue)\(stored.attribute.type.expectation): "
        + first.joined(separator: "; ") + (count > first.count ? "; ..." : ""),
      help: "correct these rows, or name the form that they have by 'storage:' or 'store:'")
  }

  fileprivate static func unknownDiscriminator(
    _ value: String, count: Int, column: String, _ entity: String, table: String
  ) -> Diagnostic {
    Diagnostic(
      .unknownDiscriminator, .error, at: .entity(entity),
      "\(count) row\(count == 1 ? "" : "s") of '\(table)' \(count == 1 ? "has" : "have") the discriminator \(value) in the column "
        + "'\(column)', which belongs to no entity",
      help: "add a sub-entity of '\(entity)' with 'discriminator: {value: ...}', or correct these rows")
  }

  fileprivate static func orderColumnType(
    _ column: ColumnSchema, _ table: TableSchema, of relationship: RelationshipDescription
  ) -> Diagnostic {
    Diagnostic(
      .columnType, at: .relationship(relationship),
      "the column '\(column.name)' of '\(table.name)' holds positions in '\(relationship.qualifiedName)', but its type is "
        + "\(column.type), in which 10 comes before 9",
      help: "make the column an INTEGER")
  }
}
