import Foundation
import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Writes the rows of one entity into their temporary table.
final class StagedRowWriter {
  /// So many rows take half the time of as many statements.
  private static let rowsAtOnce = 8

  private struct Row {
    let values: UnsafeBufferPointer<StagedValue>
    let references: UnsafeBufferPointer<Int64>
    let line: Int
  }

  private let db: OpaquePointer
  private let single: OpaquePointer
  private let several: OpaquePointer
  private let codings: [ValueCoding]
  /// How many values a row has in a statement.
  private let width: Int32
  /// How many rows `several` writes.
  private let most: Int
  private var waiting: [Row] = []
  private var written: Int64 = 0
  /// The masks of all rows together.
  private(set) var absent: [Int64]

  /// - Parameter prepare: makes a statement of SQL.
  init(_ rows: StagedRows, prepare: (String) throws -> OpaquePointer) throws {
    single = try prepare(rows.insert(rows: 1))
    db = sqlite3_db_handle(single)
    width = sqlite3_bind_parameter_count(single)
    most = min(Self.rowsAtOnce, max(1, Int(sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, -1) / width)))
    do { several = try prepare(rows.insert(rows: most)) } catch {
      sqlite3_finalize(single)
      throw error
    }
    codings = rows.columns.map(ValueCoding.init)
    absent = Array(repeating: 0, count: rows.masks.count)
  }

  deinit {
    sqlite3_finalize(single)
    sqlite3_finalize(several)
  }

  var count: Int64 { written + Int64(waiting.count) }

  /// Writes a row at once.
  ///
  /// - Returns: the row's number.
  func add(
    _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>, line: Int
  ) throws -> Int64 {
    try flush()
    try write(Row(values: values, references: references, line: line))
    return written
  }

  /// Writes a row with others.
  func addLater(
    _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>, line: Int
  ) throws {
    waiting.append(Row(values: values, references: references, line: line))
    guard waiting.count == most else { return }
    for (i, row) in waiting.enumerated() { bind(row, to: several, after: Int32(i) * width) }
    waiting.removeAll(keepingCapacity: true)
    try write(several, rows: Int64(most))
  }

  func flush() throws {
    for row in waiting { try write(row) }
    waiting.removeAll(keepingCapacity: true)
  }

  private func write(_ row: Row) throws {
    bind(row, to: single, after: 0)
    try write(single, rows: 1)
  }

  private func write(_ statement: OpaquePointer, rows: Int64) throws {
    try Self.step(statement)
    written += rows
    precondition(sqlite3_last_insert_rowid(db) == written, "a staged row has another number than its place")
  }

  private func bind(_ row: Row, to statement: OpaquePointer, after start: Int32) {
    sqlite3_bind_int64(statement, start + 1, Int64(row.line))
    var mask: Int64 = 0
    let firstReference = start + Int32(row.values.count) + 2
    let firstMask = start + width - Int32(absent.count) + 1
    for i in row.values.indices {
      if case .absent = row.values[i] { mask |= 1 << (i % 60) }
      bind(row.values[i], i, to: statement, at: start + Int32(i) + 2)
      if i % 60 == 59 || i == row.values.count - 1 {
        sqlite3_bind_int64(statement, firstMask + Int32(i / 60), mask)
        if mask != 0 { absent[i / 60] |= mask }
        mask = 0
      }
    }
    for (i, reference) in row.references.enumerated() {
      if reference == 0 {
        sqlite3_bind_null(statement, firstReference + Int32(i))
      } else {
        sqlite3_bind_int64(statement, firstReference + Int32(i), reference)
      }
    }
  }

  static func step(_ statement: OpaquePointer) throws {
    let code = sqlite3_step(statement)
    let message = code == SQLITE_DONE ? nil : String(cString: sqlite3_errmsg(sqlite3_db_handle(statement)))
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
    }
  }

  private func bind(_ value: StagedValue, _ i: Int, to statement: OpaquePointer, at place: Int32) {
    switch value {
    case .absent, .null: sqlite3_bind_null(statement, place)
    case .integer(let number): sqlite3_bind_int64(statement, place, number)
    case .double(let number): sqlite3_bind_double(statement, place, number)
    // The text lies still until the row is written, and every row binds all values anew.
    case .text(let bytes): bind(bytes, to: statement, at: place)
    case .longDate(let text): RawValue(codings[i].encode(longDate: text)).bind(to: statement, at: place)
    case .value(let value): RawValue(codings[i].encode(value)).bind(to: statement, at: place)
    }
  }

  private func bind(_ bytes: UnsafeBufferPointer<UInt8>, to statement: OpaquePointer, at place: Int32) {
    // Without a pointer it would be null.
    let start = UnsafeRawPointer(bytes.baseAddress) ?? UnsafeRawPointer(bitPattern: 1)!
    sqlite3_bind_text(statement, place, start.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
  }
}
