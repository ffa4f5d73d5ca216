import MOCloneKit
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "Lists of a server in which positions are missing",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct NullPositionTests {
  private func database(_ rows: String) throws -> DatabaseFixture {
    try DatabaseFixture(
      """
      version: 1
      name: Lists
      entities:
        List:
          attributes: {name: String}
          relationships:
            tasks: {destination: Task, toMany: true, ordered: true, inverse: list, orderColumn: pos}
            tags:
              destination: Tag
              toMany: true
              ordered: true
              inverse: lists
              joinTable: {table: list_tag, column: list_id, inverseColumn: tag_id, orderColumn: pos}
        Task:
          attributes: {name: String}
          relationships: {list: {destination: List, optional: true, inverse: tasks}}
        Tag:
          attributes: {name: String}
          relationships: {lists: {destination: List, toMany: true, inverse: tags}}
      """,
      """
      CREATE TABLE list(id bigserial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE task(id bigserial PRIMARY KEY, name text NOT NULL, list_id bigint REFERENCES list, pos bigint);
      CREATE TABLE tag(id bigserial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE list_tag(list_id bigint NOT NULL REFERENCES list, tag_id bigint NOT NULL REFERENCES tag, pos bigint,
        PRIMARY KEY (list_id, tag_id));
      CREATE INDEX ON task(list_id, pos);
      \(rows)
      """)
  }

  private static let rows = """
    INSERT INTO list(name) VALUES ('l');
    INSERT INTO task(name, list_id, pos) VALUES ('a', 1, 1), ('b', 1, NULL), ('c', 1, 2);
    INSERT INTO tag(name) VALUES ('x'), ('y'), ('z'); INSERT INTO list_tag VALUES (1, 1, 1), (1, 2, NULL), (1, 3, 2)
    """

  private func names(_ relationship: String, of list: ObjectKey, _ graph: PostgresGraph) throws -> [String] {
    try graph.object("List", key: list).destinations(relationship).map { try $0.value("name").description }
  }

  @Test("A clone that is linked into a list comes at its end")
  func linked() throws {
    let database = try database(Self.rows)
    let clone = try #require(try database.clone("Task", 1).roots.first)
    #expect(try names("tasks", of: 1, database.graph) == ["b", "a", "c", "a"])
    let tasks = try database.graph.object("List", key: 1).destinations("tasks")
    #expect(tasks.last?.id == clone)
  }

  @Test("Clones and copies of lists keep the order")
  func kept() throws {
    let (database, target) = (try database(Self.rows), try database(""))
    let clone = try #require(try database.clone("List", 1).roots.first)
    for list in [1, clone.key] {
      #expect(try names("tasks", of: list, database.graph) == ["b", "a", "c"])
      #expect(try names("tags", of: list, database.graph) == ["y", "x", "z"])
    }
    try database.connection.run("DELETE FROM task WHERE list_id > 1; DELETE FROM list_tag WHERE list_id > 1")
    try database.connection.run("DELETE FROM list WHERE id > 1")
    try target.graph.copy(from: database.graph)
    let copy = try #require(try target.graph.objectIDs("List").first)
    #expect(try names("tasks", of: copy.key, target.graph) == ["b", "a", "c"])
    #expect(try names("tags", of: copy.key, target.graph) == ["y", "x", "z"])
  }
}
