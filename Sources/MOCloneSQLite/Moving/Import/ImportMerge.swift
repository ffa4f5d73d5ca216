import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Finds and writes the objects of staged rows, set by set: how many statements that are depends on the plan alone.
final class ImportMerge {
  private let access: RowAccess
  private let plan: ImportPlan
  private let tables: [StagedTable]
  private let schema: StoreSchema
  private let modified: ModifiedRule
  private let statements: StatementRunner
  /// What was found for each entity.
  private let matches: [ImportMatches]
  private var created: [Int]
  private var report: MoveReport

  /// Finds the objects of all rows.
  ///
  /// - Parameter rows: how many there are of each entity.
  init(
    _ access: RowAccess, _ plan: ImportPlan, _ run: MoveRun, _ tables: [StagedTable], _ schema: StoreSchema,
    rows: [Int], _ statements: StatementRunner
  ) throws {
    self.access = access
    self.plan = plan
    self.schema = schema
    self.statements = statements
    modified = run.modified
    report = MoveReport(.import, isDryRun: run.isDryRun)
    var finder = ImportFinder(access, plan, tables, modified, rows: rows, statements)
    matches = try tables.indices.map { try finder.match($0) }
    self.tables = finder.tables
    created = matches.map(\.new)
  }

  /// Writes what is new, and what the rows change.
  ///
  /// - Parameter rebuilds: whether indexes may be dropped and made anew around many rows.
  func write(rebuildsIndexes rebuilds: Bool) throws -> MoveReport {
    let indexes = BulkIndexes(access.db)
    for table in tables {
      if rebuilds { try indexes.drop(of: table.table, before: created[table.number]) }
      try insert(table)
    }
    try indexes.restore()
    for table in tables { try update(table) }
    for i in plan.pairs.indices { try insertPairs(i) }
    try ImportPartners(plan: plan, tables: tables, statements: statements).check()
    count()
    return report
  }

  private func writing(_ table: StagedTable) -> ImportWriting {
    ImportWriting(table, tables, plan, access.mapping, modified)
  }

  private func bindInstant(_ table: StagedTable, _ writing: ImportWriting) {
    guard let date = writing.modified, let column = table.mapping.attributes[date.name] else { return }
    statements["now"] = ValueCoding(column).encode(.date(modified.instant))
  }

  private func insert(_ table: StagedTable) throws {
    let i = table.number
    guard created[i] > 0 else { return }
    let writing = writing(table)
    bindInstant(table, writing)
    if matches[i].isLeftToStore {
      created[i] = try naming(table) { writing.insertIntoEmpty(upTo: $0) }
      return
    }
    let inserted = try naming(table) { writing.insert(matches[i], upTo: $0) }
    try compare(inserted, with: created[i], "new \(table.entity.name)", in: table.table)
  }

  /// Names the row that a constraint of the store refuses: the first without which the others would be written.
  private func naming(_ table: StagedTable, _ insert: (_ last: String?) -> String) throws -> Int {
    do {
      return try translating(table) { try statements.execute(insert(nil)) }
    } catch let error as CloneError where [.uniqueValue, .constraintFailed].contains(error.code) {
      guard statements.db.isInsideTransaction else { throw error }
      let sql = insert(":last")
      var (good, bad) = (0, try statements.number("SELECT max(number) FROM temp.\(table.rows)"))
      while bad - good > 1 {
        let middle = (good + bad) / 2
        statements.bind("last", middle)
        do {
          _ = try statements.db.savepoint(isKept: false) { try statements.execute(sql) }
          good = middle
        } catch is DatabaseError { bad = middle }
      }
      statements.bind("last", bad)
      let line = try statements.number("SELECT line FROM temp.\(table.rows) WHERE number = :last")
      throw error.about(ImportPlan.Row(entity: table.number, number: Int64(bad), line: line))
    }
  }

  /// - Throws: `CloneError` (`row-count`) where a trigger of the store has swallowed rows.
  private func compare(_ count: Int, with expected: Int, _ what: String, in table: TableSchema) throws {
    guard count != expected else { return }
    throw CloneError(
      .rowCount,
      "\(expected) \(what) were to be written, but \(count) were: look at the triggers of the table '\(table.name)'"
    )
  }

  private func update(_ table: StagedTable) throws {
    let match = matches[table.number]
    let writing = writing(table)
    let updating = ImportUpdating(writing: writing)
    // What is kept is what was there before, not what another row of the file made by mentioning it.
    let changesStored = match.found > 0 && plan.existing != .keep
    let changesMade = match.hasLater && (plan.existing != .keep || table.entity.isMentioned)
    guard table.entity.identity != nil, !updating.isEmpty, changesStored || changesMade else { return }
    try statements.execute(updating.create)
    try statements.execute(updating.fill(match))
    bindInstant(table, writing)
    if changesStored {
      report.add(try update(table, updating, made: false), table.entity.name, to: \.updated)
    }
    if changesMade { _ = try update(table, updating, made: true) }
  }

  private func update(_ table: StagedTable, _ updating: ImportUpdating, made: Bool) throws -> Int {
    // Only a trigger can swallow a row without an error.
    let expected = table.table.triggers.isEmpty ? nil : try statements.number(updating.count(made: made))
    let count = try translating(table) { try statements.execute(updating.update(made: made)) }
    try compare(count, with: expected ?? count, "changes of \(table.entity.name)", in: table.table)
    return count
  }

  private func insertPairs(_ i: Int) throws {
    let pairs = ImportPairs(i, plan, access.mapping, tables, schema)
    let relationship = pairs.pairs.relationship
    let expected = pairs.table.triggers.isEmpty ? nil : try statements.number(pairs.count)
    let count = try translating(pairs.source) { try statements.execute(pairs.insert) }
    try compare(count, with: expected ?? count, "pairs of \(relationship.qualifiedName)", in: pairs.table)
    report.add(count, relationship.qualifiedName, to: \.linked)
  }

  private func translating<T>(_ table: StagedTable, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as DatabaseError {
      throw ImportConstraint(table: table, model: plan.model).translated(error)
    }
  }

  private func count() {
    for table in tables {
      let (name, found) = (table.entity.name, matches[table.number].found)
      report.add(created[table.number], name, to: \.created)
      report.add(found, name, to: \.found)
      report.add(found - (report.updated?[name] ?? 0), name, to: \.unchanged)
    }
  }
}
