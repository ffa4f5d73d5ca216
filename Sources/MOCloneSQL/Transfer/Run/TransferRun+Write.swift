import MOCloneEngine
import MOCloneModel

// The fourth step: what was found out is written, stream by stream, and counted.
extension TransferRun {
  var writes: Writes { Writes(layout, states: states, modified: modified) }

  /// - Throws: `CloneError` with everything that was found.
  func check() throws { try refuse(writes.checks) }

  /// - Throws: `CloneError` with everything that some checks find.
  func refuse(_ checks: [Check]) throws {
    let failures = try failures(of: checks)
    if !failures.isEmpty { throw CloneError(failures) }
  }

  /// Reports new objects whose one-to-one relationship stays null, because its destination belongs to another object.
  private func note(_ reference: StreamReference, of stream: RowStream, writes: Writes) throws {
    guard let relationship = reference.reference.forward,
      let query = writes.withoutRelatedObject(reference, of: stream)
    else { return }
    try skip(query, of: stream, reason: TransferReport.relatedObjectKept(relationship))
  }

  /// Takes down the rows that a query selects, with what of them does not come along.
  private func skip(_ query: Select, of stream: RowStream, reason: String) throws {
    try skip(statements.objects(stream, query).map { $0.0 }, of: query, reason: reason)
  }

  /// The same, where the objects of the first rows are known.
  func skip(_ first: [ObjectID], of query: Select, reason: String) throws {
    for object in first { report.skip("\(object)", reason) }
    guard !first.isEmpty else { return }
    let all = try statements.number(query.counted)
    if all > first.count { report.unlisted = (report.unlisted ?? 0) + all - first.count }
  }

  func failures(of checks: [Check]) throws -> [CloneError.Failure] {
    try checks.flatMap { check in
      // Of rows of a file it is said how many more there are.
      let query = check.query.limited(to: check.stream.source == nil ? CloneError.mostRows : 20)
      return try statements.rows(query).map { check.failure($0, layout.mapping) }.uniqued()
    }
  }

  func write() throws {
    let writes = writes
    // What rows refer to by its values has them first.
    if policy.existing == .fill { try fill(writes) { writes.isReferencedByValue($0) } }
    try refuse(writes.emptyDestinations)
    try statements.execute(writes.listEnds)
    for stream in layout.reached {
      for reference in stream.references { try note(reference, of: stream, writes: writes) }
    }
    try order(writes)
    var filled: Set<Int> = []
    for group in layout.insertGroups {
      if let stream = group.first, group.count == 1, states.allSatisfy({ !$0.hasMap }),
        layout.isFilled(stream, after: filled)
      {
        try loading.prepare(stream.table.schema) { try statements.number(expected(stream, writes: writes)) }
      }
      try insert(group, writes)
      filled.formUnion(group.map(\.index))
    }
    try loading.finish()
    if layout.subtree == nil {
      for stream in layout.reached where writes.keys.canBeFound(stream) {
        for reference in writes.references(stream) { try link(reference, stream: stream, writes: writes) }
      }
    }
    for joinRows in layout.joinRows where joinRows.isFormed && layout.reaches(joinRows) {
      try insert(joinRows, writes)
    }
    try writes.restoring.run { try statements.execute($0) }
    try advanceKeys(writes)
    try refuseRemoved(writes)
    // They would fail only with the commit, and without a name.
    if !hadPendingReferences { try db.refuseDanglingReferences(help: "fix it in the source first") }
    if policy.existing == .fill { try fill(writes) { !writes.isReferencedByValue($0) } }
    try noteComputed(writes)
  }

  /// Reports new objects in which the store computes other values than those of the source.
  private func noteComputed(_ writes: Writes) throws {
    let differences = Differences(writes)
    for stream in layout.reached {
      for (name, query) in differences.computed(stream) {
        try skip(query, of: stream, reason: TransferReport.computed(name))
      }
    }
  }

