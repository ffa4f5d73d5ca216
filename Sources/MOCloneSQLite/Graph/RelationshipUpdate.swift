import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Replaces the destinations of a relationship.
struct RelationshipUpdate {
  let access: RowAccess
  private var db: Database { access.db }
  private var positions: ListPositions { access.mapping.positions }

  func set(_ destinations: [ObjectID], _ name: String, of object: ObjectID) throws {
    let relationship = try access.relationship(name, of: object.entity)
    guard relationship.isToMany || destinations.count <= 1 else {
      throw CloneError(
        .invalidValue,
        "'\(name)' of \(object) is to-one, so it cannot have \(destinations.count) destinations",
        property: name, object: object)
    }
    for destination in destinations
    where !access.model.isKind(destination.entity, of: relationship.destination) {
      throw CloneError(
        .invalidValue,
        "'\(name)' of \(object) has the destination \(relationship.destination), but \(destination) is not one",
        property: name, object: object)
    }
    switch access.mapping[object.entity].relationships[name]! {
    case .foreignKey(let key): try setForeignKey(key, relationship, destinations.first, of: object)
    case .inverseForeignKey(let key): try setMembers(key, destinations, name, of: object)
    case .join(let join): try setJoinRows(join, destinations, name, of: object)
    }
  }

  private func setForeignKey(
    _ key: ForeignKeyMapping, _ relationship: RelationshipDescription, _ destination: ObjectID?,
    of object: ObjectID
  ) throws {
    guard try access.destinations(relationship.name, of: object).first != destination else { return }
    guard let destination else { return try empty(key, of: object) }
    let references = try access.columns(key.references, of: destination)
    try refuseOtherValues(key, references, relationship, of: object)
    if access.model.inverse(of: relationship)?.isToMany == false { try emptyAll(key, where: references) }
    var columns = key.columns
    var values = references
    if let order = key.orderColumn {
      columns.append(order)
      values.append(try end(of: key, references).databaseValue)
    }
    try access.update(object, columns, to: values)
  }

  private func setMembers(
    _ key: ForeignKeyMapping, _ members: [ObjectID], _ name: String, of object: ObjectID
  ) throws {
    let references = try access.columns(key.references, of: object)
    let before = try access.destinations(name, of: object)
    for member in before where !members.contains(member) { try empty(key, of: member) }
    for (place, member) in members.enumerated() {
      let isNew = !before.contains(member)
      guard isNew || key.orderColumn != nil else { continue }
      try refuseOtherValues(key, references, access.relationship(name, of: object.entity), of: member)
      try access.update(
        member, key.columns + [key.orderColumn].compactMap { $0 },
        to: references + (key.orderColumn == nil ? [] : [positions[place].databaseValue]))
    }
  }

  private func setJoinRows(
    _ join: JoinTableMapping, _ members: [ObjectID], _ name: String, of object: ObjectID
  ) throws {
    let own = try access.columns(join.references, of: object)
    let before = try access.destinations(name, of: object)
    let columns = join.columns + join.destinationColumns
    let condition = Condition.equal(columns.map(Dialect.sqlite.name), columns.map { _ in "?" }).text
    for member in before where !members.contains(member) {
      let joinRow = own + (try access.columns(join.destinationReferences, of: member))
      try db.execute(
        sql: "DELETE FROM \(Dialect.sqlite.table(join.table)) WHERE \(condition)",
        arguments: StatementArguments(joinRow))
    }
    for (place, member) in members.enumerated() {
      let joinRow = own + (try access.columns(join.destinationReferences, of: member))
      if !before.contains(member) { try insertJoinRow(join, columns, joinRow) }
      guard let order = join.orderColumn else { continue }
      try db.execute(
        sql:
          "UPDATE \(Dialect.sqlite.table(join.table)) SET \(Dialect.sqlite.name(order)) = ? WHERE \(condition)",
        arguments: StatementArguments([positions[place].databaseValue] + joinRow))
    }
  }

  /// A column that the object's key or another of its references holds too keeps its value.
  private func refuseOtherValues(
    _ key: ForeignKeyMapping, _ values: [DatabaseValue], _ relationship: RelationshipDescription,
    of object: ObjectID
  ) throws {
    let own = access.mapping[object.entity]
    for (column, value) in zip(key.columns, values) {
      let isPart = key.columns.count > 1 && own.keyPart(of: column) != nil
      let others = own.foreignKeys.map(\.key).filter { other in
        other.columns != key.columns && other.columns.contains { $0.sqlName == column.sqlName }
      }
      guard isPart || !others.isEmpty, try access.columns([column], of: object)[0] != value else { continue }
      guard try isPart || others.contains(where: { try isLinked($0, of: object) }) else { continue }
      throw CloneError.sharedColumn(column, relationship, of: object.entity)
    }
  }

