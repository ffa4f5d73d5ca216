import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Writes the objects of one table as rows.
struct ObjectRowWriter {
  /// Where the properties of one entity lie in a row.
  private struct Shape {
    var keys: [Int]
    var attributes: [(name: String, place: Int, coding: ValueCoding)]
    var mark: (place: Int, value: DatabaseValue)?
    var references: [(relationship: String, places: [Int], columns: [String])]
  }

  private let columns: [String]
  private let keys: StagedKeys
  private let statement: RawStatement
  private let shapes: [String: Shape]

  /// - Parameter columns: those that the statement takes, in their order.
  init(
    _ table: TablePlan, _ columns: [String], _ keys: StagedKeys, _ mapping: SchemaMapping,
    into statement: RawStatement
  ) {
    (self.columns, self.keys, self.statement) = (columns, keys, statement)
    let places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.sqlName, $0) })
    shapes = Dictionary(
      uniqueKeysWithValues: table.entities.map { entity in
        let map = mapping[entity]
        func place(_ column: String) -> Int { places[column.sqlName]! }
        let shape = Shape(
          keys: map.keyColumns.map(place),
          attributes: map.attributes.filter { $0.value.keyPart == nil }.map {
            ($0.key, place($0.value.column), ValueCoding($0.value))
          },
          mark: map.discriminator.map { (place($0.column), $0.value.databaseValue) },
          references: map.foreignKeys.map { ($0.relationship, $0.key.columns.map(place), $0.key.references) })
        return (entity, shape)
      })
  }

  /// - Throws: `CloneError` (`unique-value`, `invalid-value`) where no row of the store can hold the object.
  func write(_ object: ObjectID) throws {
    let shape = shapes[object.entity]!
    var row = Array(repeating: DatabaseValue.null, count: columns.count)
    func set(_ places: [Int], _ values: [DatabaseValue]) throws {
      for (place, value) in zip(places, values) {
        guard row[place].isNull || row[place] == value else {
          throw CloneError.sharedColumn(columns[place], of: object)
        }
        row[place] = value
      }
    }
    try set(shape.keys, keys.key(of: object))
    for (name, place, coding) in shape.attributes {
      row[place] = coding.encode(try keys.source.value(name, of: object))
    }
    if let mark = shape.mark { row[mark.place] = mark.value }
    for (relationship, places, columns) in shape.references {
      guard let destination = try keys.source.destinations(relationship, of: object).first else { continue }
      try set(places, keys.values(columns, of: destination))
    }
    do { try statement.run(row) } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CONSTRAINT
    {
      throw CloneError.takenKey(of: object)
    }
  }
}

extension RawStatement {
  func run(_ values: [DatabaseValue]) throws {
    bind(values.map(RawValue.init))
    _ = try execute()
  }
}

extension CloneError {
  /// An object whose references share a column, and lead to objects with different values for it.
  fileprivate static func sharedColumn(_ column: String, of object: ObjectID) -> CloneError {
    CloneError(
      .invalidValue,
      "the references of \(object) share the column '\(column)' with each other or with its key, but they need different "
        + "values in it; all of them must refer to objects of the same '\(column)'", object: object)
  }

  fileprivate static func takenKey(of object: ObjectID) -> CloneError {
    CloneError(
      .uniqueValue, "another object of the source has the same key in the store's tables as \(object)",
      object: object)
  }
}
