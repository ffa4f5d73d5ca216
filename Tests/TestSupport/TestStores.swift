import Foundation
import MOCloneModel
import MOClonePostgres
import MOCloneSQL

/// Empty stores of models, each in a schema of its own of one database.
package final class TestStores: @unchecked Sendable {
  /// For tests that make one store, which goes with the database.
  package static let shared = TestStores()

  private static let database = Result { try TestDatabase() }
  private let connections = Locked<[PostgresConnection]>([])
  private let databases = Locked<[TestDatabase]>([])

  package init() {}

  package func make(_ model: ObjectModel) throws -> PostgresGraph {
    let graph = PostgresGraph(try connect(), model: model)
    try graph.createTables()
    return graph
  }

  /// Connects to an empty schema; through a pooler to an empty database, because there the path of schemas is lost.
  package func connect() throws -> PostgresConnection {
    guard !TestDatabase.goesThroughPooler else {
      let database = try TestDatabase()
      databases.withLock { $0.append(database) }
      return try database.connect()
    }
    let connection = try Self.database.get().connect()
    connections.withLock { $0.append(connection) }
    let schema = "store_" + UUID().uuidString.lowercased().replacing("-", with: "")
    try connection.run("CREATE SCHEMA \(schema); SET search_path = \(schema)")
    return connection
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
