import Foundation
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// What runs while a migration of another session writes tables anew, and ends once it has waited for that.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct MigrationTests {
  private let store: DatabaseFixture

  init() throws {
    store = try DatabaseFixture(
      SharedModel.ownedItems,
      """
      CREATE TABLE note(id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE item(id serial PRIMARY KEY, name text NOT NULL, note_id int NOT NULL REFERENCES note);
      CREATE INDEX ON item(note_id);
      INSERT INTO note(name) VALUES ('n');
      INSERT INTO item(name, note_id) VALUES ('a', 1), ('b', 1)
      """)
  }

  /// A column of random values for rows that exist has the server write the table anew.
  private static let rewrite = "ALTER TABLE item ADD COLUMN code uuid DEFAULT gen_random_uuid()"

  /// Runs a body by a connection of its own, which the migration ends for as soon as it waits for it.
  private func duringMigration<Result: Sendable>(
    _ migration: String = rewrite, at location: PostgresLocation? = nil,
    _ body: @Sendable @escaping (PostgresGraph) throws -> Result
  ) async throws -> Result {
    let other = try store.database.connect()
    try other.run("BEGIN; LOCK TABLE item IN ACCESS EXCLUSIVE MODE")
    let (location, model) = (location ?? store.database.location, store.graph.model)
    let (results, continuation) = AsyncThrowingStream.makeStream(of: Result.self)
    // A task that waits for the server would hold up other tests.
    Thread.detachNewThread {
      do {
        continuation.yield(try body(PostgresGraph(PostgresConnection(location), model: model)))
        continuation.finish()
      } catch { continuation.finish(throwing: error) }
    }
    let waiting = """
      SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE NOT l.granted AND d.datname = current_database()
      """
    while try store.rows(waiting) == ["0"] { try await Task.sleep(for: .milliseconds(5)) }
    try other.run("\(migration); COMMIT")
    return try #require(try await results.first { _ in true })
  }

  private func copiedItems() throws -> [String] {
    try store.rows("SELECT name FROM item WHERE note_id <> 1 ORDER BY name")
  }

  @Test func aCloneHasTheRowsOfATableThatWasWrittenAnew() async throws {
    let cloned = try await duringMigration { try Cloner().clone("Note", keys: [1], in: $0).cloned }
    #expect(cloned == ["Note": 1, "Item": 2])
    #expect(try copiedItems() == ["a", "b"])
  }

  @Test func aCloneHasTheColumnsThatWereAdded() async throws {
    let migration = "ALTER TABLE item ADD COLUMN color text; UPDATE item SET color = 'blue'"
    _ = try await duringMigration(migration) { try Cloner().clone("Note", keys: [1], in: $0).cloned }
    #expect(try store.rows("SELECT color FROM item WHERE note_id <> 1") == ["blue", "blue"])
  }

  @Test func clonesThatArePendingHaveThemToo() async throws {
    try await duringMigration {
      try Cloner().clone("Note", keys: [1], in: $0, saveBeforeReturn: false)
      try $0.save()
    }
    #expect(try copiedItems() == ["a", "b"])
  }

  @Test func behindAPoolerTheyAreThereToo() async throws {
    guard let pooled = try store.database.pooled() else { return }
    _ = try await duringMigration(at: pooled) { try Cloner().clone("Note", keys: [1], in: $0).cloned }
    #expect(try copiedItems() == ["a", "b"])
  }

  @Test func aPreviewCountsThem() async throws {
    let found = try await duringMigration {
      try $0.preview($0.plan("Note", CloneRequest()), roots: [$0.find("Note", key: 1)!]).cloned
    }
    #expect(found == ["Note": 1, "Item": 2])
  }

  @Test func aCopyIntoAnotherGraphHasThem() async throws {
    let created = try await duringMigration { try MemoryGraph(model: $0.model).copy(from: $0).created }
    #expect(created == ["Note": 1, "Item": 2])
  }

  @Test func aSubtreeForAnotherGraphHasThem() async throws {
    let created = try await duringMigration { source in
      let memory = MemoryGraph(model: source.model)
      let plan = try source.plan("Note", CloneRequest())
      return try memory.clone(plan, roots: [source.find("Note", key: 1)!], from: source).report.created
    }
    #expect(created == ["Note": 1, "Item": 2])
  }

  @Test func aCopyFromAnotherGraphFindsThem() async throws {
    let created = try await duringMigration { target in
      let memory = MemoryGraph(model: target.model)
      let note = try memory.insert("Note", ["name": "n"])
      for name in ["a", "b", "c"] {
        try memory.insert("Item", ["name": .string(name), "note": note.id.key.reference])
      }
      return try target.copy(from: memory, CopyRequest(identifiedBy: ["Note": ["name"], "Item": ["name"]]))
        .created
    }
    #expect(created == ["Item": 1])
  }

  /// The new table has another number in the catalogue.
  private static let swap = """
    CREATE TABLE other(LIKE item INCLUDING ALL); INSERT INTO other SELECT * FROM item;
    ALTER TABLE item RENAME TO old; ALTER TABLE other RENAME TO item;
    ALTER SEQUENCE item_id_seq OWNED BY item.id; DROP TABLE old
    """

  @Test func aTableThatReplacesAnotherOneIsTheOneThatIsRead() async throws {
    let cloned = try await duringMigration(Self.swap) { graph in
      let plan = try graph.plan("Note", CloneRequest())
      try graph.check(plan)
      return try Cloner().clone("Note", keys: [1], in: graph).cloned
    }
    #expect(cloned == ["Note": 1, "Item": 2])
    #expect(try copiedItems() == ["a", "b"])
  }

  @Test func severalReadingsOfOneStateHaveThem() async throws {
    let names = try await duringMigration { graph in
      try graph.reading {
        #expect(try graph.count("Note") == 1)
        return try graph.objectIDs("Item").map { try graph.value("name", of: $0) }
      }
    }
    #expect(names == ["a", "b"])
  }

  @Test func aRoleThatMayNotLockTablesClonesAllTheSame() throws {
    let role = store.database.name + "_role"
    try store.connection.run(
      """
      CREATE ROLE \(role) LOGIN;
      GRANT SELECT (id, name), INSERT (id, name) ON note TO \(role);
      GRANT SELECT (id, name, note_id), INSERT (id, name, note_id) ON item TO \(role);
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO \(role)
      """)
    let location = try store.database.location("user=\(role)")
    do {
      let graph = PostgresGraph(try PostgresConnection(location), model: store.graph.model)
      #expect(try Cloner().clone("Note", keys: [1], in: graph).cloned == ["Note": 1, "Item": 2])
    }
    try store.connection.run("DROP OWNED BY \(role); DROP ROLE \(role)")
  }
}