  /// Gives members that lists had already the places of the source, before new ones take their own.
  private func order(_ writes: Writes) throws {
    for stream in layout.reached {
      for reference in stream.references {
        guard let order = writes.order(reference, of: stream) else { continue }
        _ = try overwrite(stream, order) { try swapping(order.update) }
      }
    }
  }

  func advanceKeys(_ writes: Writes) throws {
    try statements.execute(layout.reached.flatMap(writes.advance))
  }

  /// - Throws: `CloneError` (`row-count`) where a trigger of the store has deleted new objects again, or changed what they
  ///   refer to; `generated-column` where the database has computed that otherwise.
  func refuseRemoved(_ writes: Writes) throws {
    try refuse(writes.computedReferences)
    for stream in layout.reached {
      let table = stream.table.schema
      if let gone = writes.gone(stream) {
        try statements.expectNone(
          gone, of: expected(stream, writes: writes), writing: table, what: "new rows")
      }
      for reference in stream.references {
        guard let moved = writes.moved(reference, of: stream) else { continue }
        let count = try statements.number(moved)
        let relationship = reference.reference.relationship
        if count > 0 { throw CloneError.moved(count, relationship.qualifiedName, in: table.name) }
      }
      try refuseRenamed(stream, writes)
    }
  }

  private func refuseRenamed(_ stream: RowStream, _ writes: Writes) throws {
    for other in layout.reached {
      for reference in other.references {
        guard let renamed = writes.renamed(by: reference, of: other, stream) else { continue }
        let count = try statements.number(renamed)
        let relationship = reference.reference.relationship
        guard count == 0 else {
          throw CloneError.moved(
            count, reference.key.references.joined(separator: ", "), in: stream.table.schema.name,
            use: relationship.qualifiedName)
        }
      }
    }
  }

  private func insert(_ group: [RowStream], _ writes: Writes) throws {
    for stream in group { try release(stream, writes: writes) }
    guard group.count > 1 else { return try insert(group[0], writes) }
    for (stream, count) in zip(group, try insertTogether(group, writes: writes))
    where stream.entities.count == 1 {
      report.add(count, stream.entities[0], to: \.created)
    }
  }

  /// Inserts streams that refer to each other.
  ///
  /// - Returns: how many objects of each were made.
  func insertTogether(_ group: [RowStream], writes: Writes) throws -> [Int] {
    let sql = Insert.together(group.map { writes.insert($0) })
    do { return try statements.answer(sql)!.map(\.number) } catch {
      let failures = group.compactMap { stream in
        refusal(error, in: stream).map { (stream: stream, failure: $0) }
      }
      guard let found = failures.first(where: { !$0.failure.columns.isEmpty }) ?? failures.first else {
        throw error
      }
      throw refused(found.failure, in: found.stream)
    }
  }

  /// A refusal that does not tell which of several statements or rows it is about.
  func refused(_ failure: ConstraintFailure, in stream: RowStream) -> CloneError {
    let entity = stream.entities[0]
    return failure.error(
      of: entity, advice: failure.isExclusion ? advice(failure, of: entity, in: stream) : nil)
  }

  /// - Parameter kept: what holds of an object `t` that does not lose what a reference leads to.
  func release(
    _ stream: RowStream, writes: Writes, besides kept: (StreamReference) -> Condition = { _ in .never }
  ) throws {
    for reference in stream.references {
      guard let release = writes.release(reference, of: stream, besides: kept(reference)) else { continue }
      try translating(stream) { _ = try statements.execute(release) }
    }
  }

  private func insert(_ stream: RowStream, _ writes: Writes) throws {
    if layout.isInPlace(stream.table.schema) {
      guard writes.keepsRows(of: stream) else { throw RowsNotInPlace() }
      if stream.entities.count == 1 {
        report.add(try statements.number(expected(stream, writes: writes)), stream.entities[0], to: \.created)
      }
      return
    }
    let count = try statements.counting(
      expected(stream, writes: writes), writing: stream.table.schema, what: "new rows"
    ) {
      try translating(stream) {
        try namingObject(of: stream, writes) {
          try statements.execute(writes.insert(stream, where: $0), scanning: stream.table.root)
        }
      }
    }
    // What is written is counted by writing it, where one entity alone can be meant.
    if stream.entities.count == 1 { report.add(count, stream.entities[0], to: \.created) }
  }

