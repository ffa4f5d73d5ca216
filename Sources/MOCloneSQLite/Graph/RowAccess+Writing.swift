import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension RowAccess {
  func count(_ name: String) throws -> Int {
    let entity = try entity(name)
    let filter = kind(of: name, "s").map { " WHERE " + $0 } ?? ""
    return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(Dialect.sqlite.table(entity.table)) s\(filter)")
      ?? 0
  }

  func setValue(_ value: AttributeValue, for name: String, of object: ObjectID) throws {
    let (attribute, column) = try attribute(name, of: object.entity)
    guard column.keyPart == nil else {
      throw CloneError(
        .invalidValue, "'\(name)' of \(object) is part of its key, so it is read-only", property: name,
        object: object)
    }
    let fitted = try attribute.checked(value, for: object.entity)
    try update(object, [column.column], to: [ValueCoding(column).encode(fitted)])
  }

  /// Writes columns of an object's row.
  func update(_ object: ObjectID, _ columns: [String], to values: [DatabaseValue]) throws {
    let (condition, arguments) = try row(of: object, "s")
    let assignments = columns.map { Dialect.sqlite.name($0) + " = ?" }.list
    try namingUnique(object.entity) {
      try db.execute(
        sql:
          "UPDATE \(Dialect.sqlite.table(mapping[object.entity].table)) AS s SET \(assignments) WHERE \(condition)",
        arguments: StatementArguments(values + arguments))
    }
    if db.changesCount == 0 { throw CloneError.noSuchObject(object.entity, object.key) }
  }
}

extension RowAccess {
  /// Puts what a constraint of the store refuses into the model's words.
  func namingUnique(_ entity: String, _ body: () throws -> Void) throws {
    do { try body() } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      let table = try SchemaReader(db: db).schema(of: [mapping[entity].table])[mapping[entity].table]
      guard let failure = ConstraintFailure(error, writing: table, of: [entity], mapping), failure.isUnique
      else { throw error }
      throw failure.error(of: entity)
    }
  }
}
