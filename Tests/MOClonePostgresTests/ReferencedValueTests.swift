import MOCloneEngine
import MOCloneModel
import TestSupport
import Testing

@testable import MOClonePostgres

/// People who are told apart by their names, and documents that refer to them by their logins.
@Suite(
  "References to a unique value that objects lack, in a server",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ReferencedValueTests {
  private static let tables = """
    CREATE TABLE u(id serial PRIMARY KEY, name text NOT NULL, login text UNIQUE, mail text, phone text);
    CREATE TABLE d(id serial PRIMARY KEY, t text NOT NULL UNIQUE, login text REFERENCES u(login) ON DELETE CASCADE);

    """
  private static let links = "SELECT t, name FROM d LEFT JOIN u USING (login) ORDER BY t"

  private func store(_ rows: String) throws -> DatabaseFixture {
    try DatabaseFixture(SharedModel.documents, Self.tables + rows)
  }

  private func source() throws -> DatabaseFixture {
    try store(
      "INSERT INTO u(name, login) VALUES ('Ann', 'ann'); INSERT INTO d(t, login) VALUES ('of Ann', 'ann')")
  }

  @Test("A copy refuses them, and a seed refers to the objects that it fills with the value")
  func moved() throws {
    let source = try source()
    let target = try store(
      "INSERT INTO u(name, login) VALUES ('Zoe', 'zoe'), ('Ann', NULL), ('Other', 'ann')")
    let error = #expect(throws: CloneError.self) { try target.graph.copy(from: source.graph) }
    #expect(
      "\(error!)".contains("'u' of D 1 refers to its object by the column 'login', which is empty there"))
    #expect(try target.rows(Self.links) == [])
    let free = try store("INSERT INTO u(name, login) VALUES ('Zoe', 'zoe'), ('Ann', NULL)")
    try free.graph.seed(from: source.graph)
    #expect(try free.rows(Self.links) == ["of Ann|Ann"])
  }

  @Test("A merge leads them to what stays, once that is filled with the value", arguments: [true, false])
  func merged(fills: Bool) throws {
    let store = try store(
      """
      INSERT INTO u(name, login, mail, phone) VALUES ('Ann', 'ann', NULL, NULL), ('Ann', NULL, 'a@x', '1'), ('Bob', 'bob', NULL, NULL);
      INSERT INTO d(t, login) VALUES ('of Ann', 'ann'), ('of Bob', 'bob')
      """)
    let request = DedupeRequest(entities: ["U"], fills: fills)
    if fills {
      #expect(try store.graph.dedupe(request).merged == ["U": 1])
    } else {
      #expect(throws: CloneError.self) { try store.graph.dedupe(request) }
    }
    #expect(try store.rows(Self.links) == ["of Ann|Ann", "of Bob|Bob"])
  }
}
