import Foundation
import MOCloneKit
import TestSupport
import Testing

/// People who are told apart by their names, and documents that refer to them by their logins.
@Suite("References to a unique value that objects lack")
struct ReferencedValueTests {
  private static let tables = """
    CREATE TABLE u(id INTEGER PRIMARY KEY, name TEXT NOT NULL, login TEXT UNIQUE, mail TEXT, phone TEXT);
    CREATE TABLE d(id INTEGER PRIMARY KEY, t TEXT NOT NULL UNIQUE, login TEXT REFERENCES u(login));
    """

  private func store(_ rows: String) throws -> StoreFixture {
    try StoreFixture(SharedModel.documents, Self.tables + rows)
  }

  private func source() throws -> SQLiteGraph {
    let store = try store(
      "INSERT INTO u(id, name, login) VALUES (1, 'Ann', 'ann'); INSERT INTO d VALUES (1, 'of Ann', 'ann');")
    return SQLiteGraph(store.writer, model: store.model)
  }

  private static let links = "SELECT t, name FROM d LEFT JOIN u USING (login) ORDER BY t"

  @Test("A copy refuses them, and leads to no other object that has the value", arguments: [true, false])
  func copied(isNew: Bool) throws {
    let target = try store(
      "INSERT INTO u(id, name, login) VALUES (1, 'Zoe', 'zoe'), (2, 'Ann', NULL), (3, 'Other', 'ann');"
        + (isNew ? "" : "INSERT INTO d VALUES (1, 'of Ann', NULL);"))
    let before = try target.contents()
    let graph = SQLiteGraph(target.writer, model: target.model)
    let from = try source()
    let copies: [() throws -> TransferReport] = [
      { try graph.copy(from: from) }, { try graph.seed(from: from) },
    ]
    for copy in copies {
      let error = #expect(throws: CloneError.self) { try copy() }
      #expect(error?.failures.map(\.code) == [.invalidValue])
      #expect(
        "\(error!)".contains("'u' of D 1 refers to its object by the column 'login', which is empty there"))
      #expect(try target.contents() == before)
    }
  }

  @Test("A seed refers to the objects that it fills with the value")
  func seeded() throws {
    let target = try store("INSERT INTO u(id, name, login) VALUES (1, 'Zoe', 'zoe'), (2, 'Ann', NULL);")
    let report = try SQLiteGraph(target.writer, model: target.model).seed(from: source())
    #expect(report.updated == ["U": 1] && report.created == ["D": 1])
    #expect(try target.rows(Self.links) == ["of Ann|Ann"])
  }

  @Test("A copy refers by the value that the object has in the store")
  func renamed() throws {
    let target = try store("INSERT INTO u(id, name, login) VALUES (2, 'Ann', 'a'), (3, 'Other', 'ann');")
    try SQLiteGraph(target.writer, model: target.model).copy(from: source())
    #expect(try target.rows(Self.links) == ["of Ann|Ann"])
  }

  private static let doubles = """
    INSERT INTO u VALUES (1, 'Ann', 'ann', NULL, NULL), (2, 'Ann', NULL, 'a@x', '1'), (3, 'Bob', 'bob', NULL, NULL);
    INSERT INTO d VALUES (1, 'of Ann', 'ann'), (2, 'of Bob', 'bob');
    """

  @Test("A merge leads them to what stays, once that is filled with the value")
  func merged() throws {
    let store = try store(Self.doubles)
    let report = try SQLiteGraph(store.writer, model: store.model).dedupe(DedupeRequest(entities: ["U"]))
    #expect(report.merged == ["U": 1])
    #expect(try store.rows("SELECT id, login FROM u ORDER BY id") == ["2|ann", "3|bob"])
    #expect(try store.rows(Self.links) == ["of Ann|Ann", "of Bob|Bob"])
  }

  @Test("A merge that would leave them empty is refused", arguments: [true, false])
  func lost(fills: Bool) throws {
    // What cannot be empty cannot wait until what stays is filled.
    let tables =
      fills ? Self.tables.replacing("login TEXT REF", with: "login TEXT NOT NULL REF") : Self.tables
    let store = try StoreFixture(SharedModel.documents, tables + Self.doubles)
    let graph = SQLiteGraph(store.writer, model: store.model)
    let before = try store.contents()
    let error = #expect(throws: CloneError.self) {
      try graph.dedupe(DedupeRequest(entities: ["U"], fills: fills))
    }
    #expect(error?.code == .rowCount)
    #expect(
      "\(error!)".contains("1 row of the table 'd' would lose a reference by a unique column")
    )
    #expect(try store.contents() == before)
    try store.execute("UPDATE u SET login = 'a' WHERE id = 2")
    try graph.dedupe(DedupeRequest(entities: ["U"], fills: fills))
    #expect(try store.rows(Self.links) == ["of Ann|Ann", "of Bob|Bob"])
  }
}
