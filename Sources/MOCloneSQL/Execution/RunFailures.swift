import MOCloneEngine
import MOCloneModel

extension CloneError.Failure {
  package static func unknownDiscriminator(_ value: AttributeValue, object: ObjectID, column: String)
    -> Self
  {
    .init(
      .unknownDiscriminator,
      "\(object) has '\(value)' in its column '\(column)', which is not the discriminator of an entity allowed there",
      object: object)
  }

  /// A required to-one relationship that a clone would have lost.
  static func leftEmpty(_ relationship: RelationshipDescription, of object: ObjectID) -> Self {
    .init(
      .requiredLeftEmpty,
      "'\(relationship.name)' of \(object.entity) is required, but the clone of \(object) would have none, because it is "
        + "excluded, or its destination is outside the clone and cannot be shared",
      property: relationship.name, object: object)
  }

  /// A column that several references share, of which one needs another value than the clone gets.
  static func disagreement(
    _ column: String, of relationship: RelationshipDescription, object: ObjectID
  ) -> Self {
    .init(
      .constraintFailed,
      "'\(relationship.name)' of \(object.entity) shares the column '\(column)' with other references or with "
        + "the key, and the clone of \(object) would need different values there, because the related object "
        + "does not belong to the same '\(column)' as the clone",
      help: "exclude the relationship, or set it",
      property: relationship.name, object: object)
  }

  /// A join row whose ends share columns, and need different values of them.
  static func disagreement(
    _ columns: [String], of relationship: RelationshipDescription, table: String
  ) -> Self {
    let names = columns.map { "'\($0)'" }.joined(separator: ", ")
    return .init(
      .constraintFailed,
      "both ends of '\(relationship.qualifiedName)' share \(names) in the table '\(table)', and a new join row "
        + "would need different values there, because a clone would be joined to an original that does not "
        + "belong to the same \(names)",
      help: "exclude the relationship, or clone both ends",
      entity: relationship.entity, property: relationship.name)
  }

  /// A key that is in the foreign key of a relationship that the clone does not have.
  static func emptyKey(_ column: String, relationship: String, object: ObjectID) -> Self {
    .init(
      .keyNeedsValue,
      "the key '\(column)' of \(object) is the key of its '\(relationship)', but its clone would have none",
      help: "set '\(relationship)', or do not exclude it", property: relationship, object: object)
  }

  /// A reference to a column that is empty in the clone of the destination.
  static func emptyReferenced(
    _ column: String, by relationship: RelationshipDescription, object: ObjectID
  ) -> Self {
    .init(
      .requiredLeftEmpty,
      "'\(relationship.qualifiedName)' references the column '\(column)', which would be empty in the clone, so "
        + "the clone of \(object) would be joined to nothing",
      help: "annotate that attribute with 'rebuild', or give its value with --set",
      property: relationship.name, object: object)
  }

  /// A reference to a column that is empty in what it leads to.
  ///
  /// - Parameter object: the one that has the reference; nil for that of a row.
  static func emptyDestination(
    _ column: String, of relationship: RelationshipDescription, object: ObjectID?
  ) -> Self {
    let place = object.map { "\($0)" } ?? relationship.entity
    return .init(
      .invalidValue,
      "'\(relationship.name)' of \(place) refers to its object by the column '\(column)', which is empty there",
      help: "give that object a value in it first", entity: relationship.entity, property: relationship.name,
      object: object)
  }

  /// A clone that was deleted before all are written.
  static func gone(_ original: ObjectID, table: String) -> Self {
    .init(
      .rowCount,
      "a trigger of the store deleted the clone of \(original) from the table '\(table)', or gave it another key",
      object: original)
  }

  /// A clone in which a trigger changed a reference, or the columns by which the relationship `use` leads to it.
  static func moved(_ original: ObjectID, name: String, table: String, use: String?) -> Self {
    .init(
      .rowCount,
      "a trigger of the store changed '\(name)' of the clone of \(original) in the table '\(table)'"
        + CloneError.leadingElsewhere(use),
      help: CloneError.keeping(use), property: name, object: original)
  }

  /// A number of a key that cannot be counted further.
  static func noRoom(in column: String, of table: String, entity: String) -> Self {
    .init(
      .noRoomForKeys,
      "the table '\(table)' has used the greatest possible integer in '\(column)', so it has no room for new keys",
      entity: entity)
  }

