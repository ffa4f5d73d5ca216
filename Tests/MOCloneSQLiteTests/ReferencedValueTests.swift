import Foundation
import MOCloneKit
import Testing

/// People who are told apart by their names, and documents that refer to them by their logins.
@Suite("References to a unique value that objects lack")
struct ReferencedValueTests {
  private static let model = """
    entities:
      U:
        attributes: {name: String, login: String?, mail: String?}
        relationships: {ds: {destination: D, toMany: true, inverse: u}}
        uniquenessConstraints: [[name], [login]]
      D:
        attributes: {t: String}
        relationships: {u: {destination: U, optional: true, inverse: ds, column: [{column: login, references: login}]}}
        uniquenessConstraints: [[t]]
    """
  private static let tables = """
    CREATE TABLE u(id INTEGER PRIMARY KEY, name TEXT NOT NULL, login TEXT UNIQUE, mail TEXT);
    CREATE TABLE d(id INTEGER PRIMARY KEY, t TEXT NOT NULL UNIQUE, login TEXT REFERENCES u(login));
    """

  private func store(_ rows: String) throws -> StoreFixture {
    try StoreFixture(Self.model, Self.tables + rows)
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
    let copies: [() throws -> MoveReport] = [
      { try graph.copy(from: from) }, { try graph.seed(from: from) },
    ]
    for copy in copies {
      let error = #expect(throws: CloneError.self) { try copy() }
      #expect(error?.failures.map(\.code) == [.invalidValue])
      #expect(
        "\(error!)".contains("'u' of D 1 leads to an object whose 'login' it references: that is empty"))
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
}
