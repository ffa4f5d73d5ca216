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
  fileprivate func namingUnique(_ entity: String, _ body: () throws -> Void) throws {
    do { try body() } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      let table = try SchemaReader(db: db).schema(of: [mapping[entity].table])[mapping[entity].table]
      guard let failure = ConstraintFailure(error, writing: table, of: [entity], mapping), failure.isUnique
      else { throw error }
      throw failure.error(of: entity)
    }
  }
}

/// Inserts one object.
struct RowInsert {
  let access: RowAccess

  func insert(_ name: String, key: ObjectKey?, values: [String: AttributeValue]) throws -> ObjectID {
    let entity = try access.entity(name)
    guard access.model.entity(name)?.isAbstract == false else {
      throw CloneError(
        .invalidValue,
        "\(name) is abstract, so it has no objects of its own; insert an object of a sub-entity", entity: name
      )
    }
    var row: [String: DatabaseValue] = [:]
    for unknown in values.keys.sorted() where !access.model.propertyNames(of: name).contains(unknown) {
      throw CloneError.unknownProperty(unknown, of: name, in: access.model)
    }
    try setAttributes(&row, name, values)
    try setReferences(&row, name, values)
    if let discriminator = entity.discriminator {
      row[discriminator.column] = discriminator.value.databaseValue
    }
    try setKey(&row, entity, key)
    return try write(row, entity)
  }

  private func setAttributes(
    _ row: inout [String: DatabaseValue], _ name: String, _ values: [String: AttributeValue]
  ) throws {
    for attribute in access.model.attributes(of: name) {
      if attribute.isTransient {
        if let value = values[attribute.name] { _ = try attribute.checked(value, for: name) }
        continue
      }
      let column = access.mapping[name].attributes[attribute.name]!
      if attribute.isKeptByTriggers, values[attribute.name] != nil {
        throw CloneError([.keptByTriggers(attribute, of: name)])
      }
      if column.keyPart != nil && values[attribute.name] == nil { continue }
      let value = values[attribute.name] ?? attribute.defaultValue ?? .null
      row[column.column] = ValueCoding(column).encode(try attribute.checked(value, for: name))
    }
  }

  private func setReferences(
    _ row: inout [String: DatabaseValue], _ name: String, _ values: [String: AttributeValue]
  ) throws {
    for relationship in access.model.relationships(of: name) {
      guard let value = values[relationship.name], !value.isNull else { continue }
      guard case .foreignKey(let key) = access.mapping[name].relationships[relationship.name] else {
        throw CloneError(
          .invalidValue,
          "'\(relationship.name)' of \(name) is not stored in its own row; set it after the insertion",
          entity: name, property: relationship.name)
      }
      let asked = ObjectKey([value])
      guard let destination = try access.find(relationship.destination, key: asked) else {
        throw CloneError.noSuchObject(relationship.destination, asked)
      }
      let references = try access.columns(key.references, of: destination)
      for (column, value) in zip(key.columns, references) {
        if let other = row[column], other != value {
          throw CloneError.sharedColumn(column, relationship, of: name)
        }
        row[column] = value
      }
      if let order = key.orderColumn {
        row[order] = try RelationshipUpdate(access: access).end(of: key, references).databaseValue
      }
    }
  }

  /// Fills in the parts of the key that the row has not got yet.
  private func setKey(
    _ row: inout [String: DatabaseValue], _ entity: EntityMapping, _ key: ObjectKey?
  ) throws {
    let coding = KeyCoding(entity: entity)
    let open = entity.key.indices.filter { row[entity.key[$0].column] == nil && !entity.key[$0].isMade }
    let isWhole = key?.parts.count == entity.key.count
    for (place, part) in (isWhole ? Array(entity.key.indices) : open).enumerated() {
      guard let key, place < key.parts.count, !key.parts[place].isNull else { continue }
      row[entity.key[part].column] = coding.encode(key.parts[place], part: part)
    }
    for (i, part) in entity.key.enumerated() where row[part.column] == nil {
      guard case .uuid = part.source else { continue }
      row[part.column] = coding.encode(.uuid(UUID()), part: i)
    }
    for part in entity.key where row[part.column] == nil {
      row[part.column] = try nextNumber(part, entity, row)
    }
  }

