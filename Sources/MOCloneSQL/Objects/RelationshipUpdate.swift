import Foundation
import MOCloneEngine
import MOCloneModel

/// Replaces the destinations of a relationship.
struct RelationshipUpdate<Connection: SQLConnection> {
  let access: RowAccess<Connection>
  private var db: Connection { access.db }
  private var dialect: Dialect { access.dialect }
  private var positions: ListPositions { access.mapping.positions }

  func set(_ destinations: [ObjectID], _ name: String, of object: ObjectID) throws {
    let relationship = try access.model.existingRelationship(name, of: object.entity)
    let destinations = destinations.uniqued()
    try access.model.check(destinations: destinations, of: relationship, object: object)
    switch access.mapping[object.entity].relationships[name]! {
    case .foreignKey(let key):
      try setForeignKey(key, relationship: relationship, destination: destinations.first, of: object)
    case .inverseForeignKey(let key): try setMembers(key, members: destinations, name: name, of: object)
    case .join(let join): try setJoinRows(join, members: destinations, name: name, of: object)
    }
  }

  private func setForeignKey(
    _ key: ForeignKeyMapping, relationship: RelationshipDescription, destination: ObjectID?,
    of object: ObjectID
  ) throws {
    guard try access.destinations(relationship.name, of: object).first != destination else { return }
    guard let destination else { return try empty(key, of: object) }
    let references = try access.columns(key.references, of: destination)
    try refuseOtherValues(key, values: references, relationship: relationship, of: object)
    try release(destination, references, from: key, of: relationship)
    let position = try key.orderColumn.map {
      (column: $0, value: StoredValue.integer(try end(of: key, references)))
    }
    try write(key, references, position, of: object)
  }

  /// A part of the object's own key among several columns holds its value already.
  private func write(
    _ key: ForeignKeyMapping, _ values: [StoredValue], _ position: (column: String, value: StoredValue)?,
    of object: ObjectID
  ) throws {
    let own = access.mapping[object.entity]
    let changed = zip(key.columns, values).filter { key.columns.count == 1 || own.keyPart(of: $0.0) == nil }
    let all = changed.map { (column: $0.0, value: $0.1) } + [position].compactMap { $0 }
    guard !all.isEmpty else { return }
    try access.update(object, all.map(\.column), to: all.map(\.value))
  }

  /// Takes the destination of a one-to-one away from the object that has it.
  ///
  /// - Throws: `CloneError` (`constraint-failed`) where that one requires it.
  func release(
    _ destination: ObjectID, _ references: [StoredValue], from key: ForeignKeyMapping,
    of relationship: RelationshipDescription
  ) throws {
    guard access.model.inverse(of: relationship)?.isToMany == false else { return }
    if relationship.isOptional { return try emptyAll(key, where: references) }
    var arguments = Arguments()
    let holders = holds(key, values: references, arguments: &arguments)
    if try !access.ids(key.entity, where: holders, arguments: arguments, limit: 1).isEmpty {
      throw CloneError.relatedObjectTaken(relationship, relatedObject: "\(destination)", isRequired: true)
    }
  }

  private func setMembers(
    _ key: ForeignKeyMapping, members: [ObjectID], name: String, of object: ObjectID
  ) throws {
    let references = try access.columns(key.references, of: object)
    let before = try access.destinations(name, of: object)
    for member in before where !members.contains(member) { try empty(key, of: member) }
    for (place, member) in members.enumerated() {
      let isNew = !before.contains(member)
      guard isNew || key.orderColumn != nil else { continue }
      try refuseOtherValues(
        key, values: references, relationship: access.model.existingRelationship(name, of: object.entity),
        of: member)
      let position = key.orderColumn.map { (column: $0, value: StoredValue.integer(Int64(positions[place]))) }
      try write(key, references, position, of: member)
    }
  }

  private func setJoinRows(
    _ join: JoinTableMapping, members: [ObjectID], name: String, of object: ObjectID
  ) throws {
    let own = try access.columns(join.references, of: object)
    let before = try access.destinations(name, of: object)
    let columns = join.columns + join.destinationColumns
    let table = dialect.table(join.table)
    func isRow(_ values: [StoredValue], _ arguments: inout Arguments) -> Condition {
      .equal(columns.map(dialect.name), arguments.add(values, dialect))
    }
    for member in before where !members.contains(member) {
      var arguments = Arguments()
      let joinRow = own + (try access.columns(join.destinationReferences, of: member))
      let delete = Delete(table).where(isRow(joinRow, &arguments))
      try db.execute(delete.text, arguments.values)
    }
    for (place, member) in members.enumerated() {
      let joinRow = own + (try access.columns(join.destinationReferences, of: member))
      if !before.contains(member) { try insertJoinRow(join, ends: columns, joinRow: joinRow) }
      guard let order = join.orderColumn else { continue }
      var arguments = Arguments()
      let position = arguments.add(.integer(Int64(positions[place])), dialect)
      let update = Update(table, assignments: [(dialect.name(order), position)]).where(
        isRow(joinRow, &arguments))
      try db.execute(update.text(dialect), arguments.values)
    }
  }

