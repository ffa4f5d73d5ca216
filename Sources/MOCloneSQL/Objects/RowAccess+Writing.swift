import MOCloneEngine
import MOCloneModel

extension RowAccess {
  package func count(_ name: String) throws -> Int {
    let rows = From("\(dialect.table(try entity(name).table)) s")
    return Int(try db.number(Select(["count(*)"], from: rows).where(kind(of: name, "s"))) ?? 0)
  }

  package func setValue(_ value: AttributeValue, for name: String, of object: ObjectID) throws {
    let fitted = try model.settable(value, for: name, of: object, in: mapping)
    let column = try attribute(name, of: object.entity).1
    try checkRoom(for: fitted, in: column, of: object.entity)
    try update(object, [column.column], to: [ValueCoding(column).encode(fitted)])
  }

  /// Writes columns of an object's row.
  package func update(_ object: ObjectID, _ columns: [String], to values: [StoredValue]) throws {
    var arguments = Arguments()
    let condition = try row(of: object, "s", &arguments)
    let assignments = zip(columns, values).map { (dialect.name($0), arguments.add($1, dialect)) }
    let update = Update("\(dialect.table(mapping[object.entity].table)) AS s", assignments: assignments)
      .where(condition)
    let count = try namingRefusals(of: object.entity) {
      try db.execute(update.text(dialect), arguments.values)
    }
    if count == 0 { throw CloneError.noSuchObject(object.entity, object.key) }
  }

  /// Puts what a constraint of the store refuses into the model's words.
  func namingRefusals<Result>(of entity: String, body: () throws -> Result) throws -> Result {
    func isNamed(_ failure: ConstraintFailure) -> Bool { failure.isUnique || failure.isOfNull }
    do { return try db.attempting(body) } catch {
      guard db.refusal(error, writing: nil, of: [entity], mapping: mapping).map(isNamed) == true else {
        throw error
      }
      let table = try db.schema(of: [mapping[entity].table], mapping)[mapping[entity].table]
      guard let failure = db.refusal(error, writing: table, of: [entity], mapping: mapping), isNamed(failure)
      else { throw error }
      if failure.isOfNull, let relationship = failure.properties.first,
        model.relationship(relationship, of: entity)?.isOptional == false
      {
        throw CloneError(
          .requiredLeftEmpty, "'\(relationship)' of \(entity) is required, so it cannot be empty",
          entity: entity, property: relationship)
      }
      throw failure.error(of: entity)
    }
  }
}
