import GRDB
import MOCloneEngine
import MOCloneSQL

/// The table of what a store says of itself, made when something is first written there.
package struct MetadataTable {
  package static let name = StoreValidator.metadataTable

  let db: Database
  private var table: String { Dialect.sqlite.table(Self.name) }

  func all() throws -> [String: String] {
    guard try exists() else { return [:] }
    let rows = try Row.fetchAll(db, sql: "SELECT key, value FROM \(table) WHERE value IS NOT NULL")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  func value(_ key: String) throws -> String? {
    guard try exists() else { return nil }
    return try String.fetchOne(db, sql: "SELECT value FROM \(table) WHERE key = ?", arguments: [key])
  }

  func set(_ value: String, for key: String) throws {
    try db.execute(sql: "CREATE TABLE IF NOT EXISTS \(table)(key TEXT PRIMARY KEY NOT NULL, value TEXT)")
    try db.execute(
      sql:
        "INSERT INTO \(table)(key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      arguments: [key, value])
  }

  func remove(_ key: String) throws -> Bool {
    guard try exists() else { return false }
    try db.execute(sql: "DELETE FROM \(table) WHERE key = ?", arguments: [key])
    return db.changesCount > 0
  }

  private func exists() throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?)",
      arguments: [Self.name]) ?? false
  }
}

extension SQLiteGraph: MovingGraph {
  /// Every key of the metadata with its value; none where the store has no table for them.
  public func metadata() throws -> [String: String] {
    try read { try MetadataTable(db: $0.db).all() }
  }

  /// The value of a key, nil where there is none.
  public func metadata(_ key: String) throws -> String? {
    try read { try MetadataTable(db: $0.db).value(key) }
  }

  /// Sets the value of a key, and makes the table for the metadata where it is missing.
  public func setMetadata(_ value: String, for key: String) throws {
    try write { try MetadataTable(db: $0.db).set(value, for: key) }
  }

  /// Removes a key, and says whether there was one.
  @discardableResult
  public func removeMetadata(_ key: String) throws -> Bool {
    try write { try MetadataTable(db: $0.db).remove(key) }
  }
}
