import Foundation
import GRDB
import GRDBSQLite
import MOCloneKit
import TestSupport
import Testing

/// What a connection keeps between clones never outlives the schema that it was made for.
@Suite struct SchemaChangeTests {
  private static let notes =
    "version: 1\nname: Notes\n" + SharedModel.notes.replacing("optional: true, ", with: "")

  /// Which way the clones take, and how many items there are for it.
  enum Way: String, CaseIterable {
    case rowByRow, inSets
    var items: Int { self == .rowByRow ? 3 : 400 }
  }

  /// Who changes the schema.
  enum Changer: String, CaseIterable {
    /// The connection of the clones, through GRDB or past it.
    case own, raw
    /// Another connection to the same file.
    case other
  }

  struct Change: CustomTestStringConvertible, Sendable {
    var name: String
    var sql: String
    /// The outcome of a clone afterwards: a code, or what a query then says of the new items.
    var expected: String
    var query = "SELECT count(*) FROM item WHERE note_id > 1"
    var testDescription: String { name }
  }

  static let changes = [
    Change(
      name: "a new column", sql: "ALTER TABLE item ADD COLUMN extra TEXT; UPDATE item SET extra = 'e' || id",
      expected: "0",
      query: """
        SELECT count(*) FROM item o JOIN item c ON c.name = o.name AND c.note_id = (SELECT max(id) FROM note)
        WHERE o.note_id = 1 AND c.extra IS NOT o.extra
        """),
    Change(
      name: "a column by another name", sql: "ALTER TABLE item RENAME COLUMN name TO title",
      expected: "store-mismatch"),
    Change(
      name: "a unique index", sql: "DELETE FROM item WHERE note_id > 1; CREATE UNIQUE INDEX u ON item(name)",
      expected: "unique-value"),
    Change(
      name: "a trigger that ignores rows",
      sql: "CREATE TRIGGER t BEFORE INSERT ON item WHEN new.name = 'i2' BEGIN SELECT raise(IGNORE); END",
      expected: "row-count"),
    Change(
      name: "keys that are not used again",
      sql: """
        CREATE TABLE new_item(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, note_id INTEGER NOT NULL);
        INSERT INTO new_item SELECT * FROM item WHERE note_id = 1; INSERT INTO new_item VALUES (90000, 'x', 1);
        DELETE FROM new_item WHERE id = 90000; DROP TABLE item; ALTER TABLE new_item RENAME TO item;
        """,
      expected: "90001", query: "SELECT min(id) FROM item WHERE note_id > 1"),
    Change(
      name: "an index, and a table that the model does not name",
      sql: "CREATE INDEX i ON item(note_id); CREATE TABLE other(id INTEGER PRIMARY KEY)", expected: "same"),
  ]

