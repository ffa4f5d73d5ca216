import MOCloneEngine
import MOCloneModel
import MOCloneYAML
import TestSupport

@testable import MOClonePostgres

/// A database with tables of a test's own, and a graph of a model on it.
struct DatabaseFixture {
  let database: TestDatabase
  let connection: PostgresConnection
  let graph: PostgresGraph

  /// - Parameter model: whole, or from its `store:` or `entities:` on.
  init(_ model: String, _ sql: String) throws {
    database = try TestDatabase()
    connection = try database.connect()
    try connection.run(sql)
    let isPart = ["store:", "entities:"].contains(where: model.hasPrefix)
    let yaml = isPart ? "version: 1\nname: Test\n" + model : model
    graph = PostgresGraph(try database.connect(), model: try ObjectModel(yaml: yaml))
  }

  @discardableResult
  func clone(_ entity: String, _ key: ObjectKey, _ request: CloneRequest = CloneRequest()) throws
    -> CloneResult
  {
    try Cloner().clone(entity, keys: [key], in: graph, request: request)
  }

  func refusal(_ entity: String, _ key: ObjectKey) throws -> CloneError? {
    do { try clone(entity, key) } catch let error as CloneError { return error }
    return nil
  }

  func rows(_ sql: String) throws -> [String] {
    try connection.rows(sql).map { $0.map { AttributeValue(raw: $0).description }.joined(separator: "|") }
  }
}
