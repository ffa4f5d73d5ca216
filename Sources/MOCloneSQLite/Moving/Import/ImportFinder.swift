import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What the rows of one entity meet in the store.
struct ImportMatches {
  /// Whether rows share an identity.
  var hasLater = false
  /// How many objects were there before.
  var found = 0
  /// How many objects are to be made.
  var new = 0
  /// Whether the store joins equal rows itself as they are written.
  var isLeftToStore = false
}

/// Finds the objects of staged rows, entity by entity, and refuses what cannot be told apart or made.
struct ImportFinder {
  private let access: RowAccess
  private let plan: ImportPlan
  private(set) var tables: [StagedTable]
  private let modified: ModifiedRule
  private let rows: [Int]
  private let statements: StatementRunner
  /// The new objects of the entities that were matched so far.
  private var new: [Int] = []

  init(
    _ access: RowAccess, _ plan: ImportPlan, _ tables: [StagedTable], _ modified: ModifiedRule, rows: [Int],
    _ statements: StatementRunner
  ) {
    self.access = access
    self.plan = plan
    self.tables = tables
    self.modified = modified
    self.rows = rows
    self.statements = statements
  }

  /// Matches an entity, those before it being matched.
  mutating func match(_ i: Int) throws -> ImportMatches {
    let matches = try matches(i)
    new.append(matches.new)
    return matches
  }

  private func writing(_ table: StagedTable) -> ImportWriting {
    ImportWriting(table, tables, plan, access.mapping, modified)
  }

  private func matching(_ table: StagedTable) -> ImportMatching {
    ImportMatching(staged: table, all: tables, model: plan.model, schema: access.mapping)
  }

  private mutating func matches(_ i: Int) throws -> ImportMatches {
    let table = tables[i]
    let writing = writing(table)
    if try isFilledAtOnce(table, writing) { return ImportMatches(new: rows[i], isLeftToStore: true) }
    var matches = ImportMatches()
    if table.entity.identity != nil { try find(table, &matches) }
    let last = try fillMap(table, writing)
    matches.new = try statements.number(writing.countNew(matches))
    if matches.new == rows[i] { tables[i].keysBefore = last }
    try checkNew(table, writing, matches)
    return matches
  }

  /// Whether nothing can be found, so that the rows need not be ordered before they are written in order.
  private func isFilledAtOnce(_ table: StagedTable, _ writing: ImportWriting) throws -> Bool {
    guard writing.leavesIdentityToStore, writing.openKey == nil else { return false }
    return try statements.number(matching(table).hasObjects) == 0
  }

  // MARK: What is there

  private func find(_ table: StagedTable, _ matches: inout ImportMatches) throws {
    let matching = matching(table)
    let identity = table.entity.identity!
    if let empty = matching.emptyKeys, let row = try statements.row(empty) {
      let path = identity.paths.first { !$0.steps.isEmpty }!
      throw CloneError.nullIdentity(identity, "\(path)").about(table.row(row))
    }
    try statements.execute(matching.fillKeys)
    matches.hasLater = try statements.execute(matching.fillLater) > 0
    guard try statements.number(matching.hasObjects) == 1 else { return }
    if !table.findsByIndex, let index = matching.canonicalIndex { try statements.execute(index) }
    try statements.execute(matching.fillFound(hasIndex: table.findsByIndex))
    matches.found = try statements.number("SELECT count(*) FROM temp.\(table.found)")
    if let row = try statements.row(matching.ambiguous) {
      let (key, objects) = try described(row[0], table, matching)
      throw CloneError.ambiguousIdentity(identity, key, objects)
    }
    if let others = matching.ofOthers, let row = try statements.row(others) {
      let (key, objects) = try described(row[0], table, matching)
      throw CloneError.identityOfOtherEntity(identity, key, objects[0])
    }
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

  // MARK: What is new

  /// Gives every row its object.
  ///
  /// - Returns: the number before the first new key, where a key is nothing but a number that is counted.
  private func fillMap(_ table: StagedTable, _ writing: ImportWriting) throws -> Int64? {
    guard writing.needsMap else { return nil }
    var last: Int64?
    if writing.countsKeys {
      let before = try greatestNumber(in: table)
      statements.bind("last", before)
      try statements.execute("SELECT moclone_count_from(:last)")
      if writing.countsEveryKey { last = before }
    }
    for statement in writing.fillMap { try statements.execute(statement) }
    return last
  }

  private func greatestNumber(in table: StagedTable) throws -> Int64 {
    let last = try table.table.greatestNumber(
      in: table.mapping.keyColumns[0], of: table.entity.name, access.db)
    // Entities of one table number their objects one after another.
    let others = tables.prefix(table.number).filter {
      $0.table.name == table.table.name && writing($0).countsKeys
    }
    let (start, isTooGreat) = last.addingReportingOverflow(
      Int64(others.reduce(0) { $0 + new[$1.number] }))
    guard !isTooGreat, start < Int64.max - Int64(rows[table.number]) else {
      throw CloneError(
        .noRoomForKeys,
        "the table '\(table.table.name)' has used the key \(last), so there is no room above it",
        entity: table.entity.name)
    }
    return start
  }

  private func checkNew(_ table: StagedTable, _ writing: ImportWriting, _ matches: ImportMatches) throws {
    guard matches.new > 0 else { return }
    let incomplete = try writing.incomplete(matches).map { try statements.rows($0) } ?? []
    if !incomplete.isEmpty {
      throw CloneError(
        incomplete.flatMap { row in
          CloneError.importLacks(table.entity.missing, table.entity.name).about(table.row(row)).failures
        })
    }
    if let column = writing.openKey {
      throw CloneError(
        .keyNeedsValue,
        "the key '\(column)' of \(table.entity.name) is not generated, and the mapping gives it no value",
        entity: table.entity.name)
    }
  }
}

extension StagedTable {
  /// The staged row whose line and number were selected.
  func row(_ row: GRDB.Row) -> ImportPlan.Row {
    ImportPlan.Row(entity: number, number: row[1], line: row[0])
  }
}
