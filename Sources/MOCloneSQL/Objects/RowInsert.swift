import Foundation
import MOCloneEngine
import MOCloneModel

/// Inserts one object.
struct RowInsert<Connection: SQLConnection> {
  let access: RowAccess<Connection>
  private var db: Connection { access.db }
  private var dialect: Dialect { access.dialect }

  func insert(_ name: String, key: ObjectKey?, values: [String: AttributeValue]) throws -> ObjectID {
    let entity = try access.entity(name)
    try access.model.checkInsertion(of: name, with: values)
    var row: [String: StoredValue] = [:]
    try setAttributes(&row, name: name, values: values.merging(keyValues(key, of: entity)) { _, key in key })
    try setReferences(&row, name: name, values: values)
    if let discriminator = entity.discriminator {
      row[discriminator.column] = .text(discriminator.value)
    }
    try setKey(&row, entity: entity, key: key)
    return try write(row, entity: entity)
  }

  private func setAttributes(
    _ row: inout [String: StoredValue], name: String, values: [String: AttributeValue]
  ) throws {
    for attribute in access.model.attributes(of: name) where !attribute.isTransient {
      let column = access.mapping[name].attributes[attribute.name]!
      if column.keyPart != nil && values[attribute.name] == nil { continue }
      let value = try attribute.checked(values[attribute.name] ?? attribute.defaultValue ?? .null, for: name)
      try access.checkRoom(for: value, in: column, of: name)
      row[column.column] = ValueCoding(column).encode(value)
    }
  }

  private func setReferences(
    _ row: inout [String: StoredValue], name: String, values: [String: AttributeValue]
  ) throws {
    for relationship in access.model.relationships(of: name) {
      guard let value = values[relationship.name], !value.isNull else { continue }
      guard let key = access.mapping[name].foreignKey(relationship.name) else {
        throw CloneError(
          .invalidValue,
          "'\(relationship.name)' of \(name) is not stored in its own row",
          help: "set it after the insertion",
          entity: name, property: relationship.name)
      }
      let asked = ObjectID(relationship.destination, key: ObjectKey([value]))
      let destination = try access.existing([asked])[0]
      let references = try access.columns(key.references, of: destination)
      for (column, value) in zip(key.columns, references) {
        if let other = row[column], other != value {
          throw CloneError.sharedColumn(column, relationship: relationship, of: name)
        }
        row[column] = value
      }
      let update = RelationshipUpdate(access: access)
      try update.release(destination, references, from: key, of: relationship)
      if let order = key.orderColumn { row[order] = .integer(try update.end(of: key, references)) }
    }
  }

  /// The parts of a whole key that are attributes, which are checked and written as such.
  private func keyValues(_ key: ObjectKey?, of entity: EntityMapping) -> [String: AttributeValue] {
    guard let key, key.parts.count == entity.key.count else { return [:] }
    let parts = entity.attributes.compactMap { name, column in column.keyPart.map { (name, key.parts[$0]) } }
    return Dictionary(uniqueKeysWithValues: parts.filter { !$0.1.isNull })
  }

  /// Fills in the parts of the key that the row has not got yet.
  private func setKey(_ row: inout [String: StoredValue], entity: EntityMapping, key: ObjectKey?) throws {
    let coding = KeyCoding(entity: entity)
    let open = entity.key.indices.filter {
      let part = entity.key[$0]
      return row[part.column] == nil && !part.source.isNew && !part.source.isReference
    }
    let isWhole = key?.parts.count == entity.key.count
    let attributes = Set(isWhole ? entity.attributes.values.compactMap(\.keyPart) : [])
    for (place, part) in (isWhole ? Array(entity.key.indices) : open).enumerated()
    where !attributes.contains(part) {
      guard let key, place < key.parts.count, !key.parts[place].isNull else { continue }
      row[entity.key[part].column] = coding.candidates(key.parts[place], part: part)[0]
    }
    for (i, part) in entity.key.enumerated() where row[part.column] == nil {
      guard case .uuid = part.source else { continue }
      row[part.column] = coding.encode(.uuid(UUID()), part: i)
    }
    for part in entity.key where row[part.column] == nil {
      row[part.column] = try nextNumber(part, entity: entity, row: row)
    }
  }

  /// The greatest number of a part of the key and one, within the other parts; nil where the database makes it.
  private func nextNumber(
    _ part: KeyPart, entity: EntityMapping, row: [String: StoredValue]
  ) throws -> StoredValue? {
    let isMade = try access.mapping.coreData == nil && db.makesKey(part.column, of: entity.table)
    guard [.rowid, .automatic, .max].contains(part.source), !isMade,
      let table = try db.schema(of: [entity.table], access.mapping)[entity.table],
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
    var arguments = Arguments()
    let within = arguments.add(others.map { row[$0.column] ?? .null }, dialect)
    let greatest = Select(["max(\(dialect.name(part.column)))"], from: From(dialect.table(table.name)))
      .where(.equal(others.map { dialect.name($0.column) }, within))
    return try next(after: max(db.number(greatest, arguments) ?? 0, 0), entity)
  }

  private func next(after number: Int64, _ entity: EntityMapping) throws -> StoredValue {
    let (next, isTooGreat) = number.addingReportingOverflow(1)
    guard !isTooGreat else {
      throw CloneError.noRoom(after: number, in: entity.table, entity: entity.entity)
    }
    return .integer(next)
  }

  private func write(_ row: [String: StoredValue], entity: EntityMapping) throws -> ObjectID {
    let key = try access.namingRefusals(of: entity.entity) { try db.insert(row, into: entity) }
    return ObjectID(entity.entity, key: KeyCoding(entity: entity).decode(key, from: 0))
  }
}

extension SQLConnection {
  package func insertion(_ row: [String: StoredValue], into entity: EntityMapping) -> (String, Arguments) {
    var arguments = Arguments()
    let columns = row.keys.sorted()
    let table = dialect.table(entity.table)
    guard !columns.isEmpty else { return ("INSERT INTO \(table) DEFAULT VALUES", arguments) }
    let values = arguments.add(columns.map { row[$0]! }, dialect)
    let insert = Insert(into: table, columns.map(dialect.name), rows: "VALUES (\(values.list))")
    return (insert.text(dialect), arguments)
  }
}
