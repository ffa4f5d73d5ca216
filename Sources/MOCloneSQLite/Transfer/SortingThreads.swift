import GRDB

extension Database {
  /// Lets SQLite sort in several threads, and leaves the connection's setting as it was.
  func sortingWithHelpers<T>(_ body: () throws -> T) throws -> T {
    let threads = try Int.fetchOne(self, sql: "PRAGMA threads") ?? 0
    try execute(sql: "PRAGMA threads = 2")
    defer { try? execute(sql: "PRAGMA threads = \(threads)") }
    return try body()
  }
}