  /// Whether SQLite makes the column's value, as GRDB keeps it: a key with an index of its own is no row number, though
  /// it be declared INTEGER (`DESC`, `WITHOUT ROWID`).
  private func isMadeByInsert(_ column: String, of table: String) throws -> Bool {
    guard try db.primaryKey(table, in: "main").rowIDColumn?.sqlName == column.sqlName else { return false }
    return try !db.indexes(on: table, in: "main").contains { $0.origin == .primaryKeyConstraint }
  }

  /// The greatest number of a part of the key and one, within the other parts; nil where SQLite makes it.
  private func nextNumber(
    _ part: KeyPart, _ entity: EntityMapping, _ row: [String: DatabaseValue]
  ) throws -> DatabaseValue? {
    guard [.rowid, .automatic, .max].contains(part.source),
      try !isMadeByInsert(part.column, of: entity.table),
      let table = try SchemaReader(db: db).schema(of: [entity.table])[entity.table],
      !table.isRowid(part.column)
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
    let greatest = try Int64.fetchOne(
      db,
      sql: "SELECT max(\(Dialect.sqlite.name(part.column))) FROM \(Dialect.sqlite.table(table.name)) "
        + "WHERE \(Condition.equal(others.map { Dialect.sqlite.name($0.column) }, others.map { _ in "?" }).text)",
      arguments: StatementArguments(others.map { row[$0.column] ?? .null }))
    return try next(after: max(greatest ?? 0, 0), entity)
  }

  private func next(after number: Int64, _ entity: EntityMapping) throws -> DatabaseValue {
    let (next, isTooGreat) = number.addingReportingOverflow(1)
    guard !isTooGreat else {
      throw CloneError(
        .noRoomForKeys,
        "the table '\(entity.table)' has used the key \(number), so it has no room for new keys",
        entity: entity.entity)
    }
    return next.databaseValue
  }

  private func write(_ row: [String: DatabaseValue], _ entity: EntityMapping) throws -> ObjectID {
    let columns = row.keys.sorted()
    let names = columns.map(Dialect.sqlite.name).list
    let marks = columns.map { _ in "?" }.list
    let target = Dialect.sqlite.table(entity.table)
    try access.namingUnique(entity.entity) {
      try db.execute(
        sql: columns.isEmpty
          ? "INSERT INTO \(target) DEFAULT VALUES" : "INSERT INTO \(target)(\(names)) VALUES (\(marks))",
        arguments: StatementArguments(columns.map { row[$0]! }))
    }
    let coding = KeyCoding(entity: entity)
    let parts = entity.key.enumerated().map { i, part in
      row[part.column].map { coding.decode($0, part: i) } ?? .integer(db.lastInsertedRowID)
    }
    return ObjectID(entity.entity, key: ObjectKey(parts))
  }

  private var db: Database { access.db }
}

extension KeyPart {
  /// Whether the store or a relationship makes the part.
  fileprivate var isMade: Bool {
    switch source {
    case .rowid, .max, .automatic, .uuid, .relationship: true
    case .copied, .given: false
    }
  }
}

/// Replaces the destinations of a relationship.
struct RelationshipUpdate {
  let access: RowAccess
  private var db: Database { access.db }

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
        to: references + (key.orderColumn == nil ? [] : [(place + 1).databaseValue]))
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
        arguments: StatementArguments([(place + 1).databaseValue] + joinRow))
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
    guard let last else { return 1 }
    guard last < Int64.max else {
      throw CloneError(
        .noRoomForKeys,
        "a list in the table '\(table)' has used the position \(last), so it has no room for new members")
    }
    return last + 1
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
  fileprivate static func sharedColumn(
    _ column: String, _ relationship: RelationshipDescription, of entity: String
  ) -> CloneError {
    CloneError(
      .invalidValue,
      "'\(relationship.qualifiedName)' shares the column '\(column)' with the key or with another reference of \(entity), "
        + "which has another value; both must refer to objects of the same '\(column)'", entity: entity,
      property: relationship.name)
  }

  fileprivate static func sharedColumn(_ column: String, of join: JoinTableMapping) -> CloneError {
    CloneError(
      .invalidValue,
      "both ends of a row of the join table '\(join.table)' share the column '\(column)', so they must be objects of the "
        + "same '\(column)'")
  }
}

/// Deletes an object by the delete rules of its relationships.
struct RowDeletion {
  let access: RowAccess
  private var db: Database { access.db }

