import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// How many statements a clone takes.
@Suite struct StatementCountTests {
  private static let notes = """
    entities:
      Note:
        attributes: {name: String?}
        relationships:
          items: {destination: Item, toMany: true, inverse: note}
          tags: {destination: Tag, toMany: true, inverse: notes}
      Item:
        attributes: {name: {type: String, optional: true, userInfo: {followParent: name, withoutParent: keep}}}
        relationships:
          note: {destination: Note, inverse: items}
          parts: {destination: Part, toMany: true, inverse: item}
      Part:
        relationships: {item: {destination: Item, inverse: parts}}
      Tag:
        relationships: {notes: {destination: Note, toMany: true, inverse: tags}}
    """

  private func notes(_ rows: Int) throws -> StoreFixture {
    try StoreFixture(
      Self.notes,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER NOT NULL REFERENCES note(id));
      CREATE TABLE part(id INTEGER PRIMARY KEY, item_id INTEGER NOT NULL REFERENCES item(id));
      CREATE TABLE tag(id INTEGER PRIMARY KEY);
      CREATE TABLE note_tag(note_id INTEGER, tag_id INTEGER);
      CREATE INDEX i ON item(note_id);
      CREATE INDEX t ON note_tag(note_id);
      CREATE INDEX p ON part(item_id);
      INSERT INTO note VALUES (1, 'n');
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < \(rows))
        INSERT INTO item SELECT n, 'i', 1 FROM c;
      INSERT INTO part SELECT id, id FROM item;
      INSERT INTO tag SELECT id FROM item;
      INSERT INTO note_tag SELECT 1, id FROM tag;
      """)
  }

  private func chain(_ length: Int, _ model: String = SharedModel.tree()) throws -> StoreFixture {
    try StoreFixture(
      model,
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES folder(id));
      CREATE INDEX f ON folder(parent_id);
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < \(length))
        INSERT INTO folder SELECT n, 'f', nullif(n - 1, 0) FROM c;
      """)
  }

  private func count(_ store: StoreFixture, _ entity: String, copies: Int = 1) throws -> Int {
    try store.writer.write { db in
      try db.statements {
        try Cloner().clone(
          entity, key: 1, in: $0, model: store.model, request: CloneRequest(count: copies))
      }.count
    }
  }

  @Test func asManyForFiveThousandRowsAsForFiveHundred() throws {
    let few = try count(notes(500), "Note")
    #expect(try count(notes(5000), "Note") == few)
    #expect(few < 250)
  }

  @Test func aFewForEachObjectOfASmallClosure() throws {
    let counts = try [1, 11].map { try count(notes($0), "Note") }
    // Parts are looked for once an item; an item and a part are read and written, a pair is written.
    #expect(counts[1] - counts[0] == 60)
    #expect(counts[0] < 100)
  }

  @Test func asManyWithoutAnIndexForManyObjectsAsForFew() throws {
    let counts = try [5, 40].map { rows in
      let store = try notes(rows)
      try store.writer.write { try $0.execute(sql: "DROP INDEX p") }
      return try count(store, "Note")
    }
    #expect(counts[0] == counts[1])
  }

  @Test func oneForEachGenerationOfATree() throws {
    #expect(try count(chain(50), "Folder") - count(chain(10), "Folder") == 40)
  }

  @Test func asManyForALongChainAsForALongerOne() throws {
    #expect(try count(chain(100), "Folder") == count(chain(1000), "Folder"))
  }

  @Test func oneForEachGenerationOfATreeThatHandsAValueDown() throws {
    let follows = "{type: String, optional: true, userInfo: {followParent: name, withoutParent: keep}}"
    let model = SharedModel.tree().replacing("name: String?", with: "name: \(follows)")
    let counts = try [10, 100].map { try count(chain($0, model), "Folder") }
    #expect(counts[1] - counts[0] == 90)
  }

  @Test func asManyForEachFurtherCopy() throws {
    let counts = try (1...4).map { try count(notes(10), "Note", copies: $0) }
    // The second needs the tables that keep what was found, once.
    #expect(counts[1] - counts[0] < 40)
    #expect(counts[3] - counts[2] == counts[2] - counts[1])
  }

  @Test func aLongChain() throws {
    let length = ProcessInfo.processInfo.environment["MOCLONE_LONG"] == "1" ? 1_000_000 : 20_000
    let store = try chain(length)
    #expect(try store.clone("Folder", 1).cloned == ["Folder": length])
    let check = "SELECT count(*) FROM folder WHERE id > \(length + 1) AND parent_id = id - 1"
    #expect(try store.rows(check) == [String(length - 1)])
  }
}
