import MOCloneSQL

/// Runs an update for many rows, some hundred in a round trip.
final class PipelinedUpdates: RowWriting {
  private let connection: PostgresConnection
  private let sql: String
  private var waiting: [(sql: String, arguments: [String: StoredValue])] = []

  init(_ connection: PostgresConnection, sql: String) {
    (self.connection, self.sql) = (connection, sql)
  }

  func write(_ values: ArraySlice<StoredValue>) throws {
    let arguments = values.enumerated().map { ("p\($0)", $1) }
    waiting.append((sql, Dictionary(uniqueKeysWithValues: arguments)))
    if waiting.count >= Self.capacity { try finish() }
  }

  func finish() throws {
    try connection.pipeline(waiting)
    waiting.removeAll(keepingCapacity: true)
  }

  private static let capacity = 500
}
