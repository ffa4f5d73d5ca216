import GRDBSQLite

extension Connection {
  /// `start_after(n)` and `next_number()` for the rivals: n + 1, n + 2, ...
  func registerCounter() throws {
    let next = UnsafeMutablePointer<Int64>.allocate(capacity: 1)
    next.initialize(to: 0)
    sqlite3_create_function_v2(
      handle, "start_after", 1, SQLITE_UTF8, next,
      { context, _, arguments in
        Counter.of(context).pointee = sqlite3_value_int64(arguments?[0])
      }, nil, nil, { $0?.deallocate() })
    sqlite3_create_function_v2(
      handle, "next_number", 0, SQLITE_UTF8, next,
      { context, _, _ in
        let counter = Counter.of(context)
        counter.pointee += 1
        sqlite3_result_int64(context, counter.pointee)
      }, nil, nil, nil)
  }
}

private enum Counter {
  static func of(_ context: OpaquePointer?) -> UnsafeMutablePointer<Int64> {
    sqlite3_user_data(context).assumingMemoryBound(to: Int64.self)
  }
}
