import Foundation
import MOCloneModel
import MOCloneSQL

@testable import MOClonePostgres

/// Empty stores of models, each in a schema of its own of one database.
final class TestStores {
  private static let database = Result { try TestDatabase() }
  private var connections: [PostgresConnection] = []

  func make(_ model: ObjectModel) throws -> PostgresGraph {
    let connection = try Self.database.get().connect()
    connections.append(connection)
    let schema = "store_" + UUID().uuidString.lowercased().replacing("-", with: "")
    try connection.run("CREATE SCHEMA \(schema); SET search_path = \(schema)")
    let graph = PostgresGraph(connection, model: model)
    try graph.createTables()
    return graph
  }

  deinit {
    for connection in connections {
      guard case .text(let schema)? = try? connection.rows("SELECT current_schema()").first?.first else {
        continue
      }
      try? connection.run("DROP SCHEMA \(schema) CASCADE")
    }
  }
}
