import MOCloneEngine
import MOCloneSQL

/// The metadata of a database, for which no model is needed.
package struct PostgresMetadata: MetadataStore {
  private let location: PostgresLocation

  package init(_ location: PostgresLocation) {
    self.location = location
  }

  package func metadata() throws -> [String: String] { try table { try $0.all() } }

  package func metadata(_ key: String) throws -> String? { try table { try $0.value(key) } }

  package func setMetadata(_ value: String, for key: String) throws {
    try table { try $0.set(value, for: key) }
  }

  package func removeMetadata(_ key: String) throws -> Bool { try table { try $0.remove(key) } }

  private func table<Result>(_ body: (MetadataTable) throws -> Result) throws -> Result {
    try PostgresErrors.translating {
      let connection = try PostgresConnection(location)
      return try connection.inTransaction { try body(MetadataTable(db: connection)) }
    }
  }
}
