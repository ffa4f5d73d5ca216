import Foundation
import MOClonePostgres

/// A database of a test's own on the server that `MOCLONE_POSTGRES` names, dropped with its last user.
///
/// `Tests/postgres start` starts such a server. A database is made in 20 to 50 ms; all connections to it are ended when it
/// is dropped.
package final class TestDatabase: Sendable {
  /// Suites are enabled by this. Where a server is required, they run without one too, and fail.
  package static var isAvailable: Bool { server != nil || isRequired }

  package static let comment = "no PostgreSQL server: eval \"$(Tests/postgres start)\""

  private static let environment = ProcessInfo.processInfo.environment
  private static var server: String? { environment["MOCLONE_POSTGRES"] }
  private static var isRequired: Bool {
    environment["MOCLONE_REQUIRE_POSTGRES"] == "1" || environment["CI"] == "1"
  }

  private struct NoServer: Error, CustomStringConvertible {
    let description = TestDatabase.comment
  }

  package let name: String
  package let location: PostgresLocation

  package init() throws {
    guard let server = Self.server else { throw NoServer() }
    name = "moclone_\(UUID().uuidString.prefix(18).lowercased().replacing("-", with: "_"))"
    try PostgresConnection(PostgresLocation(server)).run("CREATE DATABASE \(name)")
    location = try PostgresLocation((Self.goesThroughPooler ? Self.pooler! : server) + " dbname=\(name)")
  }

  deinit {
    guard let server = Self.server else { return }
    _ = try? PostgresConnection(PostgresLocation(server)).run("DROP DATABASE \(name) WITH (FORCE)")
  }

  /// A location with further options.
  package func location(_ options: String) throws -> PostgresLocation {
    try PostgresLocation("\(location.description) \(options)")
  }

  package func connect() throws -> PostgresConnection { try PostgresConnection(location) }

  /// The same database behind a pooler that gives each transaction one of two sessions; nil where none runs.
  package func pooled() throws -> PostgresLocation? {
    try Self.pooler.map { try PostgresLocation($0 + " dbname=\(name)") }
  }

  package static var pooler: String? { environment["MOCLONE_POOLER"] }

  /// Whether all tests go through the pooler; those of sessions fail there.
  package static var goesThroughPooler: Bool { pooler != nil && environment["MOCLONE_THROUGH_POOLER"] == "1" }
}
