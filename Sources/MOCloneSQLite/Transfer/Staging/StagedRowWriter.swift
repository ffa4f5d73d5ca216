import Foundation
import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Writes the rows of one entity into their temporary table.
final class StagedRowWriter {
  let statement: OpaquePointer
  private let codings: [ValueCoding]
  private let references: Int32
  private(set) var count: Int64 = 0
  /// The masks of all rows together.
  private(set) var absent: [Int64]

  init(_ statement: OpaquePointer, codings: [ValueCoding], references: Int, masks: Int) {
    self.statement = statement
    self.codings = codings
    self.references = Int32(references)
    absent = Array(repeating: 0, count: masks)
  }

  /// - Returns: the row's number.
  func add(
    _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>, line: Int
  ) throws -> Int64 {
    let statement = statement
    sqlite3_bind_int64(statement, 1, Int64(line))
    var mask: Int64 = 0
    let firstReference = Int32(values.count) + 2
    for i in values.indices {
      if case .absent = values[i] { mask |= 1 << (i % 60) }
      bind(values[i], i)
      if i % 60 == 59 || i == values.count - 1 {
        sqlite3_bind_int64(statement, firstReference + self.references + Int32(i / 60), mask)
        if mask != 0 { absent[i / 60] |= mask }
        mask = 0
      }
    }
    for (i, reference) in references.enumerated() {
      if reference == 0 {
        sqlite3_bind_null(statement, firstReference + Int32(i))
      } else {
        sqlite3_bind_int64(statement, firstReference + Int32(i), reference)
      }
    }
    let number = count + 1
    sqlite3_bind_int64(statement, firstReference + self.references + Int32(absent.count), number)
    try Self.step(statement)
    count = number
    return number
  }

  static func step(_ statement: OpaquePointer) throws {
    let code = sqlite3_step(statement)
    let message = code == SQLITE_DONE ? nil : String(cString: sqlite3_errmsg(sqlite3_db_handle(statement)))
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
    }
  }

  private func bind(_ value: StagedValue, _ i: Int) {
    let place = Int32(i) + 2
    switch value {
    case .absent, .null: sqlite3_bind_null(statement, place)
    case .integer(let number): sqlite3_bind_int64(statement, place, number)
    case .double(let number): sqlite3_bind_double(statement, place, number)
    // The text lies still until the row is written, and every row binds all values anew.
    case .text(let bytes): bind(bytes, at: place, destructor: nil)
    case .value(let value): RawValue(codings[i].encode(value)).bind(to: statement, at: place)
    }
  }

  private func bind(
    _ bytes: UnsafeBufferPointer<UInt8>, at place: Int32, destructor: sqlite3_destructor_type?
  ) {
    // Without a pointer it would be null.
    let start = UnsafeRawPointer(bytes.baseAddress) ?? Self.nowhere
    sqlite3_bind_text(
      statement, place, start.assumingMemoryBound(to: CChar.self), Int32(bytes.count), destructor)
  }

  private static var nowhere: UnsafeRawPointer { UnsafeRawPointer(bitPattern: 1)! }
}
