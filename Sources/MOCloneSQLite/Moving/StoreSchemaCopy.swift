import GRDB
import MOCloneEngine
import MOCloneSQL

/// Makes stores with the tables of another one.
struct StoreSchemaCopy {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  /// Makes a store with the tables alone.
  func makeTables(at path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try run(statements("table"), in: $0) }
    try queue.close()
  }

  /// The statements that made what the store has of a kind, in their order.
  ///
  /// Tables in which a virtual one keeps its rows come with that one.
  func statements(_ kind: String) throws -> [String] {
    let shadows = try shadowTables()
    let rows = try Row.fetchAll(
      db,
      sql:
        "SELECT name, sql FROM main.sqlite_schema WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
        + "AND name <> ? ORDER BY rowid", arguments: [kind, MetadataTable.name])
    return rows.filter { !shadows.contains($0["name"]) }.map { $0["sql"] }
  }

  func shadowTables() throws -> Set<String> {
    try String.fetchSet(
      db, sql: "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")
  }

  /// The numbers by which an application knows its files.
  func marks() throws -> [String] {
    try ["application_id", "user_version"].map { name in
      "PRAGMA \(name) = \(try Int.fetchOne(db, sql: "PRAGMA main.\(name)") ?? 0)"
    }
  }

  private func run(_ statements: [String], in db: Database) throws {
    for statement in statements { try db.execute(sql: statement) }
  }
}

extension SQLiteGraph {
  /// Makes a store with this one's tables, indexes and triggers, filled by a closure; where it throws there is none.
  ///
  /// The triggers come last: what is put in is what it was.
  ///
  /// - Parameter isDryRun: leaves nothing behind.
  /// - Throws: `CloneError` (`store-exists`), what the closure throws.
  public func makeStore<Result>(
    at path: String, isDryRun: Bool = false, _ fill: (SQLiteGraph) throws -> Result
  ) throws -> Result {
    let (tables, indexes, triggers, marks) = try read { access in
      try CoreDataStore.refuse(writing: access.db)
      let schema = StoreSchemaCopy(access.db)
      return (
        try schema.statements("table"), try schema.statements("index"), try schema.statements("trigger"),
        try schema.marks()
      )
    }
    var result: Result?
    do {
      let isNew = try StoreFile(path).place { temporary in
        let queue = try DatabaseQueue(path: temporary)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { for sql in tables + indexes + marks { try $0.execute(sql: sql) } }
        result = try fill(SQLiteGraph(queue, model: model))
        if isDryRun { throw OnlyLooked() }
        try queue.writeWithoutTransaction { for sql in triggers { try $0.execute(sql: sql) } }
      }
      guard isNew else { throw CloneError(.storeExists, "'\(path)' exists already") }
    } catch is OnlyLooked {}
    return result!
  }
}

/// Ends the making of a store that nobody wants to keep.
private struct OnlyLooked: Error {}
