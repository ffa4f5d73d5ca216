import MOCloneEngine
import MOCloneModel

/// A connection that rows are moved into: what such runs need beside statements.
package protocol TransferConnection: SQLConnection {
  /// Whether a transaction is open; some errors end it.
  var isInTransaction: Bool { get }
  /// Whether references of the open transaction wait for rows.
  var hasPendingReferences: Bool { get throws }
  /// Whether the database refuses dangling references.
  var checksReferences: Bool { get throws }

  /// What runs the statements of an operation that a watch looks after.
  func statements(_ watch: RunWatch?) -> any StatementRunning

  /// Has the statements of a run make UUIDs by a generator.
  func generating<Result>(
    by generator: ValueGenerator, _ statements: any StatementRunning, body: () throws -> Result
  ) throws -> Result

  /// Runs a body in a savepoint, which is rolled back where what it wrote is not kept, or where it fails.
  func savepoint<Result>(isKept: Bool, _ body: () throws -> Result) throws -> Result

  /// Runs statements between which references may dangle, as far as the database can wait.
  ///
  /// - Throws: `CloneError` (`constraint-failed`) where one dangles in the end.
  func deferringForeignKeys<Result>(_ body: () throws -> Result) throws -> Result

  /// - Parameter help: what to do.
  /// - Throws: `CloneError` (`constraint-failed`) where references wait for rows.
  func refuseDanglingReferences(help: String?) throws

  /// Runs a statement that sorts many rows.
  func sorting<Result>(_ body: () throws -> Result) throws -> Result

  /// Prepares tables for many new rows.
  func bulkLoad() -> any BulkLoading

  /// Takes rows for a temporary table.
  ///
  /// - Parameters:
  ///   - table: as SQL writes it.
  ///   - columns: as SQL writes them, in the order of the values.
  func rowWriter(into table: String, _ columns: [String]) throws -> any RowWriting

  /// Runs an update of a temporary table for one row after another, whose values are the parameters `p0`, `p1`, and so on.
  func rowWriter(updating statement: String, parameters: Int) throws -> any RowWriting

  /// Takes the rows of an import or a sync for their temporary tables.
  func stagingSink(_ layout: TransferLayout) throws -> any StagingSink

  /// Removes what lies in the temporary tables of an operation.
  ///
  /// - Parameter prefix: that of their names.
  func clearTables(_ prefix: String) throws

  /// An error of the database, or what lies behind it.
  func explained(_ error: any Error) -> any Error

  func hasTable(_ name: String) throws -> Bool

  /// - Throws: `CloneError` (`row-security`) where the database hides rows of one of these tables.
  func refuseHidden(_ tables: [String]) throws

  /// The tables of the store, those of the model among them.
  func tableNames(with mapped: Set<String>) throws -> [String]
}

extension TransferConnection {
  package func refuseHidden(_ tables: [String]) {}
}

/// Makes tables ready for many new rows, and puts them back in order.
package protocol BulkLoading {
  /// - Parameter rows: how many rows the table is to get.
  func prepare(_ table: TableSchema, for rows: () throws -> Int) throws
  func finish() throws
}

/// What needs no preparation.
package struct PlainLoading: BulkLoading {
  package init() {}
  package func prepare(_ table: TableSchema, for rows: () throws -> Int) {}
  package func finish() {}
}

/// A statement that is run for one row after another.
package protocol RowWriting {
  func write(_ values: ArraySlice<StoredValue>) throws
  /// Waits until every row is written.
  func finish() throws
  /// The row that an error is about, where rows are sent together and the database tells which one it has refused.
  func refused(by error: any Error) -> RefusedRow?
}

extension RowWriting {
  package func write(_ values: [StoredValue]) throws { try write(values[...]) }

  package func refused(by error: any Error) -> RefusedRow? { nil }
}

/// A row that the database has refused for what it holds.
package struct RefusedRow {
  /// What the row holds, as texts; nil represents null.
  package let fields: [String?]
  /// The place of the value that the type of its column does not take; nil where the database names none.
  package let column: Int?
  /// What the database says.
  package let reason: String

  package init(fields: [String?], column: Int?, reason: String) {
    self.fields = fields
    self.column = column
    self.reason = reason
  }
}

/// Takes the rows of an import.
package protocol StagingSink: ImportSink {
  /// Adds a row, perhaps together with others: its values must lie still until `flush`.
  func addLater(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws
  /// Adds what waits.
  func flush() throws
  /// Required properties that rows leave out, by entities.
  var leftOut: [Int: Set<String>] { get set }
  /// How many rows an entity has.
  func count(_ entity: Int) -> Int
  /// A bit for each value that some row of an entity leaves out, 60 in a number.
  func absent(_ entity: Int) -> [Int64]
  /// Waits until every row is staged.
  func finish() throws
}

extension StagingSink {
  package func addLater(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws {
    _ = try add(entity, values, references, line: line)
  }

  package func flush() {}
}
