import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel

/// Finds and writes the objects of staged rows, set by set: how many statements that are depends on the plan alone.
final class ImportMerge {
  private let access: RowAccess
  private let plan: ImportPlan
  private let run: MoveRun
  private var tables: [StagedTable]
  private let schema: StoreSchema
  private let modified: ModifiedRule
  private let statements: StatementRunner
  private let rows: StagingWriter
  private var report: MoveReport
  /// By entity: whether rows share an identity, and how many found an object.
  private var hasLater: [Bool]
  private var found: [Int]
  private var created: [Int]
  /// Whether the store joins equal rows itself as they are written.
  private var isLeftToStore: [Bool]
  private var db: Database { access.db }

  init(
    _ access: RowAccess, _ plan: ImportPlan, _ watch: RunWatch, _ tables: [StagedTable],
    _ schema: StoreSchema,
    _ rows: StagingWriter
  ) {
    self.access = access
    self.plan = plan
    run = watch.run
    self.tables = tables
    self.schema = schema
    self.rows = rows
    modified = run.modified
    statements = StatementRunner(access.db, watch)
    report = MoveReport(.import, isDryRun: run.isDryRun)
    hasLater = tables.map { _ in false }
    found = tables.map { _ in 0 }
    created = found
    isLeftToStore = hasLater
  }

  /// - Parameter rebuilds: whether indexes may be dropped and made anew around many rows.
  func merge(rebuildsIndexes rebuilds: Bool) throws -> MoveReport {
    try Functions.register(in: db)
    let number = Functions.begin(run.generator)
    defer { Functions.end(number) }
    statements.bind("run", number)
    for i in tables.indices { try match(tables[i]) }
    let indexes = BulkIndexes(db)
    for (i, table) in tables.enumerated() {
      if rebuilds { try indexes.drop(of: table.table, before: created[i]) }
      try insert(table)
    }
    try indexes.restore()
    for table in tables { try update(table) }
    for i in plan.pairs.indices { try insertPairs(i) }
    for table in tables { try checkPartners(table) }
    count()
    return report
  }

  private func writing(_ table: StagedTable) -> ImportWriting {
    ImportWriting(
      staged: table, all: tables, model: plan.model, schema: access.mapping, existing: plan.existing,
      isPaired: plan.pairs.contains { [$0.source, $0.destination].contains(table.number) },
      modified: modified.attribute(of: table.entity.name, in: plan.model))
  }

  // MARK: Finding

  private func match(_ table: StagedTable) throws {
    let writing = writing(table)
    if try isFilledAtOnce(table, writing) {
      isLeftToStore[table.number] = true
      created[table.number] = rows.count(table.number)
      return
    }
    if table.entity.identity != nil { try find(table) }
    var last: Int64?
    if writing.needsMap {
      if writing.countsKeys {
        last = try greatestNumber(in: table)
        statements.bind("last", last)
        try statements.execute("SELECT moclone_count_from(:last)")
      }
      for statement in writing.fillMap { try statements.execute(statement) }
    }
    let i = table.number
    created[i] = try statements.number(writing.countNew(later: hasLater[i], found: found[i] > 0))
    if writing.countsEveryKey, created[i] == rows.count(i) { tables[i].keysBefore = last }
    try checkNew(table, writing)
  }

  /// Whether nothing can be found, so that the rows need not be ordered before they are written in order.
  private func isFilledAtOnce(_ table: StagedTable, _ writing: ImportWriting) throws -> Bool {
    guard writing.leavesIdentityToStore, writing.openKey == nil else { return false }
    let matching = ImportMatching(staged: table, all: tables, model: plan.model, schema: access.mapping)
    return try statements.number(matching.hasObjects) == 0
  }

