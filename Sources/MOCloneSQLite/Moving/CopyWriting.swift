import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Writes what was found out, table by table, and counts it.
struct CopyWriting {
  private let layout: CopyLayout
  private let states: [CopyState]
  private let statements: StatementRunner
  private let writes: CopyWrites
  private let modified: ModifiedRule

  init(
    _ layout: CopyLayout, _ states: [CopyState], _ statements: StatementRunner, _ writes: CopyWrites,
    _ modified: ModifiedRule
  ) {
    self.layout = layout
    self.states = states
    self.statements = statements
    self.writes = writes
    self.modified = modified
  }

  func perform(_ report: inout MoveReport) throws {
    for statement in writes.listEnds { try statements.execute(statement) }
    for table in layout.tables { try insert(table, &report) }
    for table in layout.tables where hasFound(table) {
      for reference in writes.updated(in: table) { try update(reference, table, &report) }
    }
    for join in layout.joins where join.isFormed {
      let count = try translating(join.relationship.entity) { try statements.execute(writes.insert(join)) }
      report.add(count, join.relationship.qualifiedName, to: \.linked)
    }
    for statement in layout.tables.flatMap(writes.restored) { try statements.execute(statement) }
    try checkReferences()
  }

  /// Gives objects that were there the values of the source that they lack.
  func fill(_ report: inout MoveReport) throws {
    let differences = CopyDifferences(layout, states, modified)
    for table in layout.tables where hasFound(table) {
      guard let fill = differences.fill(table, modified: modifiedColumn(table)) else { continue }
      for row in try statements.rows(fill.count) {
        let kind = AttributeValue(raw: row[0]).description
        let entity = table.entities.first { layout.mapping[$0].discriminator?.value == kind }
        report.add(row[1], entity ?? table.entities[0], to: \.updated)
      }
      try translating(table.root) { _ = try statements.execute(fill.update) }
    }
  }

  private func hasFound(_ table: CopyTable) -> Bool {
    layout.cut == nil && (states[table.index].hasMoved || table.newKey == .parts)
  }

  private func insert(_ table: CopyTable, _ report: inout MoveReport) throws {
    let releases = layout.references(in: table).compactMap {
      writes.release($0, in: table, modified: modifiedColumn(table))
    }
    let count = try translating(table.root) {
      for release in releases { try statements.execute(release) }
      return try statements.execute(writes.insert(into: table), scanning: table.root)
    }
    if CopyCounts.isCounted(byWriting: table) { report.add(count, table.entities[0], to: \.created) }
    try compare(count, with: writes.newRows(table).sql, table.target)
  }

  private func update(_ reference: CopyReference, _ table: CopyTable, _ report: inout MoveReport) throws {
    let sql = writes.update(reference, in: table, modified: modifiedColumn(table))
    let count = try translating(table.root) { try statements.execute(sql) }
    report.add(count, reference.relationship.qualifiedName, to: \.linked)
  }

  /// The column for the date of change, as a value for all entities that have it.
  private func modifiedColumn(_ table: CopyTable) -> (column: String, value: String)? {
    let holders = table.entities.filter { modified.attribute(of: $0, in: layout.model) != nil }
    guard let first = holders.first else { return nil }
    let column = layout.mapping[first].attributes[modified.name]!
    guard column.keyPart == nil, table.target.column(column.column)?.isGenerated != true else { return nil }
    let now = ValueCoding(column).literal(.date(modified.instant))
    guard let kind = table.kind(of: holders, "t", layout.mapping) else { return (column.column, now) }
    return (column.column, "CASE WHEN \(kind) THEN \(now) ELSE \(SQL.column("t", column.column)) END")
  }

  /// Only a trigger can swallow a row without an error, so only then they are counted.
  private func compare(_ count: Int, with rows: String, _ table: TableSchema) throws {
    guard !table.triggers.isEmpty else { return }
    let expected = try statements.number("SELECT count(*) \(rows)")
    guard count != expected else { return }
    throw CloneError.swallowed(count, of: expected, "new rows", by: table.name)
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
    let db = statements.db
    guard PendingReferences.arePending(in: db) else { return }
    let found = try Row.fetchOne(db, sql: "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check")
    let place = found.map {
      "a row of '\($0["table"] as String)' refers to a row of '\($0["parent"] as String)'"
    }
    throw CloneError(
      .constraintFailed,
      "\(place ?? "a row refers to another one") that does not exist; mend it in the source first")
  }
}
