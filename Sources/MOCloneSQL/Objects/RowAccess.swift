import Foundation
import MOCloneEngine
import MOCloneModel

/// Reads objects of a store by the mapping.
package struct RowAccess<Connection: SQLConnection> {
  package let db: Connection
  package let model: ObjectModel
  package let mapping: SchemaMapping

  package init(db: Connection, model: ObjectModel, mapping: SchemaMapping) {
    self.db = db
    self.model = model
    self.mapping = mapping
  }

  package var dialect: Dialect { db.dialect }

  /// The mapping of an entity that may be unknown.
  package func entity(_ name: String) throws -> EntityMapping {
    guard let entity = mapping.entities[name] else { throw CloneError.unknownEntity(name, in: model) }
    return entity
  }

  package func attribute(_ name: String, of entity: String) throws -> (AttributeDescription, AttributeColumn)
  {
    let attribute = try model.existingAttribute(name, of: entity)
    guard let column = mapping[entity].attributes[name] else {
      throw CloneError(
        .invalidValue, "'\(name)' of \(entity) is transient, so it is not stored", entity: entity,
        property: name
      )
    }
    return (attribute, column)
  }

  package var holders: ReferenceHolders { ReferenceHolders(model: model, mapping: mapping, dialect: dialect) }

  // MARK: Objects

  /// Objects as the store writes their keys.
  ///
  /// - Throws: `CloneError` (`no-such-object`) for the first that is not there.
  package func existing(_ objects: [ObjectID]) throws -> [ObjectID] {
    try objects.map { object in
      guard let found = try find(object.entity, key: object.key) else {
        throw CloneError.noSuchObject(object.entity, object.key)
      }
      return found
    }
  }

  package func find(_ name: String, key: ObjectKey) throws -> ObjectID? {
    let entity = try entity(name)
    var key = key.split(into: entity.key.count)
    guard key.parts.count == entity.key.count else {
      throw CloneError.keyParts(key, of: name, columns: entity.keyColumns)
    }
    // Columns with types take nothing else; others find a number however it is written, as 1.0.
    if dialect.hasTypes {
      guard let plain = try plainIntegers(key, of: entity, named: name) else { return nil }
      key = plain
    }
    let coding = KeyCoding(entity: entity)
    var condition = Condition.always
    var arguments = Arguments()
    for (i, part) in key.parts.enumerated() {
      let candidates = coding.candidates(part, part: i)
      let marks = arguments.add(candidates, dialect)
      condition = condition && .among(dialect.column("s", entity.keyColumns[i]), values: marks)
    }
    let found = try ids(name, where: condition, arguments: arguments)
    if found.isEmpty, !dialect.hasTypes { _ = try plainIntegers(key, of: entity, named: name) }
    if found.count < 2 { return found.first }
    // Rows that write one UUID in several ways are several objects.
    if let exact = found.first(where: { coding.encode($0.key) == coding.encode(key) }) { return exact }
    let keys = found.map { "'\($0.key)'" }.joined(separator: " and ")
    throw CloneError(
      .invalidKey,
      "'\(key)' is the key of several objects of \(name): \(keys)", help: "write it in the form of the store",
      entity: name)
  }

  /// A key with its integers in plain digits; nil where no row can have one, as it is beyond 64 bits.
  ///
  /// - Throws: `CloneError` (`invalid-key`) where a column of the key holds integers alone and is given something else.
  private func plainIntegers(
    _ key: ObjectKey, of entity: EntityMapping, named name: String
  ) throws -> ObjectKey? {
    var plain = key
    for (i, part) in entity.key.enumerated() where part.source.isNumber {
      let digits = key.parts[i].wholeNumber.map { String($0) }
      guard digits != key.parts[i].description else { continue }
      let takesIntegers =
        try dialect.hasTypes
        ? db.schema(of: [entity.table], mapping)[entity.table]?.column(part.column)?.affinity == "INTEGER"
        : db.makesKey(part.column, of: entity.table)
      guard takesIntegers else { continue }
      guard key.parts[i].isWholeNumber else { throw CloneError.integerKey(key, of: name) }
      guard let digits else { return nil }
      plain.parts[i] = .string(digits)
    }
    return plain
  }

  /// The objects of an entity and of those that inherit from it, in the order of their keys.
  package func ids(
    _ name: String, where condition: Condition = .always, arguments: Arguments = Arguments(),
    limit: Int? = nil
  ) throws -> [ObjectID] {
    let entity = try entity(name)
    let keys = dialect.columns("s", entity.keyColumns)
    let query = Select(
      [discriminator(entity, alias: "s")] + keys, from: From("\(dialect.table(entity.table)) s")
    )
    .where(condition && kind(of: name, "s")).ordered(by: keys)
    return try db.rows(limit.map { query.limited(to: $0) } ?? query, arguments).map { try id($0, of: name) }
  }

  /// An object from a row of discriminator and key.
  package func id(_ row: [StoredValue], of name: String) throws -> ObjectID {
    let entity = try entity(name)
    let key = KeyCoding(entity: entity).decode(row, from: 1)
    if let null = key.parts.firstIndex(where: \.isNull) {
      throw CloneError.nullKey(name, column: entity.keyColumns[null], table: entity.table)
    }
    guard let discriminator = entity.discriminator else { return ObjectID(name, key: key) }
    let text = AttributeValue(raw: row[0]).description
    let found = model.concreteEntities(of: name).first { mapping[$0].discriminator?.value == text }
    guard let found else {
      throw CloneError([
        .unknownDiscriminator(.string(text), object: ObjectID(name, key: key), column: discriminator.column)
      ])
    }
    return ObjectID(found, key: key)
  }

  package func discriminator(_ entity: EntityMapping, alias: String) -> String {
    entity.discriminator.map { dialect.column(alias, $0.column) } ?? "NULL"
  }

  /// What marks the rows of an entity and its sub-entities, where the table holds others too.
  package func kind(of name: String, _ alias: String) -> Condition {
    guard let discriminator = mapping[name].discriminator, model.rootEntity(of: name) != name else {
      return .always
    }
    let values = model.concreteEntities(of: name).map { dialect.text(mapping[$0].discriminator!.value) }
    return .among(dialect.column(alias, discriminator.column), values: values)
  }

  /// `s."id" = :p0` for the row of an object.
  package func row(of object: ObjectID, _ alias: String, _ arguments: inout Arguments) throws -> Condition {
    let entity = try entity(object.entity)
    let key = KeyCoding(entity: entity).encode(object.key)
    return .equal(dialect.columns(alias, entity.keyColumns), arguments.add(key, dialect))
  }

  package func columns(_ columns: [String], of object: ObjectID) throws -> [StoredValue] {
    var arguments = Arguments()
    let condition = try row(of: object, "s", &arguments)
    let row = Select(
      dialect.columns("s", columns), from: From("\(dialect.table(mapping[object.entity].table)) s"))
    guard let found = try db.rows(row.where(condition), arguments).first else {
      throw CloneError.noSuchObject(object.entity, object.key)
    }
    return found
  }

  /// Columns of the row that ties an object to a destination of a many-to-many relationship.
  package func columns(
    _ columns: [String], tying object: ObjectID, to destination: ObjectID, _ relationship: String
  ) throws -> [StoredValue] {
    guard case .join(let join) = mapping[object.entity].relationships[relationship] else {
      preconditionFailure("'\(relationship)' has no table of pairs")
    }
    var arguments = Arguments()
    let ends = try [
      (join.columns, self.columns(join.references, of: object)),
      (join.destinationColumns, self.columns(join.destinationReferences, of: destination)),
    ].map { Condition.equal(dialect.columns("j", $0), arguments.add($1, dialect)) }
    let rows = Select(dialect.columns("j", columns), from: From("\(dialect.table(join.table)) j"))
    return try db.rows(rows.where(ends.all).limited(to: 1), arguments).first ?? columns.map { _ in .null }
  }

  // MARK: Values

  package func value(_ name: String, of object: ObjectID) throws -> AttributeValue {
    if model.attribute(name, of: object.entity)?.isTransient == true { return .null }
    let column = try attribute(name, of: object.entity).1
    return try value(name, of: object, stored: columns([column.column], of: object)[0])
  }

  /// The values of attributes that are stored, read at once.
  package func values(_ names: [String], of object: ObjectID) throws -> [AttributeValue] {
    guard !names.isEmpty else { return [] }
    let attributes = try names.map { try attribute($0, of: object.entity) }
    let stored = try columns(attributes.map(\.1.column), of: object)
    return try zip(attributes, stored).map { try value($0.0, $0.1, of: object, stored: $1) }
  }

  /// The value of an attribute whose column was read.
  package func value(_ name: String, of object: ObjectID, stored: StoredValue) throws -> AttributeValue {
    let (attribute, column) = try attribute(name, of: object.entity)
    return try value(attribute, column, of: object, stored: stored)
  }

  /// The same for attributes that are looked up once for many objects.
  func value(
    _ attribute: AttributeDescription, _ column: AttributeColumn, of object: ObjectID, stored: StoredValue
  ) throws -> AttributeValue {
    guard let value = try ValueCoding(column).decode(stored) ?? externalValue(stored, column: column) else {
      throw CloneError(
        .storeMismatch,
        "'\(attribute.name)' of \(object) holds '\(AttributeValue(raw: stored))' in its column '\(column.column)', which is not a "
          + "valid \(attribute.type.rawValue)", property: attribute.name, object: object)
    }
    return value
  }

  /// A value that is in a file beside the store.
  private func externalValue(_ stored: StoredValue, column: AttributeColumn) throws -> AttributeValue? {
    guard column.isExternal, let name = stored.bytes.flatMap(ExternalMark.file) else { return nil }
    return .binary(try db.externalFile(named: name))
  }

  package func destinations(_ name: String, of object: ObjectID) throws -> [ObjectID] {
    let relationship = try model.existingRelationship(name, of: object.entity)
    let destination = try entity(relationship.destination)
    var arguments = Arguments()
    let keys = dialect.columns("d", destination.keyColumns)
    let rows = "\(dialect.table(destination.table)) d"
    var found = Select([discriminator(destination, alias: "d")] + keys, from: From(rows))
    let order: String?
    func holds(_ alias: String, _ columns: [String], _ values: [String]) throws -> Condition {
      .equal(
        dialect.columns(alias, columns), arguments.add(try self.columns(values, of: object), dialect))
    }
    switch mapping[object.entity].relationships[name]! {
    case .foreignKey(let key):
      found = try found.where(holds("d", key.references, key.columns))
      order = nil
    case .inverseForeignKey(let key):
      found = try found.where(holds("d", key.columns, key.references) && holders.condition(key, alias: "d"))
      order = key.orderColumn.map { dialect.sorting(position: dialect.column("d", $0)) }
    case .join(let join):
      let tie = Condition.equal(
        dialect.columns("d", join.destinationReferences), dialect.columns("j", join.destinationColumns))
      found = try Select(
        found.columns, from: From("\(dialect.table(join.table)) j", joins: [.ordered(rows, on: tie)])
      ).where(holds("j", join.columns, join.references))
      order = join.orderColumn.map { dialect.sorting(position: dialect.column("j", $0)) }
    }
    return try db.rows(found.ordered(by: [order].compactMap { $0 } + keys), arguments).map {
      try id($0, of: relationship.destination)
    }
  }
}

extension CloneError {
  package static func nullKey(_ entity: String, column: String, table: String) -> CloneError {
    CloneError(
      .nullKey,
      "a row of the table '\(table)' has no key, because its '\(column)' is null, so this \(entity) can be "
        + "neither named nor cloned",
      help: "fill the column", entity: entity)
  }
}
