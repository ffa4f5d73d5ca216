import Foundation
import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel

/// Copies objects of an attached store, inside a transaction that the caller opened.
///
/// The number of statements depends on the model alone; memory is what SQLite's page caches and temporary tables take.
final class CopyOperation {
  let layout: CopyLayout
  let db: Database
  let run: MoveRun
  let statements: StatementRunner
  private(set) var states: [CopyState]
  private(set) var report: MoveReport
  /// The operation's one instant.
  private let modified: ModifiedRule
  /// Whether new objects get it, too.
  private let stampsNew: Bool
  private var progress = MoveProgress()
  private var failures: [CloneError.Failure] = []

  init(
    _ layout: CopyLayout, _ db: Database, _ run: MoveRun, operation: MoveReport.Operation = .copy,
    stampsNew: Bool = false
  ) {
    self.layout = layout
    self.db = db
    self.run = run
    self.stampsNew = stampsNew
    modified = run.modified
    statements = StatementRunner(db)
    states = Array(repeating: CopyState(), count: layout.tables.count)
    report = MoveReport(operation, isDryRun: run.isDryRun)
    report.created = [:]
    report.found = [:]
  }

  /// - Returns: what was done, or would be.
  /// - Throws: `CloneError` with everything that was found; the caller then rolls back.
  func perform() throws -> MoveReport {
    try Functions.register(in: db)
    let number = Functions.begin(run.generator)
    defer { Functions.end(number) }
    statements.bind("run", number)
    try execute("PRAGMA defer_foreign_keys = ON")
    try begin()
    for group in layout.groups { try settle(group) }
    if let cut = layout.cut { try settle(cut) }
    try check()
    let writes = CopyWrites(layout, states, stamp: stampsNew ? modified : nil)
    try recordSkipped()
    for table in layout.tables { try count(table, writes) }
    if !run.isDryRun { try write(writes) }
    return report
  }

  private func execute(_ sql: String) throws { try statements.execute(sql) }

  /// The key that an object of the source has in the other store.
  func newKey(of object: ObjectID) throws -> ObjectID {
    let table = layout.tables.first { $0.root == layout.model.rootEntity(of: object.entity) }!
    let coding = KeyCoding(entity: table.map)
    let old = table.map.key.indices.map {
      "CAST(:old\($0) AS \(table.source.column(table.map.keyColumns[$0])?.affinity ?? "INTEGER"))"
    }
    for (i, part) in object.key.parts.enumerated() { statements["old\(i)"] = coding.encode(part, part: i) }
    let new = CopyKeys(layout: layout, states: states).moved(table, old)
    let row = try statements.row("SELECT \(SQL.list(new))")!
    return ObjectID(object.entity, key: coding.decode(row, from: 0))
  }

  // MARK: Beginning

  private func begin() throws {
    for statement in layout.tables.flatMap(\.definitions) { try execute(statement) }
    for table in layout.tables { try setShift(table) }
    if let cut = layout.cut { return try begin(cut) }
    guard let roots = layout.rules.roots else { return }
    for (i, root) in roots.enumerated() {
      for (j, condition) in root.conditions.enumerated() {
        let column = layout.mapping[root.entity].attributes[condition.attribute.name]!
        statements[CopyReach.parameter(root: i, condition: j)] = ValueCoding(column).encode(condition.value)
      }
    }
    for statement in CopyReach(layout).statements(roots, limit: layout.rules.limit) { try execute(statement) }
    for i in states.indices { states[i].isPartial = true }
  }

  private func begin(_ cut: CopyCut) throws {
    try cut.fill(layout, in: db)
    for statement in CutReach(layout, cut).statements { try execute(statement) }
    for i in states.indices { states[i].isPartial = true }
  }

  /// Decides what becomes of linked objects that the other store does not have.
  private func settle(_ cut: CopyCut) throws {
    let reach = CutReach(layout, cut)
    let needed = try cut.missing == .create ? statements.execute(reach.need) : 0
    for table in layout.tables {
      let missing = try missing(table, reach)
      if cut.missing == .fail { failures += missing }
      if try statements.execute(reach.drop(table)) > 0, table.newKey == .parts {
        try execute(reach.dropMoved(table))
      }
    }
    _ = needed
    if !failures.isEmpty { throw CloneError(failures) }
  }