  private func expected(_ stream: RowStream, writes: Writes) -> Select {
    Select(["count(*)"], from: From(writes.keys.newRows(stream).with(["1"]), as: "x", dialect: dialect))
  }

  private func link(_ reference: StreamReference, stream: RowStream, writes: Writes) throws {
    let all = [writes.overwrite(reference, of: stream), writes.clear(reference, of: stream)]
    for overwriting in all.compactMap({ $0 }) {
      let count = try overwrite(stream, overwriting) { try swapping(overwriting.update) }
      report.add(count, reference.reference.relationship.qualifiedName, to: \.linked)
    }
  }

  func insert(_ joinRows: JoinRowStream, _ writes: Writes) throws {
    let relationship = joinRows.relationship
    if layout.isInPlace(joinRows.join.schema) {
      guard writes.keepsRows(of: joinRows) else { throw RowsNotInPlace() }
      let count = try statements.number(Select(["count(*)"], from: From("\(joinRows.sql) j")))
      return report.add(count, relationship.qualifiedName, to: \.linked)
    }
    try statements.execute(writes.lists.setUp(joinRows))
    if let order = writes.order(joinRows) { _ = try swapping(order) }
    let what = "join rows of \(relationship.qualifiedName)"
    let all = writes.count(joinRows)
    let count = try statements.counting(all, writing: joinRows.join.schema, what: what) {
      do { return try statements.execute(writes.insert(joinRows)) } catch {
        let table = joinRows.join.schema
        guard let failure = db.refusal(error, writing: table, of: [], mapping: layout.mapping) else {
          throw error
        }
        throw failure.error(ofPairs: relationship, in: table, advice: advice(on: relationship))
      }
    }
    if let gone = writes.gone(joinRows), case let lost = try statements.number(gone), lost > 0 {
      throw CloneError.ignored(count - lost, of: count, what: what, by: joinRows.join.schema.name)
    }
    report.add(count, relationship.qualifiedName, to: \.linked)
  }

  /// Gives objects that were there the values of the source that they lack.
  private func fill(_ writes: Writes, where isMeant: (RowStream) -> Bool) throws {
    for stream in layout.reached where writes.keys.canBeFound(stream) && isMeant(stream) {
      try translating(stream) { try fill(stream, writes) }
    }
  }

  /// Fills again what a unique index of some rows or of what is computed has refused, without the values that other objects
  /// have; then without the columns that it reads.
  private func fill(
    _ stream: RowStream, _ writes: Writes, refusals: Differences.Refusals = Differences.Refusals()
  ) throws {
    let differences = Differences(writes, refusals: refusals)
    if let fill = differences.fill(stream) {
      let counts = try statements.counts(fill.count, of: stream.table)
      do {
        try statements.counting(fill.changes, writing: stream.table.schema, what: "changes") {
          try db.attempting { try swapping(fill.update) }
        }
      } catch {
        var refusals = refusals
        guard db.isInTransaction, let failure = refusal(error, in: stream), failure.isUnique,
          let read = failure.index?.read(in: stream.table.schema), refusals.note(read)
        else { throw error }
        return try self.fill(stream, writes, refusals: refusals)
      }
      for (entity, count) in counts { report.add(count, entity, to: \.updated) }
    }
    for (reason, query) in differences.unfilled(stream) { try skip(query, of: stream, reason: reason) }
  }

  /// Writes to objects that were there, and counts those that a trigger left as they were.
  func overwrite(_ stream: RowStream, _ all: Writes.Overwriting, _ body: () throws -> Int) throws -> Int {
    return try statements.counting(all.changes, writing: stream.table.schema, what: "changes") {
      try translating(stream, body: body)
    }
  }

