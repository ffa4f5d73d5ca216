import MOCloneEngine
import MOCloneModel

/// Writes the objects of one table as rows.
struct ObjectRowWriter {
  /// Where the properties of one entity lie in a row.
  private struct Shape {
    var keys: [Int]
    var attributes: [(name: String, place: Int, coding: ValueCoding)]
    var mark: (place: Int, value: StoredValue)?
    var references: [(relationship: String, places: [Int], columns: [String])]
  }

  private let plan: TablePlan
  private let columns: [String]
  private let keys: StagedKeys
  private let rows: any RowWriting
  private let db: any TransferConnection
  private let mapping: SchemaMapping
  private let shapes: [String: Shape]

  /// - Parameter columns: those that the statement takes, in their order.
  init(
    _ table: TablePlan, columns: [String], keys: StagedKeys, in db: any TransferConnection,
    layout: TransferLayout, into rows: any RowWriting
  ) {
    plan = table
    (self.columns, self.keys, self.rows) = (columns, keys, rows)
    self.db = db
    mapping = layout.mapping
    let places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.sqlName, $0) })
    shapes = Dictionary(
      uniqueKeysWithValues: table.entities.map { entity in
        let map = layout.mapping[entity]
        func place(_ column: String) -> Int { places[column.sqlName]! }
        let shape = Shape(
          keys: map.keyColumns.map(place),
          attributes: map.attributes.filter { $0.value.keyPart == nil && layout.reads($0.key, of: entity) }
            .map { ($0.key, place($0.value.column), ValueCoding($0.value)) },
          mark: map.discriminator.map { (place($0.column), StoredValue.text($0.value)) },
          references: map.foreignKeys.map { ($0.relationship, $0.key.columns.map(place), $0.key.references) })
        return (entity, shape)
      })
  }

  /// - Throws: `CloneError` (`unique-value`, `invalid-value`) where no row of the store can hold the object.
  func write(_ object: ObjectID, with values: [Int: StoredValue] = [:]) throws {
    let shape = shapes[object.entity]!
    var row = Array(repeating: StoredValue.null, count: columns.count)
    func set(_ places: [Int], _ values: [StoredValue]) throws {
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
      if !db.dialect.hasTypes, case .real(let number) = row[place], number.isNaN {
        throw CloneError.notANumber(name, of: object)
      }
    }
    if let mark = shape.mark { row[mark.place] = mark.value }
    for (relationship, places, columns) in shape.references {
      guard let destination = try keys.source.destinations(relationship, of: object).first else { continue }
      try set(places, keys.values(columns, of: destination))
    }
    for (place, value) in values { row[place] = value }
    if !db.dialect.storesZeros, let place = row.firstIndex(where: \.hasZero) {
      throw CloneError.zeroInString(property(at: place, of: object.entity), of: object)
    }
    try write(row, of: object)
  }

  /// Writes the row of an object, whose values lie in the order of the columns.
  ///
  /// - Throws: `CloneError` (`unique-value`, `invalid-value`), also for an earlier object.
  func write(_ row: [StoredValue], of object: @autoclosure () throws -> ObjectID) throws {
    do { try rows.write(row) } catch {
      if let refused = rows.refused(by: error) { throw refusal(refused, error) }
      guard db.refusal(error, writing: nil, of: [], mapping: mapping) != nil else { throw error }
      throw try CloneError.takenKey(of: object())
    }
  }

  /// The table that the rows are for.
  var table: TableSchema { plan.schema }

  func place(_ column: String) -> Int { columns.firstIndex { $0.sqlName == column.sqlName }! }

  /// How many columns a row has.
  var width: Int { columns.count }

  /// Waits until every row is written.
  ///
  /// - Throws: `CloneError` (`unique-value`, `invalid-value`).
  func finish() throws {
    do { try rows.finish() } catch {
      if let refused = rows.refused(by: error) { throw refusal(refused, error) }
      throw error
    }
  }

  // MARK: Refused rows

  /// A value that the type of its column does not take; else it is the key, for nothing else is kept apart.
  private func refusal(_ refused: RefusedRow, _ error: any Error) -> CloneError {
    let object = object(refused.fields)
    guard refused.column != nil || db.refusal(error, writing: nil, of: [], mapping: mapping) == nil else {
      return .takenKey(of: object)
    }
    var failure = CloneError.Failure.untaken(
      refused.column.flatMap { refused.fields[$0] }, of: "\(object)",
      by: refused.column.flatMap { table.column(columns[$0]) }, of: mapping[object.entity].table,
      refused.reason)
    failure.property = refused.column.map { property(at: $0, of: object.entity) }
    (failure.entity, failure.object) = (object.entity, object)
    return CloneError([failure], underlying: error)
  }

  /// The attribute in a column; the column itself where it is part of no attribute.
  private func property(at place: Int, of entity: String) -> String {
    mapping[entity].attributes.first { $0.value.column.sqlName == columns[place].sqlName }?.key
      ?? columns[place]
  }

  /// The object of a row.
  private func object(_ fields: [String?]) -> ObjectID {
    let key = plan.keyColumns.map { column -> StoredValue in
      guard let text = fields[place(column.name)] else { return .null }
      return column.isNumeric ? Int64(text).map(StoredValue.integer) ?? .text(text) : .text(text)
    }
    let mark = plan.discriminator.flatMap { fields[place($0)] }
    return ObjectID(plan.entity(marked: mark), key: key.key(of: plan))
  }
}

extension CloneError {
  /// An object whose references share a column, and lead to objects with different values for it.
  fileprivate static func sharedColumn(_ column: String, of object: ObjectID) -> CloneError {
    CloneError(
      .invalidValue,
      "the references of \(object) share the column '\(column)' with each other or with its key, but they need "
        + "different values in it",
      help: "all of them must refer to objects of the same '\(column)'", object: object)
  }

  fileprivate static func zeroInString(_ attribute: String, of object: ObjectID) -> CloneError {
    CloneError(
      .invalidValue,
      "'\(attribute)' of \(object) contains the character U+0000, which the database cannot store",
      help: "remove it",
      property: attribute, object: object)
  }

  fileprivate static func notANumber(_ attribute: String, of object: ObjectID) -> CloneError {
    CloneError(
      .invalidValue, "'\(attribute)' of \(object) is NaN, of which SQLite makes null",
      help: "change the value",
      property: attribute, object: object)
  }

  fileprivate static func takenKey(of object: ObjectID) -> CloneError {
    CloneError(
      .uniqueValue, "another object of the source has the same key in the store's tables as \(object)",
      object: object)
  }
}
