import MOCloneKit
import Testing

/// Rows that have no key, and what is no table at all.
@Suite("Rows without keys, views and virtual tables")
struct WrongTableTests {
  private func store(table: String = "item", _ sql: String = "") throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Note:
          attributes: {name: String?}
          relationships: {items: {destination: Item, toMany: true, inverse: note}}
        Item:
          table: \(table)
          primaryKey: {column: code, generate: uuid}
          attributes: {name: String?}
          relationships:
            note: {destination: Note, optional: true, inverse: items}
            next: {destination: Item, optional: true}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE item(code TEXT PRIMARY KEY, name TEXT, note_id INTEGER, next_id TEXT);
      INSERT INTO note VALUES (1, 'n');
      INSERT INTO item(code, name, note_id) VALUES ('a', 'i', 1);
      \(sql)
      """)
  }

  @Test(
    "A row without a key is named as such: listed, found by a value, related to, cloned, previewed, validated"
  )
  func nullKeys() throws {
    let store = try store("INSERT INTO item(code, name, note_id) VALUES (NULL, 'lost', 1), (NULL, 'lost', 1)")
    let graph = SQLiteGraph(store.writer, model: store.model)
    let plan = try ClonePlan(model: store.model, entity: "Note")
    let calls: [() throws -> Void] = [
      { _ = try graph.objects("Item") },
      { _ = try graph.object("Item", attribute: "name", equals: "lost") },
      { _ = try graph.object("Note", key: 1).destinations("items") },
      { _ = try graph.preview(plan, roots: [ObjectID("Note", key: 1)]) },
      { _ = try graph.run(plan, roots: [ObjectID("Note", key: 1)], options: CloneOptions(), saves: true) },
    ]
    let before = try store.contents()
    for call in calls {
      let error = #expect(throws: CloneError.self) { try call() }
      #expect(error?.code == .nullKey)
      #expect(
        error?.description.contains("a row of the table 'item' has no key, because its 'code' is null")
          == true)
    }
    #expect(try store.contents() == before)
    let finding = try graph.storeFindings().first { $0.code == .nullKey }
    #expect(finding?.message == "the key 'code' of 'Item' is null in 2 rows of the table 'item'")
  }

  @Test(
    "A view, a virtual table and a part of one are told apart from a table that is missing",
    arguments: [
      ("seen", "is a view of the store"), ("search", "is a virtual table of the store"),
      ("SEARCH_data", "is a part of a virtual table of the store"), ("none", "the store has no table 'none'"),
    ])
  func views(table: String, words: String) throws {
    let store = try store(
      table: table,
      "CREATE VIEW seen AS SELECT * FROM item; CREATE VIRTUAL TABLE search USING fts5(code, name);")
    let error = try store.refusal("Note", 1)
    #expect(error?.code == .storeMismatch)
    #expect(error?.description.contains(words) == true && error?.failures.count == 1, "\(error!)")
    let findings = try SQLiteGraph(store.writer, model: store.model).storeFindings()
    #expect(findings.contains { $0.code == .storeMismatch && $0.message.contains(words) })
  }
}