  private func isLinked(_ key: ForeignKeyMapping, of object: ObjectID) throws -> Bool {
    try access.columns(key.columns, of: object).allSatisfy { !$0.isNull }
  }

  private func insertJoinRow(_ join: JoinTableMapping, _ ends: [String], _ joinRow: [DatabaseValue]) throws {
    var columns: [String] = []
    var values: [DatabaseValue] = []
    for (column, value) in zip(ends, joinRow) {
      guard let known = columns.firstIndex(where: { $0.sqlName == column.sqlName }) else {
        columns.append(column)
        values.append(value)
        continue
      }
      if values[known] != value { throw CloneError.sharedColumn(column, of: join) }
    }
    if let order = join.inverseOrderColumn {
      let end = try Int64.fetchOne(
        db,
        sql: "SELECT max(\(Dialect.sqlite.name(order))) FROM \(Dialect.sqlite.table(join.table)) "
          + "WHERE \(Condition.equal(join.destinationColumns.map(Dialect.sqlite.name), join.destinationColumns.map { _ in "?" }).text)",
        arguments: StatementArguments(Array(joinRow.suffix(join.destinationColumns.count))))
      columns.append(order)
      values.append(try behind(end, in: join.table).databaseValue)
    }
    let names = columns.map(Dialect.sqlite.name).list
    try db.execute(
      sql:
        "INSERT INTO \(Dialect.sqlite.table(join.table))(\(names)) VALUES (\(columns.map { _ in "?" }.list))",
      arguments: StatementArguments(values))
  }

  /// The position behind the last member of a list.
  func end(of key: ForeignKeyMapping, _ references: [DatabaseValue]) throws -> Int64 {
    let members = From("\(Dialect.sqlite.table(access.mapping[key.entity].table)) s")
    let last = Select(["max(\(Dialect.sqlite.column("s", key.orderColumn!)))"], from: members).where(
      holds(key))
    let end = try Int64.fetchOne(db, sql: last.text(.sqlite), arguments: StatementArguments(references))
    return try behind(end, in: access.mapping[key.entity].table)
  }

  private func behind(_ last: Int64?, in table: String) throws -> Int64 {
    guard let last else { return Int64(positions[0]) }
    let (next, isTooGreat) = last.addingReportingOverflow(Int64(positions.step))
    guard !isTooGreat else {
      throw CloneError(
        .noRoomForKeys,
        "a list in the table '\(table)' has used the position \(last), so it has no room for new members")
    }
    return next
  }

  func empty(_ key: ForeignKeyMapping, of object: ObjectID) throws {
    let columns = emptied(key, of: object.entity)
    try access.update(object, columns, to: columns.map { _ in .null })
  }

  /// The columns whose emptying empties a key: those that are part of the primary key or of another reference too keep
  /// what they hold, where others are left.
  private func emptied(_ key: ForeignKeyMapping, of entity: String) -> [String] {
    let own = access.mapping[entity]
    let others = own.foreignKeys.map(\.key).filter { $0.columns != key.columns }.flatMap(\.columns)
    let kept = Set((own.keyColumns + others).map { $0.sqlName })
    let free = key.columns.filter { !kept.contains($0.sqlName) }
    return (free.isEmpty ? key.columns : free) + [key.orderColumn].compactMap { $0 }
  }

  /// Empties the key in every row that refers to something.
  func emptyAll(_ key: ForeignKeyMapping, where references: [DatabaseValue]) throws {
    let columns = emptied(key, of: key.entity)
    let table = Dialect.sqlite.table(access.mapping[key.entity].table)
    let emptied = Update("\(table) AS s", columns.map { (Dialect.sqlite.name($0), "NULL") }).where(holds(key))
    try db.execute(sql: emptied.text(.sqlite), arguments: StatementArguments(references))
  }

  /// Whether a row `s` holds a key, whose values are the arguments.
  private func holds(_ key: ForeignKeyMapping) -> Condition {
    .equal(key.columns.map { Dialect.sqlite.column("s", $0) }, key.columns.map { _ in "?" })
      && access.holders.condition(key, "s")
  }
}

extension CloneError {
  /// A column that several references share, and that can hold one value only.
  static func sharedColumn(
    _ column: String, _ relationship: RelationshipDescription, of entity: String
  ) -> CloneError {
    CloneError(
      .invalidValue,
      "'\(relationship.qualifiedName)' shares the column '\(column)' with the key or with another reference of \(entity), "
        + "which has another value; both must refer to objects of the same '\(column)'", entity: entity,
      property: relationship.name)
  }

  static func sharedColumn(_ column: String, of join: JoinTableMapping) -> CloneError {
    CloneError(
      .invalidValue,
      "both ends of a row of the join table '\(join.table)' share the column '\(column)', so they must be objects of the "
        + "same '\(column)'")
  }
}
