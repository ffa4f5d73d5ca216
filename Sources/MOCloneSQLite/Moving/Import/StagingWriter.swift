import Foundation
import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Writes the rows of an import into their temporary tables, past GRDB's bookkeeping.
final class StagingWriter: ImportSink {
  private let db: Database
  private var tables: [StagedRows] = []
  private var pairs: [OpaquePointer] = []
  /// Required properties that rows leave out, by entities.
  var leftOut: [Int: Set<String>] = [:]

  /// - Parameter pairs: the names of the tables of pairs.
  init(_ db: Database, _ tables: [StagedTable], pairs: [String]) throws {
    self.db = db
    for table in tables {
      let marks = SQL.list((table.content + ["number"]).map { _ in "?" })
      let statement = try prepare(
        "INSERT INTO temp.\(table.rows)(\(SQL.list(table.content + ["number"]))) VALUES (\(marks))")
      self.tables.append(
        StagedRows(
          statement, table.columns.map { ValueCoding($0) }, references: table.foreignKeys.count,
          masks: table.masks.count))
    }
    for name in pairs { self.pairs.append(try prepare("INSERT INTO temp.\(name) VALUES (?, ?)")) }
  }

  deinit {
    for statement in tables.map(\.statement) + pairs { sqlite3_finalize(statement) }
  }

  /// How many rows an entity has.
  func count(_ entity: Int) -> Int { Int(tables[entity].count) }

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

  func leavesOut(_ property: String, of entity: Int) { leftOut[entity, default: []].insert(property) }

  func pair(_ pairs: Int, _ source: Int64, _ destination: Int64) throws {
    sqlite3_bind_int64(self.pairs[pairs], 1, source)
    sqlite3_bind_int64(self.pairs[pairs], 2, destination)
    try StagedRows.step(self.pairs[pairs])
  }
}