  private func find(_ table: StagedTable) throws {
    let matching = ImportMatching(staged: table, all: tables, model: plan.model, schema: access.mapping)
    if let empty = matching.emptyKeys, let row = try statements.row(empty) {
      let path = table.entity.identity!.paths.first { !$0.steps.isEmpty }!
      throw CloneError.nullIdentity(table.entity.identity!, "\(path)", line: row[0])
    }
    try statements.execute(matching.fillKeys)
    hasLater[table.number] = try statements.execute(matching.fillLater) > 0
    guard try statements.number(matching.hasObjects) == 1 else { return }
    try statements.execute(matching.fillFound(hasIndex: hasIndex(table)))
    found[table.number] = try statements.number("SELECT count(*) FROM temp.\(table.found)")
    if let row = try statements.row(matching.ambiguous) {
      let (key, objects) = try described(row[0], table, matching)
      throw CloneError.ambiguousIdentity(table.entity.identity!, key, objects)
    }
    if let others = matching.ofOthers, let row = try statements.row(others) {
      let (key, objects) = try described(row[0], table, matching)
      throw CloneError.identityOfOtherEntity(table.entity.identity!, key, objects[0])
    }
  }

  /// Whether the store finds objects by the first part of the identity.
  private func hasIndex(_ table: StagedTable) -> Bool {
    let columns = table.identity.flatMap { part -> [String] in
      switch part {
      case .attribute(let i): [table.columns[i].column]
      case .reference(let i, let path, _):
        path.attribute == nil && path.steps.count == 1 ? table.foreignKeys[i].columns : []
      }
    }.map { $0.lowercased() }
    return table.table.indexes.contains { index in
      index.condition == nil && index.columns.first?.name.map { columns.contains($0.lowercased()) } ?? false
    } || columns.contains { table.table.isRowid($0) }
  }

  /// The identity of a row, and the stored objects that have it.
  private func described(
    _ number: Int64, _ table: StagedTable, _ matching: ImportMatching
  ) throws -> ([IdentityPart], [ObjectID]) {
    statements.bind("number", number)
    let row = try statements.row(matching.identityOfRow)!
    var place = 0
    let key = table.identity.map { part -> IdentityPart in
      defer { place += part.names.count }
      if case .attribute(let i) = part, let value = ValueCoding(table.columns[i]).decode(row[place]) {
        return .value(value)
      }
      return .value(AttributeValue(raw: row[place]))
    }
    let objects = try statements.rows(matching.objectsOfRow).map {
      try access.id($0, of: table.entity.identity!.scope)
    }
    return (key, objects)
  }

  private func greatestNumber(in table: StagedTable) throws -> Int64 {
    let column = table.mapping.keyColumns.first { table.table.isRowid($0) }!
    let greatest =
      try Int64.fetchOne(db, sql: "SELECT max(\(SQL.name(column))) FROM \(SQL.main(table.table.name))") ?? 0
    let used =
      table.table.isAutoincrement
      ? try Int64.fetchOne(
        db, sql: "SELECT seq FROM main.sqlite_sequence WHERE name = ?", arguments: [table.table.name]) : nil
    let last = max(greatest, used ?? 0, 0)
    // Entities of one table number their objects one after another.
    let others = tables.prefix(table.number).filter {
      $0.table.name == table.table.name && writing($0).countsKeys
    }
    let start = last + Int64(others.reduce(0) { $0 + created[$1.number] })
    guard start < Int64.max - Int64(rows.count(table.number)) else {
      throw CloneError(
        .noRoomForKeys,
        "the table '\(table.table.name)' has used the key \(last), so there is no room above it",
        entity: table.entity.name)
    }
    return start
  }

  private func checkNew(_ table: StagedTable, _ writing: ImportWriting) throws {
    let i = table.number
    guard created[i] > 0 else { return }
    if let sql = writing.lineOfIncomplete(later: hasLater[i], found: found[i] > 0),
      let row = try statements.row(sql)
    {
      throw CloneError.importLacks(table.entity.missing, table.entity.name, line: row[0])
    }
    if let column = writing.openKey {
      throw CloneError(
        .keyNeedsValue,
        "the key '\(column)' of \(table.entity.name) is not generated, and the mapping gives it no value",
        entity: table.entity.name)
    }
  }

  // MARK: Writing

  private func bindInstant(_ table: StagedTable, _ writing: ImportWriting) {
    guard let date = writing.modified, let column = table.mapping.attributes[date.name] else { return }
    statements["now"] = ValueCoding(column).encode(.date(modified.instant))
  }