  /// Writes objects; where a unique value is in their way, again after the values that are to change have made room.
  ///
  /// - Returns: how many rows its statements changed.
  func swapping(_ update: SwappingUpdate) throws -> Int {
    func execute() throws -> Int { try update.statements.reduce(0) { $0 + (try statements.execute($1)) } }
    obstacle = nil
    if update.parking.isEmpty { return try execute() }
    do {
      return try db.savepoint(isKept: true, execute)
    } catch let error where isUniqueFailure(error) {
      var last = error
      for parking in update.parking where db.isInTransaction {
        do {
          return try db.savepoint(isKept: true) {
            do { try statements.execute(parking) } catch {
              guard let failure = refusal(error) else { throw error }
              obstacle = failure.refusingKey ?? obstacle
              throw NoRoom()
            }
            obstacle = nil
            return try execute()
          }
        } catch is NoRoom {} catch let failure where isUniqueFailure(failure) {
          // A value that nobody had can be one that an object is to have.
          last = failure
        }
      }
      throw last
    }
  }

  /// What takes the place of unique values meanwhile was refused.
  private struct NoRoom: Error {}

  // MARK: Failures

  /// Whether a constraint has refused something.
  func isRefused(_ error: any Error) -> Bool { refusal(error) != nil }

  private func isUniqueFailure(_ error: any Error) -> Bool { refusal(error)?.isUnique == true }

  /// What a constraint has refused, of whatever table; nil of everything else.
  func refusal(_ error: any Error) -> ConstraintFailure? {
    db.refusal(error, writing: nil, of: [], mapping: layout.mapping)
  }

  /// What a constraint has refused of the rows of a stream; nil of everything else.
  func refusal(_ error: any Error, in stream: RowStream) -> ConstraintFailure? {
    var failure = db.refusal(
      error, writing: stream.table.schema, of: stream.entities, mapping: layout.mapping)
    failure?.obstacle = obstacle
    return failure
  }

  /// Names the object of the source that a constraint of the store refuses; of one that is unique the values are known.
  ///
  /// - Parameter body: writes the rows `s` that meet a condition.
  private func namingObject(
    of stream: RowStream, _ writes: Writes, _ body: (Condition) throws -> Int
  ) throws -> Int {
    do { return try db.attempting { try body(.always) } } catch {
      guard let failure = refusal(error, in: stream), !failure.isUnique, db.isInTransaction,
        // Rows that refer to each other cannot be told apart by writing some of them.
        failure.foreignKey?.table.sqlName != stream.table.schema.name.sqlName
      else { throw error }
      let key = stream.key("s")
      let rows = writes.keys.newRows(stream).with(key).ordered(by: key)
      let count = try statements.number(expected(stream, writes: writes))
      let bad = try firstRefused(by: failure, of: count) {
        try body(.among(key, query: rows.limited(to: $0), dialect: dialect))
      }
      guard let row = try statements.row(rows.limited(to: "1 OFFSET \(bad - 1)")) else { throw error }
      let object = ObjectID(stream.table.root, key: row.key(of: stream.table))
      throw failure.error(
        of: object.entity, object: object, advice: advice(failure, of: object.entity, in: stream))
    }
  }

  /// How many of some rows, in an order of theirs, are written up to the first that a constraint refuses, with that one.
  ///
  /// - Parameters:
  ///   - failure: what was refused of all of them; fewer can also lack a row that they refer to.
  ///   - write: writes so many of them.
  func firstRefused(
    by failure: ConstraintFailure, of count: Int, write: (Int) throws -> Int
  ) throws -> Int {
    var (good, bad) = (0, count)
    while bad - good > 1 {
      let middle = (good + bad) / 2
      do {
        _ = try db.savepoint(isKept: false) { try write(middle) }
        good = middle
      } catch {
        guard let found = refusal(error) else { throw error }
        if found.refusingKey?.name == failure.refusingKey?.name { bad = middle } else { good = middle }
      }
    }
    return bad
  }

