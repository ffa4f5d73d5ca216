import Foundation
import MOCloneKit
import TestSupport
import Testing

@Suite("References in other letters than the keys that they lead to")
struct NoCaseReferenceTests {
  private static let model = """
    entities:
      Category:
        primaryKey: {column: code, generate: none}
        attributes: {code: {type: String, column: code}, name: String}
        relationships:
          items: {destination: Item, toMany: true, inverse: category, deleteRule: cascade}
          tags: {destination: Tag, toMany: true, inverse: categories}
        uniquenessConstraints: [[code]]
      Item:
        attributes: {name: String}
        relationships: {category: {destination: Category, inverse: items, column: category}}
        uniquenessConstraints: [[name]]
      Tag:
        attributes: {name: String}
        relationships: {categories: {destination: Category, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
    """

  private func tables(_ item: String, tag: String) -> String {
    """
    CREATE TABLE category(code TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, name TEXT);
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, category TEXT REFERENCES category ON DELETE CASCADE);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE category_tag(category_id TEXT REFERENCES category, tag_id INTEGER REFERENCES tag);
    CREATE TABLE note(id INTEGER PRIMARY KEY, category TEXT REFERENCES category ON DELETE CASCADE);
    INSERT INTO category VALUES ('A1', 'same'), ('B1', 'same'); INSERT INTO tag VALUES (1, 't');
    INSERT INTO item VALUES (1, 'x', 'A1'), (2, 'y', '\(item)'); INSERT INTO category_tag VALUES ('\(tag)', 1);
    """
  }

  private static let places = [("b1", "B1"), ("B1", "b1")]

  @Test("A merge that would lose them is refused, and so is one of tables beside the model", arguments: 0..<3)
  func merged(place: Int) throws {
    let (item, tag) = place < 2 ? Self.places[place] : ("B1", "B1")
    let store = try StoreFixture(
      Self.model, tables(item, tag: tag) + (place == 2 ? "INSERT INTO note VALUES (1, 'b1');" : ""))
    let graph = SQLiteGraph(store.writer, model: store.model)
    let request = DedupeRequest(entities: ["Category"], identifiedBy: ["Category": ["name"]])
    let error = #expect(throws: CloneError.self) { try graph.dedupe(request) }
    #expect(error?.code == .storeMismatch && "\(error!)".contains("holds 'b1' for the key 'B1'"))
    #expect(try store.rows("SELECT code FROM category") == ["A1", "B1"])
    try store.execute(
      "UPDATE item SET category = upper(category); UPDATE category_tag SET category_id = 'B1'; UPDATE note SET category = 'B1'"
    )
    #expect(try graph.dedupe(request).merged == ["Category": 1])
    #expect(
      try store.rows("SELECT category FROM item UNION ALL SELECT category_id FROM category_tag") == [
        "A1", "A1", "A1",
      ])
  }

  @Test("Copies and subtrees of such a store are refused", arguments: places)
  func copied(item: String, tag: String) throws {
    let source = try StoreFixture(Self.model, tables(item, tag: tag))
    let target = try StoreFixture(
      Self.model, tables("A1", tag: "A1") + "DELETE FROM category_tag; DELETE FROM item;")
    let (from, into) = (
      SQLiteGraph(source.writer, model: source.model), SQLiteGraph(target.writer, model: target.model)
    )
    for request in [CopyRequest(), CopyRequest(entities: ["Category"])] {
      let error = #expect(throws: CloneError.self) { try into.copy(from: from, request) }
      #expect(error?.code == .storeMismatch)
    }
    let plan = try from.plan("Category", CloneRequest())
    let root = try from.object("Category", key: "B1").id
    let error = #expect(throws: CloneError.self) {
      try into.clone(plan, roots: [root], from: from, SubtreeRequest(missing: .create, keepsKeys: true))
    }
    #expect(error?.code == .storeMismatch)
    #expect(try target.rows("SELECT count(*) FROM item") == ["0"])
  }
}
