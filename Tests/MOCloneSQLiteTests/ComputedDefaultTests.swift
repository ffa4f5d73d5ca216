import Foundation
import MOCloneKit
import TestSupport
import Testing

@Suite("Defaults that only the table knows")
struct ComputedDefaultTests {
  private func store() throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Item:
          attributes: {code: String, state: {type: String, default: new, optional: true}, token: String?, note: String?}
          uniquenessConstraints: [[code]]
      """,
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, state TEXT DEFAULT 'old',
        token TEXT DEFAULT (hex(randomblob(4))), note TEXT);
      INSERT INTO item(code, token) VALUES ('a', NULL);
      """)
  }

  @Test("New objects of rows that give no value have them; those that are there keep theirs")
  func absent() throws {
    let store = try store()
    let graph = SQLiteGraph(store.writer, model: store.model)
    try graph.sync(SyncRequest(entity: "Item"), from: [["code": "a"], ["code": "b"]])
    let mapping = try ImportMapping(yaml: "{entity: Item, attributes: {code: '@code'}}")
    try graph.importData(
      Data("code\na\nc\n".utf8), format: .csv, mapping: mapping, options: ImportOptions(existing: .update))
    #expect(
      try store.rows("SELECT code, coalesce(length(token), 0), coalesce(state, '-') FROM item ORDER BY code")
        == ["a|0|old", "b|8|new", "c|8|new"])
  }

  @Test("A null that a row gives is none")
  func null() throws {
    let store = try store()
    let mapping = try ImportMapping(yaml: "{entity: Item, attributes: {code: '@code', token: '@token'}}")
    let rows = Data("{\"code\": \"b\", \"token\": null}\n".utf8)
    try SQLiteGraph(store.writer, model: store.model).importData(rows, format: .ndjson, mapping: mapping)
    #expect(try store.rows("SELECT count(token) FROM item") == ["0"])
  }
}
