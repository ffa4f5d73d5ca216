import MOCloneModel

/// An object of a graph in memory, by where it lies.
struct MemoryObject: Hashable {
  var table: Int
  var row: Row
}

extension MemoryGraph {
  func memoryObject(_ object: ObjectID) throws -> MemoryObject {
    let (entity, row) = try located(object)
    return MemoryObject(table: entity.table, row: row)
  }

  func objectID(_ object: MemoryObject) -> ObjectID { objectID(object.row, in: object.table) }

  /// The concrete entity of an object that exists.
  func entity(of object: MemoryObject) -> EntityLayout {
    store.layout.entities[Int(store.entities[object.table][object.row])]
  }

  func exists(_ object: MemoryObject) -> Bool { store.entities[object.table][object.row] != noRow }

  /// The objects of an entity and of those that inherit from it, in the order of their keys.
  func memoryObjects(_ entity: String) throws -> [MemoryObject] {
    let (table, rows) = try rows(of: entity)
    return rows.map { MemoryObject(table: table, row: $0) }
  }

  /// Sets the date of change of an object, where its entity has one.
  func touch(_ object: MemoryObject, _ rule: ModifiedRule) throws {
    let entity = entity(of: object)
    guard let attribute = rule.attribute(of: entity.name, in: model),
      let column = column(attribute.name, of: entity)
    else { return }
    try setCell(column, row: object.row, value: .date(rule.instant))
  }

  /// Sets a cell and keeps the indexes in step; the caller has begun an operation.
  func setCell(_ column: ValueColumn, row: Row, value: AttributeValue) throws {
    let indexes = store.indexes.filter { $0.covers(column) }
    for index in indexes { index.remove(row) }
    store.set(column, row, value)
    for index in indexes { try enter(row, in: index) }
  }
}
