import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Reads objects of a store by the mapping.
struct RowAccess {
  let db: Database
  let model: ObjectModel
  let mapping: SchemaMapping

  /// The mapping of an entity that may be unknown.
  func entity(_ name: String) throws -> EntityMapping {
    guard let entity = mapping.entities[name] else { throw CloneError.unknownEntity(name, in: model) }
    return entity
  }

  func attribute(_ name: String, of entity: String) throws -> (AttributeDescription, AttributeColumn) {
    guard let attribute = model.attribute(name, of: entity) else {
      throw CloneError.unknownProperty(name, of: entity, in: model)
    }
    guard let column = mapping[entity].attributes[name] else {
      throw CloneError(
        .invalidValue, "'\(name)' of \(entity) is transient, so it is not stored", entity: entity,
        property: name
      )
    }
    return (attribute, column)
  }

  func relationship(_ name: String, of entity: String) throws -> RelationshipDescription {
    guard let relationship = model.relationship(name, of: entity) else {
      throw CloneError.unknownProperty(name, of: entity, in: model)
    }
    return relationship
  }

  var holders: ReferenceHolders { ReferenceHolders(model: model, mapping: mapping, dialect: .sqlite) }

  // MARK: Objects

  func find(_ name: String, key: ObjectKey) throws -> ObjectID? {
    let entity = try entity(name)
    let key = key.split(for: entity)
    guard key.parts.count == entity.key.count else {
      throw CloneError(
        .invalidKey,
        "'\(key)' is not a valid key of \(name), which has \(entity.key.count == 1 ? "one part" : "\(entity.key.count) parts"): "
          + entity.keyColumns.joined(separator: ", "), entity: name)
    }
    let coding = KeyCoding(entity: entity)
    var conditions: [String] = []
    var arguments: [DatabaseValue] = []
    for (i, part) in key.parts.enumerated() {
      let candidates = coding.candidates(part, part: i)
      let marks = candidates.map { _ in "?" }.list
      conditions.append("\(Dialect.sqlite.column("s", entity.keyColumns[i])) IN (\(marks))")
      arguments += candidates
    }
    let found = try ids(name, where: conditions.joined(separator: " AND "), StatementArguments(arguments))
    if found.count < 2 { return found.first }
    // Rows that write one UUID in several ways are several objects.
    if let exact = found.first(where: { coding.encode($0.key) == coding.encode(key) }) { return exact }
    let keys = found.map { "'\($0.key)'" }.joined(separator: " and ")
    throw CloneError(
      .invalidKey,
      "'\(key)' is the key of several objects of \(name): \(keys); write it in the form of the store",
      entity: name)
  }

  /// The objects of an entity and of those that inherit from it, in the order of their keys.
  func ids(
    _ name: String, where condition: String? = nil, _ arguments: StatementArguments = [], limit: Int? = nil
  ) throws -> [ObjectID] {
    let entity = try entity(name)
    let keys = entity.keyColumns.map { Dialect.sqlite.column("s", $0) }.list
    let filter = [condition, kind(of: name, "s")].compactMap { $0 }
    let statement = try db.cachedStatement(
      sql: "SELECT \(discriminator(entity, "s")), \(keys) FROM \(Dialect.sqlite.table(entity.table)) s"
        + (filter.isEmpty ? "" : " WHERE " + filter.joined(separator: " AND ")) + " ORDER BY \(keys)"
        + (limit.map { " LIMIT \($0)" } ?? ""))
    let rows = try Row.fetchAll(statement, arguments: arguments)
    return try rows.map { try id($0, of: name) }
  }

  /// An object from a row of discriminator and key.
  func id(_ row: Row, of name: String) throws -> ObjectID {
    let entity = try entity(name)
    let key = KeyCoding(entity: entity).decode(row, from: 1)
    if let null = key.parts.firstIndex(where: \.isNull) {
      throw CloneError.nullKey(name, column: entity.keyColumns[null], table: entity.table)
    }
    guard let discriminator = entity.discriminator else { return ObjectID(name, key: key) }
    let value: DatabaseValue = row[0]
    let text = AttributeValue(raw: value).description
    let found = model.concreteEntities(of: name).first { mapping[$0].discriminator?.value == text }
    guard let found else {
      throw CloneError([
        .unknownDiscriminator(.string(text), ObjectID(name, key: key), column: discriminator.column)
      ])
    }
    return ObjectID(found, key: key)
  }

  func discriminator(_ entity: EntityMapping, _ alias: String) -> String {
    entity.discriminator.map { Dialect.sqlite.column(alias, $0.column) } ?? "NULL"
  }

  /// What marks the rows of an entity and its sub-entities; nil where the table holds nothing else.
  func kind(of name: String, _ alias: String) -> String? {
    guard let discriminator = mapping[name].discriminator, model.rootEntity(of: name) != name else {
      return nil
    }
    let values = model.concreteEntities(of: name).map {
      Dialect.sqlite.text(mapping[$0].discriminator!.value)
    }
    return "\(Dialect.sqlite.column(alias, discriminator.column)) IN (\(values.list))"
  }