  private func translating<T>(_ stream: RowStream, body: () throws -> T) throws -> T {
    do { return try body() } catch {
      guard let failure = refusal(error, in: stream) else { throw error }
      let entity = stream.entities.count == 1 ? stream.entities[0] : stream.table.root
      throw failure.error(of: entity, advice: advice(failure, of: entity, in: stream))
    }
  }

  private func advice(on joinRows: RelationshipDescription) -> String? {
    if policy.keepsKeys { return "let new keys be made, or delete that row first" }
    return [.copy, .clone].contains(policy.operation)
      ? "leave the relationship out with --exclude \(joinRows.qualifiedName)" : nil
  }

  private func advice(_ failure: ConstraintFailure, of entity: String, in stream: RowStream) -> String? {
    if policy.operation == .import { return nil }
    if failure.isExclusion {
      if policy.keepsKeys { return "delete the row that is in the way first" }
      // Its rows have found their objects.
      if policy.operation == .sync {
        return
          "declare the constraint DEFERRABLE if rows exchange such values, else change the row that is in the way first"
      }
      return policy.operation == .clone
        ? failure.help
        : "identify \(entity) with --by, so that objects that exist are found, or delete the row that is in the way first"
    }
    let table = stream.table
    let isKey = failure.columns.map(\.sqlName) == table.keyColumns.map(\.name.sqlName)
    if isKey, policy.keepsKeys { return "let new keys be made, or delete that object first" }
    let isCounted =
      isKey && failure.properties == failure.columns && failure.columns.allSatisfy(table.schema.isRowid)
      && table.map.key.allSatisfy(\.source.isNumber) && layout.subtree?.numbered.isEmpty != false
    if isCounted {
      return
        "it was free when it was counted out, so a trigger of the store inserts rows into the table '\(table.schema.name)'"
    }
    let entities = stream.entities
    guard let subtree = layout.subtree, let name = failure.properties.first, hasMembers(subtree, of: entities)
    else {
      if isKey, let advice = table.map.keyAdvice { return advice }
      return failure.isOfColumns && failure.properties.allSatisfy { isProperty($0, of: entities) }
        ? "identify \(entity) by it with --by"
        : "identify \(entity) with --by by what tells all its objects apart"
    }
    if let request = subtree.repeated, failure.properties.contains(where: { request.set[$0] != nil }) {
      return request.adviceOnGivenValues
    }
    let copying = "use `moclone copy`, which finds existing objects"
    if policy.keepsKeys { return copying }
    let isOfRoot =
      subtree.root.map { root in entities.contains { layout.model.isKind($0, of: root) } } ?? false
    // The parts of a key take no annotations, and a root can be given those that are attributes.
    let value = failure.properties.first { layout.model.attribute($0, of: entity) != nil } ?? name
    let setting = isOfRoot ? ["give a root another value with --set \(value)=..."] : []
    let ways = setting + (isKey ? [] : ["annotate it with 'rebuild' or 'exclude'"])
    return ways.isEmpty ? copying : "\(ways.list), or \(copying)"
  }

  /// Whether a name is no column's alone, so that --by takes it.
  private func isProperty(_ name: String, of entities: [String]) -> Bool {
    entities.contains {
      layout.model.attribute(name, of: $0) != nil || layout.model.relationship(name, of: $0) != nil
    }
  }

  /// Whether a subtree has objects of some entities; they are always made, and what it is linked to is found.
  private func hasMembers(_ subtree: CopiedSubtree, of entities: [String]) -> Bool {
    let members: Set<String> =
      switch subtree.members {
      case .objects(let objects): (try? objects.entities()) ?? []
      case .closure(let plan, _): Set(plan.nodes.map(\.entity))
      }
    return entities.contains { entity in members.contains { layout.model.isKind(entity, of: $0) } }
  }
}

extension RowStream {
  package func name(of column: AttributeColumn?, _ mapping: SchemaMapping) -> String? {
    column.flatMap { column in
      entities.lazy.compactMap { entity in
        mapping[entity].attributes.first { $0.value.column == column.column }?.key
      }.first
    }
  }
}

