import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Runs the statements of a program on a connection.
package final class PostgresStatements: StatementRunning {
  private let connection: PostgresConnection
  private var arguments: [String: StoredValue] = [:]
  package private(set) var count = 0

  init(_ connection: PostgresConnection) {
    self.connection = connection
  }

  package func bind(_ parameter: String, _ value: StoredValue) {
    arguments[parameter] = value
  }

  package func bound(_ parameter: String) -> StoredValue { arguments[parameter] ?? .null }

  @discardableResult
  package func execute(_ sql: String) throws -> Int {
    count += 1
    return try connection.execute(sql, arguments)
  }

  package func answers(_ sql: String) throws -> [[StoredValue]] {
    count += 1
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
