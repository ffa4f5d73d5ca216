import Foundation
import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Writes the rows of an import into their temporary tables, past GRDB's bookkeeping.
final class StagingWriter: StagingSink {
  private let db: Database
  private var tables: [StagedRowWriter] = []
  private var joinRows: [OpaquePointer] = []
  /// Required properties that rows leave out, by entities.
  var leftOut: [Int: Set<String>] = [:]

  init(_ db: Database, in layout: TransferLayout) throws {
    self.db = db
    for stream in layout.streams {
      guard let rows = stream.staged else { continue }
      tables.append(try StagedRowWriter(rows, prepare: prepare))
    }
    for joinRows in layout.joinRows {
      let table = layout.staged(joinRows).sql
      self.joinRows.append(try prepare("INSERT INTO \(table)(source, destination) VALUES (?, ?)"))
    }
  }

  deinit {
    for statement in joinRows { sqlite3_finalize(statement) }
  }

  /// How many rows an entity has.
  func count(_ entity: Int) -> Int { Int(tables[entity].count) }

  func absent(_ entity: Int) -> [Int64] { tables[entity].absent }

  func finish() throws { try flush() }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(db.sqliteConnection)))
    }
    return statement
  }

  // MARK: Rows

  func add(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws -> Int64 {
    try tables[entity].add(values, references, line: line)
  }

  func addLater(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws {
    try tables[entity].addLater(values, references, line: line)
  }

  func flush() throws { for table in tables { try table.flush() } }

  func leavesOut(_ property: String, of entity: Int) { leftOut[entity, default: []].insert(property) }

  func joinRow(_ joinRows: Int, _ source: Int64, _ destination: Int64) throws {
    sqlite3_bind_int64(self.joinRows[joinRows], 1, source)
    sqlite3_bind_int64(self.joinRows[joinRows], 2, destination)
    try StagedRowWriter.step(self.joinRows[joinRows])
  }
}