  /// A column that the object's key or another of its references holds too keeps its value.
  private func refuseOtherValues(
    _ key: ForeignKeyMapping, values: [StoredValue], relationship: RelationshipDescription,
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
      throw CloneError.sharedColumn(column, relationship: relationship, of: object.entity)
    }
  }

  private func isLinked(_ key: ForeignKeyMapping, of object: ObjectID) throws -> Bool {
    try access.columns(key.columns, of: object).allSatisfy { $0 != .null }
  }

  private func insertJoinRow(_ join: JoinTableMapping, ends: [String], joinRow: [StoredValue]) throws {
    var columns: [String] = []
    var values: [StoredValue] = []
    for (column, value) in zip(ends, joinRow) {
      guard let known = columns.firstIndex(where: { $0.sqlName == column.sqlName }) else {
        columns.append(column)
        values.append(value)
        continue
      }
      if values[known] != value { throw CloneError.sharedColumn(column, of: join) }
    }
    if let order = join.inverseOrderColumn {
      var arguments = Arguments()
      let list = Condition.equal(
        dialect.columns("s", join.destinationColumns),
        arguments.add(Array(joinRow.suffix(join.destinationColumns.count)), dialect))
      columns.append(order)
      values.append(.integer(try end(of: order, in: join.table, where: list, arguments)))
    }
    var arguments = Arguments()
    let insert = Insert(
      into: dialect.table(join.table), columns.map(dialect.name),
      rows: "VALUES (\(arguments.add(values, dialect).list))")
    try db.execute(insert.text(dialect), arguments.values)
  }

  /// The position behind the last member of a list.
  func end(of key: ForeignKeyMapping, _ references: [StoredValue]) throws -> Int64 {
    var arguments = Arguments()
    let list = holds(key, values: references, arguments: &arguments)
    return try end(of: key.orderColumn!, in: access.mapping[key.entity].table, where: list, arguments)
  }

  /// The position behind the last of the rows `s` of a list.
  private func end(
    of column: String, in table: String, where list: Condition, _ arguments: Arguments
  ) throws -> Int64 {
    let rows = From("\(dialect.table(table)) s")
    let greatest = Select(["max(\(dialect.column("s", column)))"], from: rows).where(list)
    guard let last = try db.number(greatest, arguments) else { return Int64(positions[0]) }
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
    try access.update(object, columns, to: columns.map { _ in StoredValue.null })
  }

  private func emptied(_ key: ForeignKeyMapping, of entity: String) -> [String] {
    access.mapping[entity].columns(emptying: key) + [key.orderColumn].compactMap { $0 }
  }

  /// Empties the key in every row that refers to something.
  func emptyAll(_ key: ForeignKeyMapping, where references: [StoredValue]) throws {
    var arguments = Arguments()
    let columns = emptied(key, of: key.entity)
    let table = dialect.table(access.mapping[key.entity].table)
    let emptied = Update("\(table) AS s", assignments: columns.map { (dialect.name($0), "NULL") })
      .where(holds(key, values: references, arguments: &arguments))
    try db.execute(emptied.text(dialect), arguments.values)
  }

  /// Whether a row `s` holds the values of a key.
  private func holds(
    _ key: ForeignKeyMapping, values: [StoredValue], arguments: inout Arguments
  ) -> Condition {
    .equal(dialect.columns("s", key.columns), arguments.add(values, dialect))
      && access.holders.condition(key, alias: "s")
  }
}

extension CloneError {
  /// A column that several references share, and that can hold one value only.
  static func sharedColumn(
    _ column: String, relationship: RelationshipDescription, of entity: String
  ) -> CloneError {
    CloneError(
      .invalidValue,
      "'\(relationship.qualifiedName)' shares the column '\(column)' with the key or with another reference of "
        + "\(entity), which has another value",
      help: "both must refer to objects of the same '\(column)'", entity: entity,
      property: relationship.name)
  }

  static func sharedColumn(_ column: String, of join: JoinTableMapping) -> CloneError {
    CloneError(
      .invalidValue,
      "both ends of a row of the join table '\(join.table)' share the column '\(column)', so they must be objects of the "
        + "same '\(column)'")
  }
}
