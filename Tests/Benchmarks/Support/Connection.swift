import GRDBSQLite

/// A connection through SQLite's C API, without anything between; it is how the rivals reach a store.
final class Connection {
  let handle: OpaquePointer

  /// Opens a store with foreign keys on and a page cache of 12 MB, as `SQLiteGraph(path:)` does; makes it where there is
  /// none. Maps are in memory, which is fastest.
  init(_ path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      throw BenchmarkError("'\(path)' cannot be opened")
    }
    self.handle = handle
    try execute("PRAGMA foreign_keys = ON; PRAGMA cache_size = -12000; PRAGMA temp_store = MEMORY")
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// Runs statements without parameters.
  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// Runs one statement with the values of its parameters.
  func execute(_ sql: String, _ values: SQLiteValue...) throws {
    try prepare(sql).run(values)
  }

  /// The first number that a query gives.
  func number(_ sql: String, _ values: SQLiteValue...) throws -> Int64 {
    let statement = try prepare(sql)
    statement.bind(values)
    guard try statement.step() else { throw BenchmarkError("no row: \(sql)") }
    return statement.integer(0)
  }

  /// The rows that the last statement wrote.
  var changes: Int64 { sqlite3_changes64(handle) }

  func prepare(_ sql: String) throws -> PreparedStatement {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure(sql)
    }
    return PreparedStatement(handle: statement, connection: self)
  }

  func failure(_ sql: String) -> BenchmarkError {
    BenchmarkError("\(String(cString: sqlite3_errmsg(handle))): \(sql)")
  }
}

enum SQLiteValue {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  case blob([UInt8])
}

/// A statement that is kept for many runs.
final class PreparedStatement {
  let handle: OpaquePointer
  private let connection: Connection
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(handle: OpaquePointer, connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Binds the values and runs to the end.
  func run(_ values: [SQLiteValue]) throws {
    bind(values)
    while try step() {}
    sqlite3_reset(handle)
  }

  func bind(_ values: [SQLiteValue]) {
    for (i, value) in values.enumerated() {
      let place = Int32(i + 1)
      switch value {
      case .null: sqlite3_bind_null(handle, place)
      case .integer(let number): sqlite3_bind_int64(handle, place, number)
      case .double(let number): sqlite3_bind_double(handle, place, number)
      case .text(let text): sqlite3_bind_text(handle, place, text, -1, Self.transient)
      case .blob(let bytes): sqlite3_bind_blob(handle, place, bytes, Int32(bytes.count), Self.transient)
      }
    }
  }

  /// - Returns: whether there is a row.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw connection.failure(String(cString: sqlite3_sql(handle)))
    }
  }

  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  /// The row as values that can be compared.
  var row: [String] {
    (0..<sqlite3_column_count(handle)).map { column in
      let bytes = sqlite3_column_blob(handle, column)
      let count = Int(sqlite3_column_bytes(handle, column))
      let value = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
      return "\(sqlite3_column_type(handle, column)) \(value)"
    }
  }
}
