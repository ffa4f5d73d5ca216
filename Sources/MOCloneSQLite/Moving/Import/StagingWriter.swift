import Foundation
import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel

/// Writes the rows of an import into their temporary tables, past GRDB's bookkeeping.
final class StagingWriter: ImportSink {
  private let db: Database
  private var tables: [Table] = []
  private var pairs: [OpaquePointer] = []

  private struct Table {
    var statement: OpaquePointer
    var codings: [ValueCoding]
    var references: Int
    var masks: Int
    var count: Int64 = 0
  }

  /// - Parameter pairs: the names of the tables of pairs.
  init(_ db: Database, _ tables: [StagedTable], pairs: [String]) throws {
    self.db = db
    for table in tables {
      let marks = SQL.list((table.content + ["number"]).map { _ in "?" })
      let statement = try prepare(
        "INSERT INTO temp.\(table.rows)(\(SQL.list(table.content + ["number"]))) VALUES (\(marks))")
      self.tables.append(
        Table(
          statement: statement, codings: table.columns.map { ValueCoding($0) },
          references: table.foreignKeys.count, masks: table.masks.count))
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
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    return statement
  }

  private func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(db.sqliteConnection)))
  }

  private func step(_ statement: OpaquePointer) throws {
    let code = sqlite3_step(statement)
    guard code == SQLITE_DONE else {
      let failure = failure(code)
      sqlite3_reset(statement)
      throw failure
    }
    sqlite3_reset(statement)
  }

  // MARK: Rows

  func add(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws -> Int64 {
    let table = tables[entity]
    let statement = table.statement
    sqlite3_bind_int64(statement, 1, Int64(line))
    var mask: Int64 = 0
    for i in 0..<table.codings.count {
      if case .absent = values[i] { mask |= 1 << (i % 60) }
      bind(values[i], at: Int32(i + 2), of: statement, table.codings[i])
      if i % 60 == 59 || i == table.codings.count - 1 {
        sqlite3_bind_int64(statement, Int32(2 + table.codings.count + table.references + i / 60), mask)
        mask = 0
      }
    }
    for i in 0..<table.references {
      let place = Int32(2 + table.codings.count + i)
      if references[i] == 0 {
        sqlite3_bind_null(statement, place)
      } else {
        sqlite3_bind_int64(statement, place, references[i])
      }
    }
    let number = table.count + 1
    sqlite3_bind_int64(statement, Int32(2 + table.codings.count + table.references + table.masks), number)
    try step(statement)
    tables[entity].count = number
    return number
  }

  func pair(_ pairs: Int, _ source: Int64, _ destination: Int64) throws {
    sqlite3_bind_int64(self.pairs[pairs], 1, source)
    sqlite3_bind_int64(self.pairs[pairs], 2, destination)
    try step(self.pairs[pairs])
  }

  private func bind(
    _ value: StagedValue, at place: Int32, of statement: OpaquePointer, _ coding: ValueCoding
  ) {
    switch value {
    case .absent, .null: sqlite3_bind_null(statement, place)
    case .integer(let number): sqlite3_bind_int64(statement, place, number)
    case .double(let number): sqlite3_bind_double(statement, place, number)
    case .text(let bytes): bind(bytes, at: place, of: statement)
    case .value(let value):
      switch coding.encode(value).storage {
      case .null: sqlite3_bind_null(statement, place)
      case .int64(let number): sqlite3_bind_int64(statement, place, number)
      case .double(let number): sqlite3_bind_double(statement, place, number)
      case .string(var text): text.withUTF8 { bind($0, at: place, of: statement) }
      case .blob(let data):
        data.withUnsafeBytes {
          _ = sqlite3_bind_blob(
            statement, place, $0.baseAddress ?? Self.nowhere, Int32($0.count), Self.transient)
        }
      }
    }
  }

  private func bind(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int32, of statement: OpaquePointer) {
    // Without a pointer it would be null.
    let start = UnsafeRawPointer(bytes.baseAddress) ?? Self.nowhere
    sqlite3_bind_text(
      statement, place, start.assumingMemoryBound(to: CChar.self), Int32(bytes.count), Self.transient)
  }

  /// Has SQLite copy the bytes at once.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  private static var nowhere: UnsafeRawPointer { UnsafeRawPointer(bitPattern: 1)! }
}
