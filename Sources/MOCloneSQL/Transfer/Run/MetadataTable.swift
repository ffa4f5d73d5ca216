import MOCloneEngine
import MOCloneModel

/// The table of what a store says of itself, made when something is first written there.
package struct MetadataTable {
  package static let name = StoreValidator.metadataTable

  private let db: any TransferConnection
  private var table: String { db.dialect.table(Self.name) }

  package init(db: any TransferConnection) {
    self.db = db
  }

  package func all() throws -> [String: String] {
    guard try exists() else { return [:] }
    let rows = try db.rows("SELECT key, value FROM \(table) WHERE value IS NOT NULL", [:])
    return Dictionary(named: rows.map { ($0.text(at: 0)!, $0.text(at: 1)!) })
  }

  package func value(_ key: String) throws -> String? {
    guard try exists() else { return nil }
    let isKey = "WHERE key = \(db.dialect.parameter("key"))"
    return try db.rows("SELECT value FROM \(table) \(isKey)", ["key": .text(key)]).first?.text(at: 0)
  }

  package func set(_ value: String, for key: String) throws {
    let arguments: [String: StoredValue] = ["key": .text(key), "value": .text(value)]
    if try !exists() {
      try db.execute("CREATE TABLE \(table)(key TEXT PRIMARY KEY NOT NULL, value TEXT)", [:])
    }
    let values = ["key", "value"].map(db.dialect.parameter)
    try db.execute(
      "INSERT INTO \(table)(key, value) VALUES (\(values.list)) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      arguments)
  }

  /// Sets what has no value yet.
  package func add(_ values: [String: String]) throws {
    for (key, value) in values where try self.value(key) == nil { try set(value, for: key) }
  }

  package func remove(_ key: String) throws -> Bool {
    guard try exists() else { return false }
    return try db.execute(
      "DELETE FROM \(table) WHERE key = \(db.dialect.parameter("key"))", ["key": .text(key)]) > 0
  }

  private func exists() throws -> Bool { try db.hasTable(Self.name) }
}

/// A store whose metadata can be read and changed without a model.
package protocol MetadataStore {
  func metadata() throws -> [String: String]
  func metadata(_ key: String) throws -> String?
  func setMetadata(_ value: String, for key: String) throws
  func removeMetadata(_ key: String) throws -> Bool
}

extension TransferOptions {
  /// Does something that the store's metadata does not say is done, and says so there.
  package func once(
    _ operation: TransferReport.Operation, table: MetadataTable, body: () throws -> TransferReport
  ) throws -> TransferReport {
    guard let once else { return try body() }
    guard try table.value(once.name) == nil else {
      var report = TransferReport(operation, isDryRun: isDryRun)
      report.reason = "'\(once.name)' was done before"
      return report
    }
    let report = try body()
    try report.checkNotEmpty(once)
    try table.set(OnceMark(.done, hash: once.hash, at: generator.now()).text, for: once.name)
    return report
  }
}
