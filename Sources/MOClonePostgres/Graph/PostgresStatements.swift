import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Runs the statements of a program on a connection.
package final class PostgresStatements: StatementRunning {
  private let connection: PostgresConnection
  private let watch: RunWatch?
  private(set) var arguments: [String: StoredValue] = [:]
  package private(set) var count = 0

  init(_ connection: PostgresConnection, watch: RunWatch? = nil) {
    self.connection = connection
    self.watch = watch
  }

  package func bind(_ parameter: String, _ value: StoredValue) {
    arguments[parameter] = value
  }

  package func bound(_ parameter: String) -> StoredValue { arguments[parameter] ?? .null }

  package var dialect: Dialect { connection.dialect }

  @discardableResult
  package func execute(_ sql: String) throws -> Int {
    try begin()
    return try connection.execute(sql, arguments)
  }

  /// The server does not tell how far a statement is.
  @discardableResult
  package func execute(_ sql: String, scanning entity: String?) throws -> Int {
    guard let watch, let entity else { return try execute(sql) }
    return try watch.scanning(entity, passed: { 0 }, body: { try execute(sql) })
  }

  private func begin() throws {
    try watch?.options.checkCancellation()
    count += 1
  }

  package func answers(_ sql: String) throws -> [[StoredValue]] {
    try begin()
    return try connection.rows(sql, arguments)
  }

  /// Runs statements without parameters of their own in one round trip.
  func run(_ statements: [String]) throws {
    count += statements.count
    try connection.pipeline(statements.map { ($0, [:]) })
  }

  package func repeated(_ expansion: SQLProgram.Expansion) throws -> ([Int], [Int]) throws -> Int {
    { seen, last in
      guard expansion.sources.contains(where: { last[$0] > seen[$0] }) else { return 0 }
      for source in expansion.sources {
        self.bind("from\(source)", seen[source] + 1)
        self.bind("to\(source)", last[source])
      }
      return try self.execute(expansion.sql)
    }
  }

  package func releasePages() {}
}
