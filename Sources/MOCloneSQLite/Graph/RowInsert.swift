import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Inserts one object.
struct RowInsert {
  let access: RowAccess

  func insert(_ name: String, key: ObjectKey?, values: [String: AttributeValue]) throws -> ObjectID {
    let entity = try access.entity(name)
    guard access.model.entity(name)?.isAbstract == false else {
      throw CloneError(
        .invalidValue,
        "\(name) is abstract, so it has no objects of its own; insert an object of a sub-entity", entity: name
      )
    }
    var row: [String: DatabaseValue] = [:]
    for unknown in values.keys.sorted() where !access.model.propertyNames(of: name).contains(unknown) {
      throw CloneError.unknownProperty(unknown, of: name, in: access.model)
    }
    try setAttributes(&row, name, values)
    try setReferences(&row, name, values)
    if let discriminator = entity.discriminator {
      row[discriminator.column] = discriminator.value.databaseValue
    }
    try setKey(&row, entity, key)
    return try write(row, entity)
  }

  private func setAttributes(
    _ row: inout [String: DatabaseValue], _ name: String, _ values: [String: AttributeValue]
  ) throws {
    for attribute in access.model.attributes(of: name) {
      if attribute.isTransient {
        if let value = values[attribute.name] { _ = try attribute.checked(value, for: name) }
        continue
      }
      let column = access.mapping[name].attributes[attribute.name]!
      if attribute.isKeptByTriggers, values[attribute.name] != nil {
        throw CloneError([.keptByTriggers(attribute, of: name)])
      }
      if column.keyPart != nil && values[attribute.name] == nil { continue }
      let value = values[attribute.name] ?? attribute.defaultValue ?? .null
      row[column.column] = ValueCoding(column).encode(try attribute.checked(value, for: name))
    }
  }

  private func setReferences(
    _ row: inout [String: DatabaseValue], _ name: String, _ values: [String: AttributeValue]
  ) throws {
    for relationship in access.model.relationships(of: name) {
      guard let value = values[relationship.name], !value.isNull else { continue }
      guard case .foreignKey(let key) = access.mapping[name].relationships[relationship.name] else {
        throw CloneError(
          .invalidValue,
          "'\(relationship.name)' of \(name) is not stored in its own row; set it after the insertion",
          entity: name, property: relationship.name)
      }
      let asked = ObjectKey([value])
      guard let destination = try access.find(relationship.destination, key: asked) else {
        throw CloneError.noSuchObject(relationship.destination, asked)
      }
      let references = try access.columns(key.references, of: destination)
      for (column, value) in zip(key.columns, references) {
        if let other = row[column], other != value {
          throw CloneError.sharedColumn(column, relationship, of: name)
        }
        row[column] = value
      }
      if let order = key.orderColumn {
        row[order] = try RelationshipUpdate(access: access).end(of: key, references).databaseValue
      }
    }
  }

  /// Fills in the parts of the key that the row has not got yet.
  private func setKey(
    _ row: inout [String: DatabaseValue], _ entity: EntityMapping, _ key: ObjectKey?
  ) throws {
    let coding = KeyCoding(entity: entity)
    let open = entity.key.indices.filter { row[entity.key[$0].column] == nil && !entity.key[$0].isMade }
    let isWhole = key?.parts.count == entity.key.count
    for (place, part) in (isWhole ? Array(entity.key.indices) : open).enumerated() {
      guard let key, place < key.parts.count, !key.parts[place].isNull else { continue }
      row[entity.key[part].column] = coding.encode(key.parts[place], part: part)
    }
    for (i, part) in entity.key.enumerated() where row[part.column] == nil {
      guard case .uuid = part.source else { continue }
      row[part.column] = coding.encode(.uuid(UUID()), part: i)
    }
    for part in entity.key where row[part.column] == nil {
      row[part.column] = try nextNumber(part, entity, row)
    }
  }

  /// Whether SQLite makes the column's value, as GRDB keeps it: a key with an index of its own is no row number, though
  /// it be declared INTEGER (`DESC`, `WITHOUT ROWID`).
  private func isMadeByInsert(_ column: String, of table: String) throws -> Bool {
    guard try db.primaryKey(table, in: "main").rowIDColumn?.sqlName == column.sqlName else { return false }
    return try !db.indexes(on: table, in: "main").contains { $0.origin == .primaryKeyConstraint }
  }

  /// The greatest number of a part of the key and one, within the other parts; nil where SQLite makes it.
  private func nextNumber(
    _ part: KeyPart, _ entity: EntityMapping, _ row: [String: DatabaseValue]
  ) throws -> DatabaseValue? {
    let isMade = try access.mapping.coreData == nil && isMadeByInsert(part.column, of: entity.table)
    guard [.rowid, .automatic, .max].contains(part.source), !isMade,
      let table = try SchemaReader(db: db, mapping: access.mapping).schema(of: [entity.table])[entity.table],
      !table.isRowid(part.column) || table.keyCounter != nil
    else { return nil }
    guard entity.canCount(part, in: table) else {
      throw CloneError(
        .keyNeedsValue,
        "the key '\(part.column)' of \(entity.entity) is not generated, so a new object must be given one",
        entity: entity.entity)
    }
    let others = entity.key.filter { $0.column != part.column }
    guard !others.isEmpty else {
      return try next(after: table.greatestNumber(in: part.column, of: entity.entity, db), entity)
    }
    let greatest = try Int64.fetchOne(
      db,
      sql: "SELECT max(\(Dialect.sqlite.name(part.column))) FROM \(Dialect.sqlite.table(table.name)) "
        + "WHERE \(Condition.equal(others.map { Dialect.sqlite.name($0.column) }, others.map { _ in "?" }).text)",
      arguments: StatementArguments(others.map { row[$0.column] ?? .null }))
    return try next(after: max(greatest ?? 0, 0), entity)
  }

  private func next(after number: Int64, _ entity: EntityMapping) throws -> DatabaseValue {
    let (next, isTooGreat) = number.addingReportingOverflow(1)
    guard !isTooGreat else {
      throw CloneError(
        .noRoomForKeys,
        "the table '\(entity.table)' has used the key \(number), so it has no room for new keys",
        entity: entity.entity)
    }
    return next.databaseValue
  }

  private func write(_ row: [String: DatabaseValue], _ entity: EntityMapping) throws -> ObjectID {
    let columns = row.keys.sorted()
    let names = columns.map(Dialect.sqlite.name).list
    let marks = columns.map { _ in "?" }.list
    let target = Dialect.sqlite.table(entity.table)
    try access.namingUnique(entity.entity) {
      try db.execute(
        sql: columns.isEmpty
          ? "INSERT INTO \(target) DEFAULT VALUES" : "INSERT INTO \(target)(\(names)) VALUES (\(marks))",
        arguments: StatementArguments(columns.map { row[$0]! }))
    }
    let coding = KeyCoding(entity: entity)
    let parts = entity.key.enumerated().map { i, part in
      row[part.column].map { coding.decode($0, part: i) } ?? .integer(db.lastInsertedRowID)
    }
    return ObjectID(entity.entity, key: ObjectKey(parts))
  }

  private var db: Database { access.db }
}

extension KeyPart {
  /// Whether the store or a relationship makes the part.
  fileprivate var isMade: Bool {
    switch source {
    case .rowid, .max, .automatic, .uuid, .relationship: true
    case .copied, .given: false
    }
  }
}