  private func missing(_ table: CopyTable, _ reach: CutReach) throws -> [CloneError.Failure] {
    try objects(table, reach.missing(table)).map { object, _ in
      let identity = layout.rules.identities[object.entity]
      let how = identity.map { "by its \($0.names)" } ?? "since nothing identifies it (name it by --by)"
      return .init(
        .missingLinked,
        "\(object), which the subtree is linked to, is not in the store: it was not found \(how); say --missing null or "
          + "create, or copy it first", object: object)
    }
  }

  /// New numbers begin above the greatest one ever used; the distances between them stay.
  private func setShift(_ table: CopyTable) throws {
    guard table.newKey == .number else { return }
    let key = SQL.name(table.map.keyColumns[0])
    var greatest = try Int64.fetchOne(db, sql: "SELECT max(\(key)) FROM \(table.targetName)") ?? 0
    if table.target.isAutoincrement {
      let used = try Int64.fetchOne(
        db, sql: "SELECT seq FROM main.sqlite_sequence WHERE name = ?", arguments: [table.target.name])
      greatest = max(greatest, used ?? 0)
    }
    greatest = max(greatest, 0)
    guard let least = try Int64.fetchOne(db, sql: "SELECT min(\(key)) FROM \(table.sourceName)"),
      let last = try Int64.fetchOne(db, sql: "SELECT max(\(key)) FROM \(table.sourceName)")
    else { return }
    let (first, isTooGreat) = greatest.addingReportingOverflow(1)
    let (shift, isTooFar) = first.subtractingReportingOverflow(least)
    guard !isTooGreat, !isTooFar, !last.addingReportingOverflow(shift).overflow else {
      throw CloneError(
        .noRoomForKeys,
        "the table '\(table.target.name)' has used the key \(greatest), so there is no room above it for those of the "
          + "source, up to \(last)", entity: table.root)
    }
    states[table.index].shift = shift
  }

  // MARK: Matching

  private func settle(_ group: CopyGroup) throws {
    let table = layout.tables[group.table]
    if let identity = group.identity, layout.cut?.isPassing != true {
      if let skip = CopyMatch(group, layout, states).skip, try statements.execute(skip) > 0 {
        states[group.table].hasSkipped = true
      }
      let match = CopyMatch(group, layout, states)
      if try hasRows(table.targetName) { try find(match, identity) }
      if !match.isUniqueInSource { try join(CopyMatch(group, layout, states), identity) }
    }
    let match = CopyMatch(group, layout, states)
    if table.newKey == .parts { try execute(match.ofAll.fill) }
    if case .uuid(let storage) = table.newKey, try hasRows(table.targetName) {
      if try statements.execute(match.ofAll.renew(storage)) > 0 { states[group.table].hasMoved = true }
    }
    progress.objects[table.root] = 0
    try run.report(progress)
  }

  private func hasRows(_ table: String) throws -> Bool {
    try statements.number("SELECT EXISTS (SELECT 1 FROM \(table))") == 1
  }

  private func find(_ match: CopyMatch, _ identity: Identity) throws {
    for statement in match.preparation { try execute(statement) }
    do {
      if try statements.execute(match.match) > 0 { states[match.table.index].hasMoved = true }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw try ambiguous(match, identity)
    }
  }

  /// Several objects of the other store that are one of the source.
  private func ambiguous(_ match: CopyMatch, _ identity: Identity) throws -> CloneError {
    let width = match.table.map.key.count
    let coding = KeyCoding(entity: match.table.map)
    var failures: [CloneError.Failure] = []
    var current: (source: ObjectKey, targets: [ObjectKey])?
    func end() {
      guard let found = current, found.targets.count > 1 else { return }
      let objects = found.targets.map { ObjectID(identity.scope, key: $0) }
      failures.append(.ambiguous(identity, ObjectID(identity.entity, key: found.source), objects))
    }
    let rows = try Row.fetchCursor(db, sql: match.ambiguous)
    while let row = try rows.next(), failures.count < 20 {
      let source = coding.decode(row, from: 0)
      let target = coding.decode(row, from: width)
      if current?.source == source {
        current?.targets.append(target)
      } else {
        end()
        current = (source, [target])
      }
    }
    end()
    return CloneError(failures)
  }