  /// A key that the model takes for one object's, and the table does not.
  static func sharedKey(_ object: ObjectID, table: String) -> Self {
    .init(
      .storeMismatch,
      "\(object) cannot be cloned, because its key is not unique in the table '\(table)': several rows have it",
      help: "name columns in 'primaryKey' that are unique together", object: object)
  }

  static func keyNeedsValue(_ object: ObjectID, column: String) -> Self {
    .init(
      .keyNeedsValue,
      "the key '\(column)' of \(object) is not generated, so its clone would have the same key",
      help: "set the root's key by an attribute on that column, or exclude other objects", object: object)
  }
}

extension CloneError {
  /// A table whose next keys would be greater than the greatest integer.
  static func noRoom(
    after key: Int64, in table: String, for rows: String = "new keys", entity: String
  ) -> CloneError {
    CloneError(
      .noRoomForKeys, "the table '\(table)' has used the key \(key), so it has no room for \(rows)",
      entity: entity)
  }

  package static func ignored(_ count: Int, of expected: Int, what: String, by table: String)
    -> CloneError
  {
    CloneError(
      .rowCount,
      "the table '\(table)' took \(count) of \(expected) \(what); the others were ignored or removed by a trigger of the store"
    )
  }

  package static func moved(_ count: Int, _ name: String, in table: String, use: String? = nil) -> CloneError
  {
    CloneError(
      .rowCount,
      "a trigger of the store changed '\(name)' of \(count == 1 ? "1 new row" : "\(count) new rows") in the table '\(table)'"
        + leadingElsewhere(use),
      help: keeping(use))
  }

  fileprivate static func leadingElsewhere(_ use: String?) -> String {
    use.map { ", so '\($0)' would lead to another object or nowhere" } ?? ""
  }

  /// What to do about a relationship that would lead elsewhere.
  fileprivate static func keeping(_ use: String?) -> String? {
    use.map { _ in "exclude it, or reference the key" }
  }
}

/// Puts what the database refuses into the model's words.
struct ConstraintErrors {
  let layout: CloneLayout
  let connection: any SQLConnection
  /// Finds the first original of a table plan of which a copy repeats what is in some columns.
  let first: (CloneTablePlan, [String]) throws -> (object: ObjectID, isRoot: Bool)?

  func translated(_ error: any Error, writing tablePlan: CloneTablePlan?) -> any Error {
    let found = connection.refusal(
      error, writing: tablePlan?.table, of: tablePlan?.entities ?? [], mapping: layout.mapping)
    guard let failure = found else { return error }
    guard failure.isUnique else {
      // Triggers that wait refuse rows of whatever table.
      let place = tablePlan.map { " while the clones of \($0.name) were written" } ?? ""
      return CloneError(
        .constraintFailed, "the store refused a row\(place): \(failure.message)", help: failure.help,
        entity: tablePlan?.name, property: failure.properties.first, underlying: error)
    }
    guard let tablePlan else {
      return CloneError(
        .uniqueValue, "a unique value would be inserted a second time: \(failure.message)",
        underlying: error)
    }
    if let lagging = tablePlan.laggingSequence(failure.columns) { return lagging }
    let repeated = failure.isOfColumns ? try? first(tablePlan, failure.columns) : nil
    let object = repeated?.object
    let canBeRoot = tablePlan.hasRoot && repeated?.isRoot != false
    let entity = object?.entity ?? tablePlan.name
    let computed = layout.computed(failure.properties, of: entity, in: tablePlan.table)
    let settable = failure.properties.flatMap { computed[$0] ?? [$0] }
    let given = Set(settable).intersection(layout.plan.request.set.keys)
    if canBeRoot, let name = given.sorted().first {
      return CloneError(
        .uniqueValue,
        "\(failure.names) of \(tablePlan.name) \(failure.areUnique) in the table "
          + "'\(tablePlan.table.name)'\(failure.scope), and --set gives a new root one that another object has, "
          + "or another new root (\(failure.message))",
        help: layout.plan.request.adviceOnGivenValues,
        entity: tablePlan.name, property: name, object: object, underlying: error)
    }
    if let taken = tablePlan.takenNumber(failure, underlying: error) { return taken }
    let isGenerated =
      layout.plan.generates(failure.properties, of: entity) || tablePlan.generatesKeys(in: failure.columns)
    let reason =
      isGenerated
      ? "the generator gave the clone a value that another object has" : "no rule gives the clone a new value"
    return CloneError(
      .uniqueValue,
      "\(failure.names) of \(object?.description ?? tablePlan.name) \(failure.areUnique) in the table "
        + "'\(tablePlan.table.name)'\(failure.scope), but \(reason) (\(failure.message))",
      help: isGenerated
        ? ValueGenerator.adviceAgainstRepetition
        : layout.plan.model.advice(
          repeating: failure.properties.uniqued(), of: entity, canBeRoot: canBeRoot, computed: computed),
      entity: tablePlan.name, property: failure.properties.first, object: object, underlying: error)
  }
}