  private func insert(_ table: StagedTable) throws {
    let i = table.number
    guard created[i] > 0 else { return }
    let writing = writing(table)
    bindInstant(table, writing)
    if isLeftToStore[i] {
      created[i] = try translating(table) { try statements.execute(writing.insertIntoEmpty) }
      return
    }
    let inserted = try translating(table) {
      try statements.execute(writing.insert(later: hasLater[i], found: found[i] > 0))
    }
    guard inserted == created[i] else {
      throw CloneError(
        .rowCount,
        "\(created[i]) new \(table.entity.name) were to be written, but \(inserted) were: look at the table's triggers",
        entity: table.entity.name)
    }
  }

  private func update(_ table: StagedTable) throws {
    let writing = writing(table)
    let updating = ImportUpdating(writing: writing)
    guard try gather(table, updating) else { return }
    bindInstant(table, writing)
    try translating(table) {
      report.add(try statements.execute(updating.update(made: false)), table.entity.name, to: \.updated)
      if hasLater[table.number] { try statements.execute(updating.update(made: true)) }
    }
  }

  /// Puts together what rows say of objects that are there; false where that is nothing.
  private func gather(_ table: StagedTable, _ updating: ImportUpdating) throws -> Bool {
    let i = table.number
    guard plan.existing != .keep, table.entity.identity != nil, !updating.isEmpty, found[i] > 0 || hasLater[i]
    else { return false }
    try statements.execute(updating.create)
    try statements.execute(updating.fill)
    return true
  }

  private func insertPairs(_ i: Int) throws {
    let pairs = ImportPairs(i, plan, access.mapping, tables, schema)
    let relationship = pairs.pairs.relationship
    try translating(pairs.source) {
      report.add(try statements.execute(pairs.insert), relationship.qualifiedName, to: \.linked)
    }
  }

  /// In a one-to-one relationship nothing may belong to two objects.
  private func checkPartners(_ table: StagedTable) throws {
    for (i, reference) in table.entity.references.enumerated() {
      let side = reference.isForward ? plan.model.inverse(of: reference.relationship) : reference.relationship
      guard let side, !side.isToMany else { continue }
      let columns = table.foreignKeys[i].columns.map { SQL.column("t", $0) }
      let destination = tables[reference.destination]
      let isHeld = SQL.equal(columns, table.foreignKeys[i].references.map { SQL.column("o", $0) })
      let isKey = SQL.equal(
        destination.mapping.keyColumns.map { SQL.column("o", $0) }, destination.keyParts.map { "m.\($0)" })
      let row = try statements.row(
        "SELECT \(SQL.list(destination.keyParts.map { "m.\($0)" })) FROM temp.\(destination.map) m "
          + "CROSS JOIN \(SQL.main(destination.table.name)) o ON \(isKey) "
          + "CROSS JOIN \(SQL.main(table.table.name)) t ON \(isHeld) WHERE m.first = m.number "
          + "GROUP BY \(SQL.list(destination.keyParts.map { "m.\($0)" })) HAVING count(*) > 1 LIMIT 1")
      guard let row else { continue }
      let partner = ObjectID(
        destination.entity.name, key: KeyCoding(entity: destination.mapping).decode(row, from: 0))
      throw CloneError.importPartnerTaken(reference.relationship, partner.description)
    }
  }

  private func translating<T>(_ table: StagedTable, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as DatabaseError {
      throw ImportConstraint(table: table, model: plan.model).translated(error)
    }
  }

  // MARK: Counting

  private func count() {
    for table in tables {
      let name = table.entity.name
      report.add(created[table.number], name, to: \.created)
      report.add(found[table.number], name, to: \.found)
      report.add(found[table.number] - (report.updated?[name] ?? 0), name, to: \.unchanged)
    }
  }
}

extension CloneError {
  fileprivate static func nullIdentity(_ identity: Identity, _ part: String, line: Int) -> CloneError {
    let error = CloneError.nullIdentity(identity, part)
    return CloneError(
      error.code, "line \(line): \(error.failures[0].message)", entity: identity.entity, property: part)
  }
}