  /// `s."id" = ?` for the row of an object, and its arguments.
  func row(of object: ObjectID, _ alias: String) throws -> (sql: String, arguments: [DatabaseValue]) {
    let entity = try entity(object.entity)
    let coding = KeyCoding(entity: entity)
    return (
      Condition.equal(
        entity.keyColumns.map { Dialect.sqlite.column(alias, $0) }, entity.keyColumns.map { _ in "?" }
      ).text,
      coding.encode(object.key)
    )
  }

  /// Columns of an object's row.
  func columns(_ columns: [String], of object: ObjectID) throws -> [DatabaseValue] {
    let (condition, arguments) = try row(of: object, "s")
    let names = columns.map { Dialect.sqlite.column("s", $0) }.list
    let found = try Row.fetchOne(
      db,
      sql: "SELECT \(names) FROM \(Dialect.sqlite.table(mapping[object.entity].table)) s WHERE \(condition)",
      arguments: StatementArguments(arguments))
    guard let found else { throw CloneError.noSuchObject(object.entity, object.key) }
    return columns.indices.map { found[$0] }
  }

  // MARK: Values

  func value(_ name: String, of object: ObjectID) throws -> AttributeValue {
    if model.attribute(name, of: object.entity)?.isTransient == true { return .null }
    let (attribute, column) = try attribute(name, of: object.entity)
    let stored = try columns([column.column], of: object)[0]
    guard let value = try ValueCoding(column).decode(stored) ?? externalValue(stored, column) else {
      throw CloneError(
        .storeMismatch,
        "'\(name)' of \(object) holds '\(AttributeValue(raw: stored))' in its column '\(column.column)', which is not a "
          + "valid \(attribute.type.rawValue)", property: name, object: object)
    }
    return value
  }

  /// A value that is in a file beside the store.
  private func externalValue(_ stored: DatabaseValue, _ column: AttributeColumn) throws -> AttributeValue? {
    guard column.isExternal, let bytes = Data.fromDatabaseValue(stored),
      let name = ExternalFiles.name(in: bytes)
    else { return nil }
    return .binary(try ExternalFiles(of: path).read(name))
  }

  func destinations(_ name: String, of object: ObjectID) throws -> [ObjectID] {
    let relationship = try relationship(name, of: object.entity)
    let destination = try entity(relationship.destination)
    let sqlite = Dialect.sqlite
    func of(_ alias: String, _ columns: [String]) -> [String] { columns.map { sqlite.column(alias, $0) } }
    let keys = of("d", destination.keyColumns)
    let rows = "\(sqlite.table(destination.table)) d"
    var found = Select([discriminator(destination, "d")] + keys, from: From(rows))
    let order: [String?]
    let values: [DatabaseValue]
    switch mapping[object.entity].relationships[name]! {
    case .foreignKey(let key):
      found = found.where(.equal(of("d", key.references), key.columns.map { _ in "?" }))
      order = []
      values = try columns(key.columns, of: object)
    case .inverseForeignKey(let key):
      found = found.where(
        .equal(of("d", key.columns), key.references.map { _ in "?" }) && holders.condition(key, "d"))
      order = [key.orderColumn.map { sqlite.column("d", $0) }]
      values = try columns(key.references, of: object)
    case .join(let join):
      let tie = Condition.equal(of("d", join.destinationReferences), of("j", join.destinationColumns))
      found = Select(found.columns, from: From("\(sqlite.table(join.table)) j", [.ordered(rows, on: tie)]))
        .where(.equal(of("j", join.columns), join.references.map { _ in "?" }))
      order = [join.orderColumn.map { sqlite.column("j", $0) }]
      values = try columns(join.references, of: object)
    }
    let sql = found.ordered(by: order.compactMap { $0 } + keys).text(sqlite)
    return try Row.fetchAll(db, sql: sql, arguments: StatementArguments(values)).map {
      try id($0, of: relationship.destination)
    }
  }
}

extension CloneError {
  static func nullKey(_ entity: String, column: String, table: String) -> CloneError {
    CloneError(
      .nullKey,
      "a row of the table '\(table)' has no key, because its '\(column)' is null, so this \(entity) can be neither named "
        + "nor cloned; fill the column", entity: entity)
  }

  static func unknownProperty(_ name: String, of entity: String, in model: ObjectModel) -> CloneError {
    CloneError(
      .unknownName, "\(entity) has no property '\(name)'" + didYouMean(name, model.propertyNames(of: entity)),
      entity: entity, property: name)
  }
}

extension ObjectKey {
  /// A string that represents the several parts of a key, as a to-one relationship's value does.
  fileprivate func split(for entity: EntityMapping) -> ObjectKey {
    guard parts.count == 1, entity.key.count > 1, case .string(let text) = parts[0] else { return self }
    return ObjectKey(text: text)
  }
}
