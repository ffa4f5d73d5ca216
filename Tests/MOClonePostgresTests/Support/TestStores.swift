import Foundation
import MOCloneModel
import MOCloneSQL

@testable import MOClonePostgres

/// Empty stores of models, each in a schema of its own of one database.
final class TestStores: @unchecked Sendable {
  /// For tests that make one store, which goes with the database.
  static let shared = TestStores()

  private static let database = Result { try TestDatabase() }
  private let connections = Locked<[PostgresConnection]>([])

  func make(_ model: ObjectModel) throws -> PostgresGraph {
    let connection = try Self.database.get().connect()
    connections.withLock { $0.append(connection) }
    let schema = "store_" + UUID().uuidString.lowercased().replacing("-", with: "")
    try connection.run("CREATE SCHEMA \(schema); SET search_path = \(schema)")
    let graph = PostgresGraph(connection, model: model)
    try graph.createTables()
    return graph
  }

  deinit {
    for connection in connections.withLock({ $0 }) {
      guard case .text(let schema)? = try? connection.rows("SELECT current_schema()").first?.first else {
        continue
      }
      try? connection.run("DROP SCHEMA \(schema) CASCADE")
    }
  }
}