  private func store(_ folder: TemporaryFolder, _ way: Way) throws -> (DatabaseQueue, ObjectModel, String) {
    let path = folder.file("notes.sqlite").path
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER NOT NULL);
          CREATE INDEX item_on_note ON item(note_id);
          INSERT INTO note VALUES (1, 'n');
          WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < \(way.items))
            INSERT INTO item SELECT n, 'i' || n, 1 FROM c;
          """)
    }
    return (queue, try ObjectModel(yaml: Self.notes), path)
  }

  private func change(_ sql: String, _ queue: DatabaseQueue, _ path: String, by changer: Changer) throws {
    switch changer {
    case .own: try queue.write { try $0.execute(sql: sql) }
    case .raw: try queue.writeWithoutTransaction { try raw(sql, $0) }
    case .other:
      let other = try DatabaseQueue(path: path)
      try other.write { try $0.execute(sql: sql) }
      try other.close()
    }
  }

  private func raw(_ sql: String, _ db: Database) throws {
    guard sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK else { throw DatabaseError() }
  }

  /// The code of a refused clone, else what the query says, or `same` for as many items as before.
  private func outcome(_ graph: SQLiteGraph, _ queue: DatabaseQueue, _ change: Change, items: Int) throws
    -> String
  {
    do {
      let result = try Cloner().clone("Note", keys: [1], in: graph)
      if change.expected == "same" { return result.cloned == ["Item": items, "Note": 1] ? "same" : "other" }
      return try queue.read { try String.fetchOne($0, sql: change.query) } ?? "null"
    } catch let error as CloneError {
      return error.code.rawValue
    }
  }

  @Test(arguments: changes, Way.allCases)
  func aCloneAfterAChangeIsForTheNewSchema(_ change: Change, _ way: Way) throws {
    for changer in Changer.allCases {
      let folder = try TemporaryFolder()
      let (queue, model, path) = try store(folder, way)
      let graph = SQLiteGraph(queue, model: model)
      for _ in 0..<3 { try Cloner().clone("Note", keys: [1], in: graph) }
      try self.change(change.sql, queue, path, by: changer)
      #expect(try outcome(graph, queue, change, items: way.items) == change.expected, "\(changer)")
      try queue.close()
    }
  }

  /// Both migrations leave the same number of the schema behind.
  @Test(arguments: Way.allCases, [true, false])
  func aMigrationThatWasRolledBackIsForgotten(_ way: Way, inSavepoint: Bool) throws {
    let folder = try TemporaryFolder()
    let (queue, model, _) = try store(folder, way)
    try queue.inDatabase { db in
      func clone() throws -> Int64 {
        let result = try Cloner().clone("Note", key: 1, in: db, model: model)
        guard case .integer(let key) = result.root.key.parts[0] else { return 0 }
        return key
      }
      if inSavepoint { try db.execute(sql: "BEGIN") }
      _ = try clone()
      try db.execute(sql: inSavepoint ? "SAVEPOINT s" : "BEGIN")
      try db.execute(sql: "ALTER TABLE item ADD COLUMN a TEXT; UPDATE item SET a = 'a'")
      _ = try clone()
      try db.execute(sql: inSavepoint ? "ROLLBACK TO s; RELEASE s" : "ROLLBACK")
      try db.execute(sql: "ALTER TABLE item ADD COLUMN b TEXT; UPDATE item SET b = 'b'")
      let key = try clone()
      let copied = try Int.fetchOne(
        db, sql: "SELECT count(*) FROM item WHERE note_id = ? AND b = 'b'", arguments: [key])
      #expect(copied == way.items)
      if inSavepoint { try db.execute(sql: "COMMIT") }
    }
  }

  /// The temporary tables of the clones themselves go with a rollback.
  @Test(arguments: Way.allCases)
  func clonesGoOnAfterARollbackOfTheFirst(_ way: Way) throws {
    let folder = try TemporaryFolder()
    let (queue, model, _) = try store(folder, way)
    for _ in 0..<3 {
      try queue.inTransaction { db in
        try Cloner().clone("Note", key: 1, in: db, model: model)
        return .rollback
      }
      try queue.write { db in
        let result = try Cloner().clone("Note", key: 1, in: db, model: model)
        #expect(result.cloned["Item"] == way.items)
      }
    }
  }

  /// For each read GRDB's queue changes a setting, for which SQLite prepares every statement anew.
  @Test(arguments: Way.allCases)
  func aReadBetweenClonesIsNoChange(_ way: Way) throws {
    let folder = try TemporaryFolder()
    let (queue, model, _) = try store(folder, way)
    // The first clone reads the tables, the second one what the first has made.
    for round in 0..<4 {
      #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == round + 1)
      let statements = try queue.write { db in
        try db.statements { try Cloner().clone("Note", key: 1, in: $0, model: model) }
      }
      let readsTables = statements.contains { $0.contains("pragma_table_xinfo") }
      #expect(round == 1 || readsTables == (round == 0), "round \(round)")
    }
  }

  @Test(arguments: Way.allCases)
  func aTemporaryTriggerOfTheConnectionCounts(_ way: Way) throws {
    let folder = try TemporaryFolder()
    let (queue, model, _) = try store(folder, way)
    let graph = SQLiteGraph(queue, model: model)
    try Cloner().clone("Note", keys: [1], in: graph)
    let trigger = "CREATE TEMP TRIGGER t BEFORE INSERT ON main.item BEGIN SELECT raise(IGNORE); END"
    try queue.writeWithoutTransaction { try raw(trigger, $0) }
    let error = #expect(throws: CloneError.self) { try Cloner().clone("Note", keys: [1], in: graph) }
    #expect(error?.code == .rowCount)
    try queue.writeWithoutTransaction { try raw("DROP TRIGGER temp.t", $0) }
    #expect(try Cloner().clone("Note", keys: [1], in: graph).cloned["Item"] == way.items)
  }

  @Test(arguments: Way.allCases)
  func anAttachedStoreWithTheSameTablesIsLeftAlone(_ way: Way) throws {
    let folder = try TemporaryFolder()
    let (queue, model, _) = try store(folder, way)
    let graph = SQLiteGraph(queue, model: model)
    try Cloner().clone("Note", keys: [1], in: graph)
    let other = folder.file("other.sqlite").path
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "ATTACH ? AS other", arguments: [other])
      try db.execute(
        sql: """
          CREATE TABLE other.note AS SELECT * FROM main.note; CREATE TABLE other.item AS SELECT * FROM main.item;
          CREATE TEMP TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER)
          """)
    }
    #expect(try Cloner().clone("Note", keys: [1], in: graph).cloned["Item"] == way.items)
    let left = try queue.read { db in
      try Int.fetchOne(db, sql: "SELECT (SELECT count(*) FROM other.item) + (SELECT count(*) FROM temp.item)")
    }
    #expect(left == 2 * way.items)
    try queue.writeWithoutTransaction { try $0.execute(sql: "DETACH other") }
    #expect(try Cloner().clone("Note", keys: [1], in: graph).cloned["Item"] == way.items)
  }

  /// Each clone has a column wholly or not at all, and those after the first that has it have it, too.
  @Test(arguments: Way.allCases)
  func clonesBesideMigrationsOfAnotherConnection(_ way: Way) async throws {
    let folder = try TemporaryFolder()
    let (queue, model, path) = try store(folder, way)
    try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
    try queue.close()
    let (clones, migrations) = way == .rowByRow ? (1_000, 60) : (100, 20)
    let isReady = AsyncStream.makeStream(of: Void.self)
    async let migrated: Void = Self.migrate(path, migrations, isReady.stream)
    let graph = try SQLiteGraph(path: path, model: model)
    for i in 0..<clones {
      try Cloner().clone("Note", keys: [1], in: graph)
      if i == 2 { isReady.continuation.finish() }
      await Task.yield()
    }
    try await migrated
    let result = try Cloner().clone("Note", keys: [1], in: graph)
    #expect(result.cloned["Item"] == way.items)
    try graph.close()
    try await DatabaseQueue(path: path).read { db in
      for number in 0..<migrations {
        let counts = try Int.fetchAll(
          db,
          sql: "SELECT count(c\(number)) FROM item WHERE note_id > 1 GROUP BY note_id ORDER BY note_id")
        #expect(counts.count == clones + 1)
        #expect(counts == counts.sorted() && Set(counts).isSubset(of: [0, way.items]) && counts.last != 0)
      }
    }
  }

  private static func migrate(_ path: String, _ count: Int, _ start: AsyncStream<Void>) async throws {
    for await _ in start {}
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    for number in 0..<count {
      try await queue.write { db in
        try db.execute(
          sql: """
            ALTER TABLE item ADD COLUMN c\(number) TEXT;
            UPDATE item SET c\(number) = 'c' WHERE note_id = 1;
            CREATE INDEX i\(number) ON item(c\(number)); DROP INDEX i\(number)
            """)
      }
      try await Task.sleep(for: .milliseconds(2))
    }
    try queue.close()
  }

  /// Requests of one form share their statements, never their values.
  @Test(arguments: Way.allCases)
  func eachRequestSetsItsOwnValues(_ way: Way) throws {
    let folder = try TemporaryFolder()
    let (queue, model, _) = try store(folder, way)
    let graph = SQLiteGraph(queue, model: model)
    let other = try graph.insert("Note", ["name": "other"])
    var names: [AttributeValue] = []
    for value: AttributeValue in ["a", "b", .null, "c", "a"] {
      let request = CloneRequest(set: ["name": value])
      let result = try Cloner().clone("Note", keys: [1], in: graph, request: request)
      names.append(try graph.object("Note", key: result.root.key).value("name"))
    }
    #expect(names == ["a", "b", .null, "c", "a"])
    for note in [1, other.id.key, 1] {
      let request = CloneRequest(set: ["note": note.parts[0]])
      let result = try Cloner().clone("Item", keys: [1], in: graph, request: request)
      #expect(try graph.object("Item", key: result.root.key).destination("note")?.id.key == note)
    }
    #expect(throws: CloneError.self) {
      try Cloner().clone("Item", keys: [1], in: graph, request: CloneRequest(set: ["note": 4711]))
    }
    #expect(throws: CloneError.self) {
      try Cloner().clone("Item", keys: [1], in: graph, request: CloneRequest(set: ["note": .null]))
    }
  }

  @Test func aClosedConnectionHoldsNoStatement() throws {
    let folder = try TemporaryFolder()
    let (queue, model, _) = try store(folder, .rowByRow)
    _ = try queue.write { db in try Cloner().clone("Note", key: 1, in: db, model: model) }
    try queue.close()
  }
}
