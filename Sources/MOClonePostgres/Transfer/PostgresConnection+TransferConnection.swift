import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension PostgresConnection: TransferConnection {
  /// Whether an operation runs in a transaction of its caller's, which goes on after it.
  private var isNested: Bool { savepoints > 0 }

  /// Only those of a caller's transaction can wait when an operation begins.
  package var hasPendingReferences: Bool {
    get throws {
      guard isNested else { return false }
      do {
        try savepoint(isKept: false, checkReferences)
        return false
      } catch let error as PostgresError where error.isOfRows { return true }
    }
  }

  package var checksReferences: Bool { false }

  package func statements(_ watch: RunWatch?) -> any StatementRunning {
    PostgresStatements(self, watch: watch)
  }

  /// The server makes random UUIDs itself; those of another generator are handed over.
  package func generating<Result>(
    by generator: ValueGenerator, _ statements: any StatementRunning, body: () throws -> Result
  ) throws -> Result {
    guard !generator.isRandom else { return try body() }
    let given = generator.lend(Self.givenUUIDs)
    try give(given, to: statements)
    let result = try body()
    let taken = try takenUUIDs()
    guard taken <= given.count else {
      throw CloneError(
        .invalidValue,
        "a generator of the caller makes at most \(Self.givenUUIDs) UUIDs for one operation in a PostgreSQL "
          + "database",
        help: "divide the operation, or let the server make them")
    }
    generator.takeBack(given[taken...])
    try dropUUIDs()
    return result
  }

  private static let givenUUIDs = 20_000

  /// Has statements take UUIDs, in their order.
  func give(_ uuids: [UUID], to statements: any StatementRunning) throws {
    statements.bind("uuids", .text("{\(uuids.map(\.uuidString).list)}"))
    try run(
      "CREATE TEMPORARY SEQUENCE IF NOT EXISTS moclone_uuids; ALTER SEQUENCE \(Dialect.uuidSequence) RESTART")
  }

  /// Leaves nothing behind in a session that others use.
  func dropUUIDs() throws {
    if !ownsSession { try run("DROP SEQUENCE \(Dialect.uuidSequence)") }
  }

  /// How many of them were taken; those that were not given are null.
  func takenUUIDs() throws -> Int {
    try rows("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM \(Dialect.uuidSequence)").first?
      .first?.number ?? 0
  }

  package func refuseHidden(_ tables: [String]) throws {
    try PostgresTableState.refuseHidden(tables, in: self)
  }

  package func savepoint<Result>(isKept: Bool, _ body: () throws -> Result) throws -> Result {
    guard !isKept else { return try inTransaction(body) }
    var result: Result?
    do {
      try inTransaction {
        result = try body()
        throw TakenBack()
      }
    } catch is TakenBack {}
    return result!
  }

  /// Only constraints that are deferrable wait. A caller's transaction finds them afterwards as they are declared.
  package func deferringForeignKeys<Result>(_ body: () throws -> Result) throws -> Result {
    let hadPendingReferences = try hasPendingReferences
    try deferForeignKeys()
    let result = try body()
    if !hadPendingReferences { try refuseDanglingReferences(help: nil) }
    if isNested { try restoreConstraints() }
    return result
  }

  package func refuseDanglingReferences(help: String?) throws {
    do { try savepoint(isKept: !isNested, checkReferences) } catch let error as PostgresError
      where error.sqlState == "23503"
    {
      throw CloneError(
        .constraintFailed, "a reference would dangle: \(try place(error) ?? error.words)", help: help,
        underlying: error)
    }
  }

  private func checkReferences() throws { try execute("SET CONSTRAINTS ALL IMMEDIATE") }

  /// The tables of a dangling reference, and its key.
  private func place(_ error: PostgresError) throws -> String? {
    guard let constraint = error.constraint, let table = error.table, let schema = error.schema else {
      return nil
    }
    let referenced = """
      SELECT p.relname FROM pg_catalog.pg_constraint c
      JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      JOIN pg_catalog.pg_class p ON p.oid = c.confrelid
      WHERE c.conname = $constraint AND t.relname = $table AND n.nspname = $schema
      """
    let names = ["constraint": constraint, "table": table, "schema": schema].mapValues(StoredValue.text)
    guard case .text(let other)? = try rows(referenced, names).first?.first else { return nil }
    return "a row of '\(table)' references a missing '\(other)'" + (error.detail.map { " (\($0))" } ?? "")
  }

  /// Has the constraints of the tables that the transaction has touched wait or not, as they are declared: those that were
  /// declared to wait wait already. Other sessions cannot drop such tables meanwhile.
  private func restoreConstraints() throws {
    let immediate = """
      SELECT string_agg(DISTINCT quote_ident(n.nspname) || '.' || quote_ident(c.conname), ', ')
      FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace
      WHERE c.condeferrable AND NOT c.condeferred AND c.conrelid IN (
        SELECT l.relation FROM pg_catalog.pg_locks l WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation')
      """
    guard case .text(let names)? = try rows(immediate).first?.first else { return }
    try execute("SET CONSTRAINTS \(names) IMMEDIATE")
  }

  /// Lets the server sort and join in 32 MB of memory where it has less, and leaves the setting as it was.
  package func sorting<Result>(_ body: () throws -> Result) throws -> Result {
    let former = try change(.memory)
    defer { if let former { restore(.memory, to: former) } }
    return try body()
  }

  package func bulkLoad() -> any BulkLoading { PlainLoading() }

  package func rowWriter(into table: String, _ columns: [String]) -> any RowWriting {
    CopyBuffer(self, into: table, columns: columns)
  }

  package func rowWriter(updating statement: String, parameters: Int) -> any RowWriting {
    PipelinedUpdates(self, sql: statement)
  }

  package func stagingSink(_ layout: TransferLayout) -> any StagingSink {
    PostgresStagingSink(self, in: layout)
  }

  /// They end with the transaction.
  package func clearTables(_ prefix: String) {}

  package func explained(_ error: any Error) -> any Error { error }

  package func hasTable(_ name: String) throws -> Bool {
    try rows("SELECT to_regclass($name) IS NOT NULL", ["name": .text(dialect.table(name))]).first?[0].number
      == 1
  }

  package func tableNames(with mapped: Set<String>) throws -> [String] {
    try mapped.sorted() + PostgresSchemaReader(self).tableNames(beside: mapped.sorted())
  }
}

/// Ends a transaction whose work is not kept.
struct TakenBack: Error {}