extension ColumnSchema {
  fileprivate var shownType: String { type.isEmpty ? "without a type" : type }
}

extension Check {
  /// What a row of the query means.
  func failure(_ row: [StoredValue], _ mapping: SchemaMapping) -> CloneError.Failure {
    let width = stream.keys.columns.count
    var object: ObjectID { ObjectID(stream.table.root, key: row.key(of: stream.table)) }
    func value(_ place: Int) -> AttributeValue { AttributeValue(raw: row[width + place]) }
    /// Names the object of a store, or the row of a file, which selects its line as well.
    func placed(_ failure: (ObjectID?) -> CloneError.Failure) -> CloneError.Failure {
      guard stream.source == nil else { return failure(object) }
      var failure = failure(nil)
      failure.row = stream.row([row[1], row[0]])
      return failure
    }
    switch subject {
    case .unknownEntity(let column):
      return .unknownDiscriminator(value(0), object: object, column: column)
    case .lostValue(let columnTransfer) where stream.dialect.hasTypes || stream.source == nil:
      return lostValue(columnTransfer, row: row, object: object, mapping: mapping)
    case .lostValue(let columnTransfer):
      return .init(
        .storeMismatch,
        "'\(value(0))' of \(object) would \(row[width].integer != nil ? "lose digits" : "become a number"): the "
          + "column '\(columnTransfer.target.name)' is \(columnTransfer.source.shownType) in the source and "
          + "\(columnTransfer.target.shownType) in the store",
        help: "give both one type",
        property: columnTransfer.source.name, object: object)
    case .otherEntity(let identity, let parts):
      let width = stream.table.keyColumns.count
      let found = ObjectID(stream.table.entity(row, at: width), key: row.key(of: stream.table))
      let isStaged = stream.source == nil
      // Objects of several entities are looked for together.
      let entity = isStaged ? identity.entity : stream.table.entity(row, at: width + 1)
      let values = zip(parts, row[(width + 2)...]).map { $0.shown($1) }
      let own = Identity(entity: entity, scope: identity.scope, paths: identity.paths)
      var failure = CloneError.identityOfOtherEntity(own, values, found).failures[0]
      if isStaged { failure.row = stream.row(Array(row.suffix(2))) }
      return failure
    case .leftEmpty(let relationship, let isExcluded):
      return .lostReference(relationship, of: object, isExcluded: isExcluded)
    case .tooFewLeft(let relationship): return CloneError.tooFewLeft(relationship, of: object).failures[0]
    case .takenRelatedObject(let relationship): return .takenRelatedObject(relationship, of: object)
    case .sharedRelatedObject(let relationship): return .sharedRelatedObject(relationship, of: object)
    case .emptyDestination(let relationship, let column):
      return placed { .emptyDestination(column, of: relationship, object: $0) }
    case .inKey(let name, let entity):
      return placed { .inKey(name, of: entity, object: $0) }
    case .computed(let relationship, let column, let isLeftOut):
      return placed {
        .computed(relationship, in: column, of: stream.table.schema.name, isLeftOut: isLeftOut, object: $0)
      }
    }
  }

  /// A value of an object, or of a row of a file, that does not fit its column.
  private func lostValue(
    _ columnTransfer: ColumnTransfer, row: [StoredValue], object: ObjectID, mapping: SchemaMapping
  ) -> CloneError.Failure {
    let (width, isStaged) = (stream.keys.columns.count, stream.source == nil)
    let name = stream.name(of: columnTransfer.attribute, mapping)
    var failure = CloneError.Failure.noRoom(
      for: AttributeValue(raw: row[width]), of: isStaged ? stream.entities[0] : "\(object)",
      in: columnTransfer.target,
      table: stream.table.schema.name)
    (failure.entity, failure.property) = (stream.entities[0], name ?? columnTransfer.target.name)
    if !isStaged { failure.object = object }
    if isStaged { failure.row = stream.row([row[width + 1], row[0]]) }
    return failure
  }
}