  func delete(_ object: ObjectID) throws {
    guard try access.find(object.entity, key: object.key) != nil else {
      throw CloneError.noSuchObject(object.entity, object.key)
    }
    let deleted = try closure(of: object)
    try refuseDenied(deleted)
    // Rows that refer to each other go one after another.
    try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    for object in deleted { try release(object, Set(deleted)) }
    for object in deleted { try deleteRow(object) }
  }

  private func closure(of object: ObjectID) throws -> [ObjectID] {
    var found = [object]
    var seen: Set<ObjectID> = [object]
    var next = 0
    while next < found.count {
      for relationship in access.model.relationships(of: found[next].entity)
      where relationship.deleteRule == .cascade {
        found += try access.destinations(relationship.name, of: found[next]).filter {
          seen.insert($0).inserted
        }
      }
      next += 1
    }
    return found
  }

  private func refuseDenied(_ deleted: [ObjectID]) throws {
    let gone = Set(deleted)
    for object in deleted {
      for relationship in access.model.relationships(of: object.entity) where relationship.deleteRule == .deny
      {
        let left = try access.destinations(relationship.name, of: object).filter { !gone.contains($0) }
        guard let first = left.first else { continue }
        throw CloneError(
          .deleteDenied,
          "\(object) cannot be deleted: its '\(relationship.name)' still contains \(left.count) objects (\(first)), and the "
            + "relationship's delete rule is deny", property: relationship.name, object: object)
      }
    }
  }

  /// Empties what refers to an object from outside.
  private func release(_ object: ObjectID, _ deleted: Set<ObjectID>) throws {
    let update = RelationshipUpdate(access: access)
    for relationship in access.model.relationships(of: object.entity)
    where relationship.deleteRule != .noAction {
      switch access.mapping[object.entity].relationships[relationship.name]! {
      case .foreignKey: continue
      case .inverseForeignKey(let key):
        for member in try access.destinations(relationship.name, of: object) where !deleted.contains(member) {
          try refuseRequired(access.model.inverse(of: relationship), of: member, object)
          try update.empty(key, of: member)
        }
      case .join: try update.set([], relationship.name, of: object)
      }
    }
    try releaseReferrers(of: object, deleted)
  }

  /// To-one relationships without inverse, which the object does not know of.
  private func releaseReferrers(of object: ObjectID, _ deleted: Set<ObjectID>) throws {
    for relationship in access.model.entities.flatMap(\.relationships) where relationship.inverse == nil {
      guard access.model.isKind(object.entity, of: relationship.destination) else { continue }
      switch access.mapping[relationship.entity].relationships[relationship.name]! {
      case .foreignKey(let key):
        let update = RelationshipUpdate(access: access)
        let columns = key.columns.map { Dialect.sqlite.column("s", $0) }
        let referrers = try access.ids(
          relationship.entity, where: Condition.equal(columns, columns.map { _ in "?" }).text,
          StatementArguments(access.columns(key.references, of: object)))
        for referrer in referrers where !deleted.contains(referrer) {
          try refuseRequired(relationship, of: referrer, object)
          try update.empty(key, of: referrer)
        }
      case .join(let join):
        let condition = Condition.equal(
          join.destinationColumns.map(Dialect.sqlite.name), join.destinationColumns.map { _ in "?" }
        ).text
        try db.execute(
          sql: "DELETE FROM \(Dialect.sqlite.table(join.table)) WHERE \(condition)",
          arguments: StatementArguments(access.columns(join.destinationReferences, of: object)))
      case .inverseForeignKey: continue
      }
    }
  }

  private func refuseRequired(
    _ relationship: RelationshipDescription?, of member: ObjectID, _ object: ObjectID
  ) throws {
    guard let relationship, !relationship.isToMany, !relationship.isOptional else { return }
    throw CloneError(
      .requiredLeftEmpty,
      "\(object) cannot be deleted: \(member) still refers to it by '\(relationship.name)'",
      property: relationship.name, object: member)
  }

  private func deleteRow(_ object: ObjectID) throws {
    let (condition, arguments) = try access.row(of: object, "s")
    try db.execute(
      sql: "DELETE FROM \(Dialect.sqlite.table(access.mapping[object.entity].table)) AS s WHERE \(condition)",
      arguments: StatementArguments(arguments))
  }
}
