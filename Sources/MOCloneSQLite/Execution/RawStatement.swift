import Foundation
import GRDB
import GRDBSQLite
import MOCloneSQL

/// A statement that is run very often, past GRDB's bookkeeping: it only reads, or writes what nobody observes, which are
/// temporary tables and stores that nobody else has the connection of.
struct RawStatement {
  let statement: Statement
  private let handle: OpaquePointer
  private let connection: SQLiteConnection

  init(_ statement: Statement, in db: Database) {
    self.statement = statement
    handle = statement.sqliteStatement
    connection = db.sqliteConnection!
  }

  /// The names of its parameters, without colons, in the order of their numbers from 1; nil for those without a name.
  var parameters: [String?] {
    (0..<sqlite3_bind_parameter_count(handle)).map {
      sqlite3_bind_parameter_name(handle, $0 + 1).map { String(String(cString: $0).dropFirst()) }
    }
  }

  func parameter(_ name: String) -> Int32 {
    sqlite3_bind_parameter_index(handle, ":" + name)
  }

  func bind(_ number: Int, at parameter: Int32) {
    sqlite3_bind_int64(handle, parameter, Int64(number))
  }

  func bind(_ value: RawValue, at parameter: Int32) {
    value.bind(to: handle, at: parameter)
  }

  func bind(stored value: StoredValue, at parameter: Int32) {
    switch value {
    case .text(var text):
      text.withUTF8 { RawValue.bind(text: UnsafeRawBufferPointer($0), to: handle, at: parameter) }
    default: bind(RawValue(value), at: parameter)
    }
  }

  /// Gives the parameters values by their numbers.
  func bind(_ values: [RawValue]) {
    for (i, value) in values.enumerated() { bind(value, at: Int32(i + 1)) }
  }

  /// Gives the parameters, by their numbers, the values of the row that another statement stands at.
  func bindRow(of other: RawStatement) {
    for column in 0..<sqlite3_column_count(other.handle) {
      sqlite3_bind_value(handle, column + 1, sqlite3_column_value(other.handle, column))
    }
  }

  /// - Returns: how many rows changed.
  func execute() throws -> Int {
    while try step() {}
    return Int(sqlite3_changes(connection))
  }

  /// Goes to the next row.
  ///
  /// - Returns: false at the end, where the statement is ready to be run again.
  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let message = code == SQLITE_DONE ? nil : String(cString: sqlite3_errmsg(connection))
    sqlite3_reset(handle)
    guard code == SQLITE_DONE else {
      // GRDB tells the text on its own queue alone.
      let sql = sqlite3_sql(handle).map { String(cString: $0) }
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
    }
    return false
  }

  /// Ends a run before its last row.
  func reset() {
    sqlite3_reset(handle)
  }

  /// A value of the row that the statement stands at.
  func value(_ column: Int) -> RawValue {
    RawValue(handle, Int32(column))
  }

  /// All values of the row that the statement stands at.
  var row: [RawValue] { (0..<sqlite3_column_count(handle)).map { RawValue(handle, $0) } }

  /// Runs to the end.
  ///
  /// - Returns: all values of all rows.
  func rows() throws -> [[RawValue]] {
    var rows: [[RawValue]] = []
    while try step() { rows.append(row) }
    return rows
  }

  func number(_ column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(column))
  }

  /// How often SQLite has prepared the statement anew, because a schema or a setting changed or a change was rolled
  /// back, since this was asked last.
  func countPreparations() -> Int {
    Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 1))
  }
}

/// A value between two statements, byte for byte: as a Swift string text that is no UTF-8 would change.
enum RawValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  init(_ statement: OpaquePointer, _ column: Int32) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      self = .text(Self.bytes(sqlite3_column_text(statement, column), statement: statement, column: column))
    case SQLITE_BLOB:
      self = .blob(Self.bytes(sqlite3_column_blob(statement, column), statement: statement, column: column))
    default: self = .null
    }
  }

  init(_ value: StoredValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .text(let text): self = .text(Array(text.utf8))
    case .blob(let bytes): self = .blob(Array(bytes))
    }
  }

  /// Text that is no UTF-8 is bytes to whoever reads it: fixed it would be another text.
  var stored: StoredValue {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let bytes):
      bytes.withUnsafeBytes { String(utf8: $0) }.map(StoredValue.text) ?? .blob(Data(bytes))
    case .blob(let bytes): .blob(Data(bytes))
    }
  }

  private static func bytes(_ start: UnsafeRawPointer?, statement: OpaquePointer, column: Int32) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }

  func bind(to statement: OpaquePointer, at parameter: Int32) {
    switch self {
    case .null: sqlite3_bind_null(statement, parameter)
    case .integer(let number): sqlite3_bind_int64(statement, parameter, number)
    case .real(let number): sqlite3_bind_double(statement, parameter, number)
    case .text(let bytes): bytes.withUnsafeBytes { Self.bind(text: $0, to: statement, at: parameter) }
    case .blob(let bytes):
      bytes.withUnsafeBytes {
        _ = sqlite3_bind_blob(
          statement, parameter, $0.baseAddress ?? UnsafeRawPointer(Self.empty), Int32(bytes.count),
          Self.transient)
      }
    }
  }

  fileprivate static func bind(
    text: UnsafeRawBufferPointer, to statement: OpaquePointer, at parameter: Int32
  ) {
    sqlite3_bind_text(
      statement, parameter, text.assumingMemoryBound(to: CChar.self).baseAddress ?? empty, Int32(text.count),
      transient)
  }

  /// SQLite takes a null pointer for null, also where the length is 0.
  private static var empty: UnsafePointer<CChar> {
    UnsafeRawPointer(StaticString(" ").utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Has SQLite copy the bytes at once.
  static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
