import MOCloneKit
import TestSupport
import Testing

/// Trees that the database would delete by itself, level by level.
@Suite struct DeepDeletionTests {
  private func chain(of count: Int, _ action: String) throws -> StoreFixture {
    try StoreFixture(
      SharedModel.tree(cascades: true),
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES folder(id) \(action));
      CREATE INDEX folder_parent ON folder(parent_id);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO folder SELECT i, 'f', nullif(i - 1, 0) FROM n;
      """)
  }

  @Test(arguments: ["ON DELETE CASCADE", "ON DELETE RESTRICT"])
  func aDeepTreeIsDeletedFromItsLeaves(action: String) throws {
    let store = try chain(of: 1_500, action)
    let graph = SQLiteGraph(store.writer, model: store.model)
    try graph.delete(graph.object("Folder", key: 2))
    #expect(try store.rows("SELECT id FROM folder") == ["1"])
  }

  @Test func whatSQLiteRefusesAsTooDeepIsSaidInWords() throws {
    let store = try chain(of: 1_500, "ON DELETE CASCADE")
    let graph = SQLiteGraph(store.writer, model: store.model)
    let error = #expect(throws: CloneError.self) {
      try graph.delete([graph.object("Folder", key: 1).id])
    }
    #expect(error?.failures.first?.message.contains("deeper than 1,000 levels") == true)
    #expect(try store.rows("SELECT count(*) FROM folder") == ["1500"])
  }

  @Test func anOwnerThatGoesWithItsMemberIsDeletedAfterIt() throws {
    let store = try StoreFixture(
      """
      entities:
        Address: {relationships: {person: {destination: Person, optional: true, inverse: address}}}
        Person: {relationships: {address: {destination: Address, inverse: person, deleteRule: cascade, column: address_id}}}
      """,
      """
      CREATE TABLE address(id INTEGER PRIMARY KEY);
      CREATE TABLE person(id INTEGER PRIMARY KEY, address_id INTEGER NOT NULL REFERENCES address(id) ON DELETE RESTRICT);
      INSERT INTO address VALUES (1); INSERT INTO person VALUES (1, 1);
      """)
    let graph = SQLiteGraph(store.writer, model: store.model)
    try graph.delete(graph.object("Person", key: 1))
    #expect(try store.rows("SELECT id FROM person UNION ALL SELECT id FROM address") == [])
  }
}
