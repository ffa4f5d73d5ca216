import Foundation
import MOCloneModel

extension MemoryGraph {
  /// Makes an object. There are no triggers in memory: what they keep in a store holds its default here.
  ///
  /// - Parameters:
  ///   - entity: the name of the entity.
  ///   - key: read for attributes that are in key columns; the key itself is the next integer.
  ///   - values: values by attribute and to-one relationship.
  /// - Throws: `CloneError` (`unknown-entity`, `unknown-name`, `invalid-value`, `unique-value`, `no-such-object`);
  ///   nothing is then made.
  public func insertObject(
    _ entity: String, key: ObjectKey?, values: [String: AttributeValue]
  ) throws -> ObjectID {
    let layout = store.layout.entities[try entityNumber(entity)]
    try model.checkInsertion(of: entity, with: values)
    let given = try values.merging(keyValues(key, of: entity)) { own, _ in own }
    return try store.atomically {
      // An index that is stale would be built with the new row in it, and find no other one.
      for index in store.indexes where index.table == layout.table { index.refresh() }
      let row = try fill(store.appendRows(to: layout.table), of: layout, given: given)
      for (name, value) in given.sorted(by: { $0.key < $1.key }) {
        try link(row, of: layout, to: value, over: name)
      }
      try KeyNumbers(table: layout.table, in: self)?.number([row], in: self)
      return objectID(row, in: layout.table)
    }
  }

  /// Makes an object of values alone: who calls it adds references, and then numbers that are counted within them.
  ///
  /// - Parameter key: the key that the object keeps from another graph.
  /// - Throws: `CloneError` (`unique-value` where the key is taken, `invalid-key` where it is no integer).
  func makeObject(_ entity: String, keeping key: ObjectKey?, values: [String: AttributeValue]) throws
    -> MemoryObject
  {
    let layout = store.layout.entities[try entityNumber(entity)]
    let row = try key.map { try emptyRow($0, of: entity, in: layout.table) }
    return MemoryObject(
      table: layout.table, row: try fill(row ?? store.appendRows(to: layout.table), of: layout, given: values)
    )
  }

  /// The row that represents a key. Numbers below it that nothing has are rows without an object.
  private func emptyRow(_ key: ObjectKey, of entity: String, in table: Int) throws -> Row {
    guard let row = try row(key, entity: entity) else {
      throw CloneError(
        .invalidKey, "'\(key)' of \(entity) cannot be kept: keys in memory begin with 1", entity: entity)
    }
    let missing = Int(row) + 1 - store.spaces[table].count
    guard missing <= Self.widestGap else {
      throw CloneError(
        .noRoomForKeys,
        "'\(key)' of \(entity) cannot be kept in memory: it is too far from the existing keys",
        entity: entity)
    }
    if missing > 0 { store.appendRows(missing, to: table) }
    guard store.entities[table][row] == noRow else {
      throw CloneError(
        .uniqueValue, "'\(key)' of \(entity) cannot be kept: \(objectID(row, in: table)) has it already",
        entity: entity, object: objectID(row, in: table))
    }
    return row
  }

  private static let widestGap = 10_000_000

  /// Makes an object of a row that holds nothing.
  private func fill(
    _ row: Row, of layout: EntityLayout, given: [String: AttributeValue]
  ) throws -> Row {
    store.set(store.entities[layout.table], row, Row(store.layout.number[layout.name]!))
    for attribute in model.attributes(of: layout.name) where !attribute.isTransient {
      let value = try value(of: attribute, entity: layout.name, row: row, given: given)
      store.set(column(attribute.name, of: layout)!, row, value)
    }
    for index in store.indexes where index.table == layout.table { try enter(row, in: index) }
    return row
  }

  private func value(
    of attribute: AttributeDescription, entity: String, row: Row, given: [String: AttributeValue]
  ) throws -> AttributeValue {
    if let part = mapping[entity].attributes[attribute.name]?.keyPart {
      switch mapping[entity].key[part].source {
      case .rowid where attribute.type.isInteger, .automatic where attribute.type.isInteger,
        .max where attribute.type.isInteger && mapping[entity].key.count == 1:
        return try ownNumber(Int64(row) + 1, of: attribute, entity: entity, given: given[attribute.name])
      // Counted when the other parts are known.
      case .max where given[attribute.name] == nil: return .null
      case .uuid where given[attribute.name] == nil:
        return try attribute.checked(.new(UUID(), as: attribute.type), for: entity)
      default: break
      }
    }
    return try attribute.checked(given[attribute.name] ?? attribute.defaultValue ?? .null, for: entity)
  }

  /// An attribute that is another name for an integer key holds the key that the graph makes.
  private func ownNumber(
    _ number: Int64, of attribute: AttributeDescription, entity: String, given: AttributeValue?
  ) throws -> AttributeValue {
    let given = try given.map { try attribute.checked($0, for: entity) }
    if let given, given != .integer(number) {
      throw CloneError(
        .invalidKey,
        "'\(attribute.name)' of \(entity) is its key, which will be \(number); it cannot be \(given)",
        entity: entity, property: attribute.name)
    }
    return .integer(number)
  }

  /// The parts of a given key as values of the attributes that are in its columns.
  private func keyValues(_ key: ObjectKey?, of entity: String) throws -> [String: AttributeValue] {
    guard let key else { return [:] }
    guard key.parts.count == mapping[entity].key.count else {
      throw CloneError.keyParts(key, of: entity, columns: mapping[entity].keyColumns)
    }
    let parts = mapping[entity].attributes.compactMap { name, column in
      column.keyPart.map { (name, key.parts[$0]) }
    }
    return Dictionary(uniqueKeysWithValues: parts.filter { !$0.1.isNull })
  }

  /// Sets a to-one relationship of a new object; its value is the destination's key.
  private func link(_ row: Row, of entity: EntityLayout, to value: AttributeValue, over name: String) throws {
    guard let relation = entity.relations[name], !value.isNull else { return }
    let destination = store.layout.relations[relation].description.destination
    guard let id = try find(destination, key: ObjectKey([value])) else {
      throw CloneError.noSuchObject(destination, ObjectKey([value]))
    }
    try setDestinations(of: relation, row, to: [try located(id).row])
  }
}

extension AttributeValue {
  /// A UUID as an attribute of a type holds it.
  static func new(_ uuid: UUID, as type: AttributeType) -> AttributeValue {
    switch type {
    case .string, .uri: .string(uuid.uuidString)
    default: .uuid(uuid)
    }
  }
}