extension CloneLayout {
  /// What a check found, in the model's words.
  func failure(_ check: RunCheck, row: [StoredValue]) -> CloneError.Failure {
    let tablePlan = tablePlans[check.tablePlan]
    let key = KeyCoding(entity: mapping[tablePlan.name]).decode(row, from: 0)
    let original = ObjectID(check.entity ?? tablePlan.name, key: key)
    return check.failure(original, Array(row.dropFirst(tablePlan.keyColumns.count)))
  }

  /// Of some properties those that the database computes, with the attributes that it computes them from.
  func computed(_ names: [String], of entity: String, in table: TableSchema) -> [String: [String]] {
    let attributes = mapping[entity].attributes
    let computed = names.compactMap { name -> (String, [String])? in
      guard let column = table.column(attributes[name]?.column ?? name), column.isGenerated else {
        return nil
      }
      let inputs = Set(column.inputs.map(\.sqlName))
      return (name, attributes.filter { inputs.contains($0.value.column.sqlName) }.keys.sorted())
    }
    return Dictionary(computed, uniquingKeysWith: { first, _ in first })
  }

  /// The table plan whose table the database says has refused a row; nil where it names none of them.
  package func refused(
    _ error: any Error, _ connection: any SQLConnection
  ) -> (tablePlan: CloneTablePlan, failure: ConstraintFailure)? {
    tablePlans.lazy.compactMap { tablePlan -> (tablePlan: CloneTablePlan, failure: ConstraintFailure)? in
      let found = connection.refusal(
        error, writing: tablePlan.table, of: tablePlan.entities, mapping: mapping)
      guard let found, found.isUnique || !found.columns.isEmpty || found.foreignKey != nil else { return nil }
      return (tablePlan, found)
    }.first
  }

  /// What a unique constraint refused that waits for the end of the transaction, in the model's words; which object it is
  /// about cannot be asked any more.
  package func refusedAtEnd(_ error: any Error, _ connection: any SQLConnection) -> (any Error)? {
    if let refused = refused(error, connection), refused.failure.isUnique {
      return ConstraintErrors(layout: self, connection: connection, first: { _, _ in nil })
        .translated(error, writing: refused.tablePlan)
    }
    return JoinRenderer.all(in: self).lazy.compactMap { join -> CloneError? in
      let refusal = connection.refusal(error, writing: join.table, of: [], mapping: mapping)
      return refusal?.isUnique == true
        ? refusal?.error(ofPairs: join.asked, in: join.table, advice: nil, underlying: error) : nil
    }.first
  }

  /// The first original, among those that are being written, whose clone would repeat what a row or another clone has in
  /// some columns; else the first that has values there at all.
  func first(
    _ tablePlan: CloneTablePlan, with columns: [String], by statements: any StatementRunning
  ) throws -> (object: ObjectID, isRoot: Bool)? {
    let writer = WriteRenderer(layout: self, tablePlan: tablePlan)
    let new = columns.map { column in "(\(tablePlan.choose { writer.value(of: column, $0) }))" }
    let row = From("\(dialect.table(tablePlan.table.name)) e")
    let isSame = Condition.equal(dialect.columns("e", columns), new)
    let part = "m.seq BETWEEN \(dialect.parameter("first")) AND \(dialect.parameter("last"))"
    let isRepeated = Condition.sql(part) && .exists(in: row, where: isSame, dialect)
    let names = columns.indices.map { "v\($0)" }
    let clones = Select(new.named(names), from: writer.source)
    let twice = Select(names, from: From(clones, as: "x", dialect: dialect)).grouped(by: names).having(
      .sql("count(*) > 1"))
    let hasValues = columns.map { Condition.isNotNull(dialect.column("s", $0)) }.all
    return try first(tablePlan, among: writer.source, where: isRepeated, by: statements)
      ?? first(
        tablePlan, among: writer.source, where: .among(new, query: twice, dialect: dialect), by: statements)
      ?? first(tablePlan, among: rows(of: tablePlan), where: hasValues, by: statements)
  }