  private func join(_ match: CopyMatch, _ identity: Identity) throws {
    if let mixed = match.mixed, let row = try statements.row(mixed) {
      let object = ObjectID(identity.scope, key: KeyCoding(entity: match.table.map).decode(row, from: 0))
      throw CloneError(
        .identityOfOtherEntity,
        "the source has objects of several entities with the \(identity.names) of \(object), which are unique among all "
          + "objects of \(identity.scope)", entity: identity.scope, object: object)
    }
    guard match.table.newKey == .parts else {
      if try statements.execute(match.join) > 0 { states[match.table.index].hasMoved = true }
      // Several of them can be one object of the other store, too.
      states[match.table.index].joins = states[match.table.index].hasMoved
      return
    }
    guard let row = try statements.row(match.repeated) else { return }
    let object = ObjectID(identity.entity, key: KeyCoding(entity: match.table.map).decode(row, from: 0))
    throw CloneError(
      .ambiguousIdentity,
      "the source has several objects with the \(identity.names) of \(object); merge them with `moclone dedupe \(identity.scope)`",
      entity: identity.entity, object: object)
  }

  // MARK: Checks

  private func check() throws {
    var failures: [CloneError.Failure] = []
    for table in layout.tables {
      failures += try unknownEntities(table) + otherEntities(table)
      for reference in layout.references(in: table) { failures += try leftEmpty(reference, table) }
    }
    for reference in layout.references { failures += try strayReferences(reference) }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  private func objects(_ table: CopyTable, _ sql: String) throws -> [(ObjectID, Row)] {
    let coding = KeyCoding(entity: table.map)
    return try statements.rows(sql + " LIMIT 20").map {
      (ObjectID(table.root, key: coding.decode($0, from: 0)), $0)
    }
  }

  private func unknownEntities(_ table: CopyTable) throws -> [CloneError.Failure] {
    guard let discriminator = table.discriminator else { return [] }
    let column = SQL.column("s", discriminator)
    let known = table.entities.map { SQL.text(layout.mapping[$0].discriminator!.value) }
    let select = "SELECT \(SQL.list(table.key("s") + [column])) FROM \(table.sourceName) s "
    return try objects(table, select + "WHERE \(column) IS NULL OR \(column) NOT IN (\(SQL.list(known)))").map
    {
      .unknownDiscriminator(AttributeValue(raw: $1[table.map.key.count]), $0, column: discriminator)
    }
  }

  /// Objects whose identity belongs to an object of another entity.
  private func otherEntities(_ table: CopyTable) throws -> [CloneError.Failure] {
    guard let discriminator = table.discriminator, states[table.index].hasMoved else { return [] }
    let (here, there) = (SQL.column("s", discriminator), SQL.column("t", discriminator))
    let tie = SQL.equal(table.key("t"), table.new("m"))
    let found = CopyWrites(layout, states).foundRows(table)
      .replacing(" WHERE ", with: " CROSS JOIN \(table.targetName) t ON \(tie) WHERE ", maxReplacements: 1)
    return try objects(
      table, "SELECT \(SQL.list(table.key("s") + [here, there])) \(found) AND \(here) <> \(there)"
    ).map {
      object, row in
      let width = table.map.key.count
      return .init(
        .identityOfOtherEntity,
        "\(object) is marked '\(AttributeValue(raw: row[width]))' in the source, and the object of the same identity "
          + "'\(AttributeValue(raw: row[width + 1]))' in the store", object: object)
    }
  }

  /// New objects that lose what they require.
  private func leftEmpty(_ reference: CopyReference, _ table: CopyTable) throws -> [CloneError.Failure] {
    let keys = CopyKeys(layout: layout, states: states)
    let destination = layout.tables[reference.destination]
    guard reference.isRequired, reference.isFormed, !keys.isTotal(destination) else { return [] }
    let isThere = reference.key.columns.map { "\(SQL.column("s", $0)) IS NOT NULL" }
    let rows = CopyWrites(layout, states).newRows(table)
    let select = "SELECT \(SQL.list(table.key("s"))) \(rows)\(rows.contains(" WHERE ") ? " AND " : " WHERE ")"
    let conditions = isThere + ["\(keys.reference(reference, "s")[0]) IS NULL"]
    return try objects(table, select + conditions.joined(separator: " AND ")).map { object, _ in
      .init(
        .requiredLeftEmpty,
        "'\(reference.relationship.name)' of \(object) is required, and its destination is not copied: nothing "
          + "identifies it, or it does not exist", property: reference.relationship.name, object: object)
    }
  }

  /// References of the source to numbers that no object has: shifted they could lead to another object.
  private func strayReferences(_ reference: CopyReference) throws -> [CloneError.Failure] {
    let destination = layout.tables[reference.destination]
    guard destination.newKey == .number, states[destination.index].shift != 0, reference.isFormed,
      CopyKeys.places(of: destination.map.keyColumns, in: reference.key.references) != nil
    else { return [] }
    let table = layout.tables[reference.table]
    let column = SQL.column("s", reference.key.columns[0])
    let key = SQL.name(destination.map.keyColumns[0])
    let least = "(SELECT min(\(key)) FROM \(destination.sourceName))"
    return try objects(
      table,
      "SELECT \(SQL.list(table.key("s"))) FROM \(table.sourceName) s WHERE \(column) < ifnull(\(least), \(Int64.max))"
    ).map { object, _ in
      .init(
        .constraintFailed,
        "'\(reference.relationship.name)' of \(object) leads nowhere in the source; mend it there first",
        property: reference.relationship.name, object: object)
    }
  }

  // MARK: Counts

  /// Names so many of those that are left out, and counts the others.
  private static let named = 1000

  private func recordSkipped() throws {
    for table in layout.tables where states[table.index].hasSkipped {
      let discriminator = table.discriminator.map { SQL.column("s", $0) } ?? "NULL"
      let rows = try statements.rows(
        "SELECT \(SQL.list(table.old("k"))), k.part, \(discriminator) FROM \(table.skippedName) k CROSS JOIN "
          + "\(table.sourceName) s ON \(SQL.equal(table.key("s"), table.old("k"))) LIMIT \(Self.named)")
      let width = table.map.key.count
      for row in rows {
        let entity = self.entity(of: AttributeValue(raw: row[width + 1]), table)
        let path = layout.rules.identities[entity]?.paths[row[width] as Int]
        let key = KeyCoding(entity: table.map).decode(row, from: 0)
        report.skip(
          "\(ObjectID(entity, key: key))",
          "nothing identifies it: \(path?.description ?? "a part") is null or empty")
      }
      let count = try statements.number("SELECT count(*) FROM \(table.skippedName)")
      if count > rows.count { report.skip(table.root, "\(count - rows.count) more that nothing identifies") }
    }
  }

  private func entity(of discriminator: AttributeValue, _ table: CopyTable) -> String {
    table.entities.first { layout.mapping[$0].discriminator?.value == discriminator.description }
      ?? table.entities[0]
  }

  private func count(_ table: CopyTable, _ writes: CopyWrites) throws {
    if states[table.index].hasMoved || table.newKey == .parts {
      try count(table, writes.foundRows(table), \.found)
    }
    // What is written is counted by writing it, where one entity alone can be meant.
    if run.isDryRun || table.entities.count > 1 { try count(table, writes.newRows(table), \.created) }
  }

  private func count(
    _ table: CopyTable, _ rows: String, _ section: WritableKeyPath<MoveReport, [String: Int]?>
  ) throws {
    guard let discriminator = table.discriminator else {
      return report.add(try statements.number("SELECT count(*) \(rows)"), table.entities[0], to: section)
    }
    for row in try statements.rows("SELECT \(SQL.column("s", discriminator)), count(*) \(rows) GROUP BY 1") {
      report.add(row[1], entity(of: AttributeValue(raw: row[0]), table), to: section)
    }
  }

  // MARK: Writing

  private func write(_ writes: CopyWrites) throws {
    for statement in writes.listEnds { try execute(statement) }
    for table in layout.tables {
      for reference in layout.references(in: table) {
        if let release = writes.release(reference, in: table) {
          try translating(table.root) { try execute(release) }
        }
      }
      let count = try translating(table.root) { try statements.execute(writes.insert(into: table)) }
      if table.entities.count == 1 { report.add(count, table.entities[0], to: \.created) }
      try compare(count, with: writes.newRows(table), table.target)
      progress.objects[table.root] = count
      try run.report(progress)
    }
    for table in layout.tables
    where layout.cut == nil && (states[table.index].hasMoved || table.newKey == .parts) {
      for reference in writes.updated(in: table) { try update(reference, table, writes) }
    }
    for join in layout.joins where join.isFormed {
      let count = try translating(join.relationship.entity) { try statements.execute(writes.insert(join)) }
      report.add(count, join.relationship.qualifiedName, to: \.linked)
    }
    try checkReferences()
  }

  private func update(_ reference: CopyReference, _ table: CopyTable, _ writes: CopyWrites) throws {
    let sql = writes.update(reference, in: table, modified: modified(table))
    let count = try translating(table.root) { try statements.execute(sql) }
    report.add(count, reference.relationship.qualifiedName, to: \.linked)
  }

  /// The column for the date of change, as a value for all entities that have it.
  private func modified(_ table: CopyTable) -> (column: String, value: String)? {
    let rule = modified
    let holders = table.entities.filter { rule.attribute(of: $0, in: layout.model) != nil }
    guard let first = holders.first else { return nil }
    let column = layout.mapping[first].attributes[rule.name]!
    guard column.keyPart == nil, table.target.column(column.column)?.isGenerated != true else { return nil }
    let now = ValueCoding(column).literal(.date(rule.instant))
    guard let kind = table.kind(of: holders, "t", layout.mapping) else { return (column.column, now) }
    return (column.column, "CASE WHEN \(kind) THEN \(now) ELSE \(SQL.column("t", column.column)) END")
  }

  /// Only a trigger can swallow a row without an error, so only then they are counted.
  private func compare(_ count: Int, with rows: String, _ table: TableSchema) throws {
    guard !table.triggers.isEmpty else { return }
    let expected = try statements.number("SELECT count(*) \(rows)")
    guard count != expected else { return }
    throw CloneError(
      .rowCount,
      "the table '\(table.name)' took \(count) of \(expected) new rows; a trigger of the store swallowed the others"
    )
  }

  private func translating<Result>(_ entity: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      let isUnique = [.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY].contains(
        error.extendedResultCode)
      let advice =
        isUnique ? "; another object has it, so identify \(entity) by it (--by, identifiedBy:)" : ""
      throw CloneError(
        isUnique ? .uniqueValue : .constraintFailed,
        "the store refused a row of \(entity): \(error.message ?? "constraint failed")\(advice)",
        entity: entity)
    }
  }

  /// References that wait for rows which will not come would fail only with the commit, and without a name.
  private func checkReferences() throws {
    var pending: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &pending, &highest, 0)
    guard pending != 0 else { return }
    let found = try Row.fetchOne(db, sql: "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check")
    let place = found.map {
      "a row of '\($0["table"] as String)' refers to a row of '\($0["parent"] as String)'"
    }
    throw CloneError(
      .constraintFailed,
      "\(place ?? "a row refers to another one") that does not exist; mend it in the source first")
  }
}

extension CloneError.Failure {
  fileprivate static func ambiguous(_ identity: Identity, _ source: ObjectID, _ objects: [ObjectID]) -> Self {
    let listed = objects.prefix(10).map(\.description).joined(separator: ", ")
    let rest = objects.count > 10 ? " and \(objects.count - 10) more" : ""
    return .init(
      .ambiguousIdentity,
      "\(objects.count) objects of the store have the \(identity.names) of \(source): \(listed)\(rest); merge them with "
        + "`moclone dedupe \(identity.scope)`, or name what tells them apart", entity: identity.entity)
  }
}
