import GRDB
import MOCloneEngine
import MOCloneSQL

/// The table of what a store says of itself, made when something is first written there.
struct MetadataTable {
  static let name = "moclone_metadata"

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
  public func metadata() throws -> [String: String] {
    try read { try MetadataTable(db: $0.db).all() }
  }

  public func metadata(_ key: String) throws -> String? {
    try read { try MetadataTable(db: $0.db).value(key) }
  }

  public func setMetadata(_ value: String, for key: String) throws {
    try write { try MetadataTable(db: $0.db).set(value, for: key) }
  }

  @discardableResult
  public func removeMetadata(_ key: String) throws -> Bool {
    try write { try MetadataTable(db: $0.db).remove(key) }
  }
}