  private func first(
    _ tablePlan: CloneTablePlan, among rows: From, where condition: Condition,
    by statements: any StatementRunning
  ) throws -> (object: ObjectID, isRoot: Bool)? {
    let isRoot = tablePlan.hasRoot ? Condition.sql(tablePlan.isRoot("m")) : .never
    let found = Select(
      [isRoot.choose("1", else: "0"), tablePlan.hasEntity ? "m.entity" : "0"] + tablePlan.old("m"), from: rows
    ).where(condition).ordered(by: ["m.seq"]).limited(to: 1)
    guard let row = try statements.row(found) else { return nil }
    let name = tablePlan.entities[row[1].number]
    let key = KeyCoding(entity: mapping[name]).decode(row, from: 2)
    return (ObjectID(name, key: key), row[0].number == 1)
  }
}

extension StoreLayout {
  /// The same in whatever table.
  package func refusedAtEnd(_ error: any Error, _ connection: any SQLConnection) -> (any Error)? {
    func failure(_ table: TableSchema, of entities: [String]) -> ConstraintFailure? {
      let refusal = connection.refusal(error, writing: table, of: entities, mapping: mapping)
      return refusal?.isUnique == true ? refusal : nil
    }
    return tables.lazy.compactMap { failure($0.schema, of: $0.entities)?.error(of: $0.root) }.first
      ?? joins.lazy.compactMap {
        failure($0.schema, of: [])?.error(ofPairs: $0.relationship, in: $0.schema, advice: nil)
      }.first
  }

  /// What a foreign key refused that does not wait while the keys of a merge change; nil of everything else.
  package func refusedAtOnce(_ error: any Error, _ connection: any SQLConnection) -> (any Error)? {
    let members = tables.map { table in
      (schema: table.schema, ends: references(in: table).map { ($0.key.columns, $0.relationship) })
    }
    let pairs = joins.map { join in
      (schema: join.schema, ends: join.ends.map { ($0.mapping.columns, join.relationship) })
    }
    for (table, ends) in members + pairs {
      let refusal = connection.refusal(error, writing: table, of: [], mapping: mapping)
      guard let refusal, let key = refusal.foreignKey, !key.isDeferrable, let name = key.name,
        let (_, relationship) = ends.first(where: { key.isOn($0.0) })
      else { continue }
      let refusing = ForeignKeyName(name, of: table.name)
      return CloneError(
        .constraintFailed,
        "'\(relationship.qualifiedName)' refers to keys that change with the objects that are merged, and "
          + "\(refusing.checkedTooEarly) (\(refusal.message))",
        help: refusing.adviceToWait,
        entity: relationship.entity, property: relationship.name, underlying: error)
    }
    return nil
  }
}

extension CloneTablePlan {
  /// A sequence that gave a key which a row has already; nil where other columns than the key are repeated.
  fileprivate func laggingSequence(_ columns: [String]) -> CloneError? {
    guard hasSequence, columns.map(\.sqlName) == keyColumns.map(\.name.sqlName),
      let sequence = keyColumns[0].sequence
    else { return nil }
    let (key, rows) = (dialect.name(keyColumns[0].name), dialect.table(table.name))
    return CloneError(
      .uniqueValue,
      "the sequence \(sequence) is behind the keys of the table '\(table.name)', so a new key is one that a row "
        + "has already",
      help: "move it on with \"SELECT setval(\(sequence), (SELECT max(\(key)) FROM \(rows)))\"", entity: name)
  }

  /// Whether the run's generator gives new rows a part of their keys in one of some columns.
  fileprivate func generatesKeys(in columns: [String]) -> Bool {
    columns.compactMap { keyPart($0) }.flatMap { sources(ofPart: $0) }
      .contains { if case .uuid = $0 { true } else { false } }
  }

  /// A number that was free when it was counted out for a clone; nil where other columns than the key are repeated.
  fileprivate func takenNumber(_ failure: ConstraintFailure, underlying error: any Error) -> CloneError? {
    guard isCounted, failure.columns.map(\.sqlName) == keyColumns.map(\.name.sqlName) else { return nil }
    return CloneError(
      .uniqueValue,
      "a new key of \(name) is taken since it was counted out (\(failure.message)): a trigger of the store or "
        + "another writer inserts rows into the table '\(table.name)'",
      help: "run this again, or clone without that trigger",
      entity: name, underlying: error)
  }
}
