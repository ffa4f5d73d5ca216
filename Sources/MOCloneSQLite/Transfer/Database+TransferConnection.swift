import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension Database: TransferConnection {
  package var isInTransaction: Bool { isInsideTransaction }
  package var hasPendingReferences: Bool { PendingReferences.arePending(in: self) }

  package var checksReferences: Bool {
    get throws { try Bool.fetchOne(self, sql: "PRAGMA foreign_keys") == true }
  }

  package func statements(_ watch: RunWatch?) -> any StatementRunning { StatementRunner(self, watch: watch) }

  package func generating<Result>(
    by generator: ValueGenerator, _ statements: any StatementRunning, body: () throws -> Result
  ) throws -> Result {
    try Functions.register(in: self)
    let number = Functions.begin(generator)
    defer { Functions.end(number) }
    statements.bind("run", .integer(Int64(number)))
    return try body()
  }

  /// Lets SQLite sort in several threads, and leaves the connection's setting as it was.
  package func sorting<Result>(_ body: () throws -> Result) throws -> Result {
    let threads = try Int.fetchOne(self, sql: "PRAGMA threads") ?? 0
    try execute(sql: "PRAGMA threads = 2")
    defer { try? execute(sql: "PRAGMA threads = \(threads)") }
    return try body()
  }

  package func bulkLoad() -> any BulkLoading { BulkIndexes(self) }

  package func rowWriter(into table: String, _ columns: [String]) throws -> any RowWriting {
    let parameters = columns.indices.map { dialect.parameter("p\($0)") }
    let insert = Insert(into: table, columns, rows: "VALUES (\(parameters.list))", conflict: .fail)
    return try PreparedRowWriter(insert.text(dialect), parameters: columns.count, in: self)
  }

  package func rowWriter(updating statement: String, parameters: Int) throws -> any RowWriting {
    try PreparedRowWriter(statement, parameters: parameters, in: self)
  }

  package func stagingSink(_ layout: TransferLayout) throws -> any StagingSink {
    try StagingWriter(self, in: layout)
  }

  /// A caller's connection keeps the tables: a statement of its own may run.
  package func clearTables(_ prefix: String) throws {
    for table in try temporaryTables(prefix) { try execute(sql: "DELETE FROM \(table)") }
  }

  /// The temporary tables of an operation in SQL.
  func temporaryTables(_ prefix: String) throws -> [String] {
    try String.fetchAll(self, sql: "SELECT name FROM temp.sqlite_schema WHERE type = 'table'")
      .filter { $0.hasPrefix("moclone_" + prefix) }.map(dialect.temporary)
  }

  package func explained(_ error: any Error) -> any Error {
    guard let failure = error as? DatabaseError, let obstacle = InsertObstacle(failure, in: self) else {
      return error
    }
    return CloneError([obstacle.failure(entity: nil)])
  }

  package func hasTable(_ name: String) throws -> Bool {
    try Bool.fetchOne(
      self, sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?)",
      arguments: [name]) ?? false
  }

  package func tableNames(with mapped: Set<String>) throws -> [String] {
    try SchemaReader(db: self).tableNames().sorted()
  }
}

/// A statement that is prepared once and run for one row after another.
private struct PreparedRowWriter: RowWriting {
  private let statement: RawStatement
  /// Those of `p0`, `p1`, and so on, which the statement may name in another order.
  private let parameters: [Int32]

  init(_ sql: String, parameters: Int, in db: Database) throws {
    let statement = RawStatement(try db.makeStatement(sql: sql), in: db)
    self.statement = statement
    self.parameters = (0..<parameters).map { statement.parameter("p\($0)") }
  }

  /// Texts are bound byte for byte, also behind a zero.
  func write(_ values: ArraySlice<StoredValue>) throws {
    for (value, parameter) in zip(values, parameters) {
      statement.bind(stored: value, at: parameter)
    }
    _ = try statement.execute()
  }

  func finish() {}
}

extension RunWatch {
  /// Steps of SQLite's virtual machine between two looks, which take milliseconds at most.
  private static let interval: Int32 = 20_000

  /// Looks at the run during a body on a connection.
  ///
  /// SQLite rolls a whole transaction back with a statement that it ends, so it must be the run's own.
  func during<T>(_ db: Database, body: () throws -> T) rethrows -> T {
    let connection = db.sqliteConnection
    sqlite3_progress_handler(
      connection, Self.interval,
      { watch in Unmanaged<RunWatch>.fromOpaque(watch!).takeUnretainedValue().look() ? 0 : 1 },
      Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_progress_handler(connection, 0, nil, nil) }
    return try withExtendedLifetime(self, body)
  }
}
