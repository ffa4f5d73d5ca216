import Foundation
import GRDB
import MOCloneKit
import Testing

/// Objects that reference missing rows, overwritten in a store that enforces its foreign keys.
@Suite("Overwriting objects with dangling references under foreign keys")
struct DanglingUpdateTests {
  private static let model = """
    entities:
      Note:
        attributes: {name: String}
        relationships: {items: {destination: Item, toMany: true, inverse: note}}
        uniquenessConstraints: [[name]]
      Person:
        attributes: {name: String}
        relationships: {items: {destination: Item, toMany: true, inverse: owner}}
        uniquenessConstraints: [[name]]
      Item:
        attributes: {name: String, text: String?, modified: Date?}
        relationships:
          note: {destination: Note, optional: true, inverse: items}
          owner: {destination: Person, optional: true, inverse: items}
        uniquenessConstraints: [[name]]
    """

  /// Items 'a' and 'b' with a missing note, and 'c' with one; all of person 1.
  private func store(_ more: String = "") throws -> StoreFixture {
    let store = try StoreFixture(
      Self.model,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, text TEXT, modified TEXT,
        note_id INTEGER REFERENCES note(id), owner_id INTEGER REFERENCES person(id));
      CREATE TABLE changes(name TEXT);
      CREATE TRIGGER changing AFTER UPDATE ON item BEGIN INSERT INTO changes VALUES (old.name); END;
      INSERT INTO note VALUES (1, 'n'), (2, 'm');
      INSERT INTO person VALUES (1, 'p'), (2, 'q');
      \(more)
      """)
    try store.writer.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          INSERT INTO item VALUES (1, 'a', NULL, NULL, 98, 1), (2, 'b', NULL, NULL, 99, 1), (3, 'c', NULL, NULL, 1, 1);
          PRAGMA foreign_keys = ON;
          """)
    }
    return store
  }

  private func rows(_ store: StoreFixture) throws -> [String] {
    try store.rows("SELECT name, text, note_id, owner_id FROM item ORDER BY name")
  }

  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }

  private func sync(
    _ store: StoreFixture, _ names: [String], _ rows: [[String: AttributeValue]]
  ) throws -> TransferReport {
    try graph(store).sync(SyncRequest(entity: "Item", overwriting: names), from: rows)
  }

  @Test("A sync changes what differs and leaves a dangling reference alone; other objects change at once")
  func syncs() throws {
    let store = try store()
    let report = try sync(
      store, ["text", "note", "owner"],
      [
        ["name": "a", "text": "x", "owner": 2], ["name": "b", "note": 1],
        ["name": "c", "text": "z", "note": 2, "owner": 2],
      ])
    #expect(try rows(store) == ["a|x|98|2", "b|-|1|1", "c|z|2|2"])
    #expect(report.updated == ["Item": 3])
    #expect(try store.rows("SELECT count(*) FROM item WHERE modified IS NULL") == ["0"])
    #expect(try store.rows("SELECT count(*) FROM changes WHERE name = 'c'") == ["1"])
  }

  @Test("The date of change that a row gives stays, whichever values change with it")
  func givenDates() throws {
    let store = try store()
    let date = AttributeValue.date(Date(timeIntervalSince1970: 1_000_000_000))
    _ = try sync(
      store, ["text", "note", "owner", "modified"],
      ["a", "b", "c"].map { ["name": .string($0), "text": "x", "note": 2, "owner": 2, "modified": date] })
    #expect(try rows(store) == ["a|x|2|2", "b|x|2|2", "c|x|2|2"])
    #expect(try store.rows("SELECT DISTINCT substr(modified, 1, 10) FROM item") == ["2001-09-09"])
  }

  @Test("Unique values are swapped between an object with a dangling reference and one without")
  func swaps() throws {
    let store = try store("CREATE UNIQUE INDEX texts ON item(text);")
    try store.writer.write { try $0.execute(sql: "UPDATE item SET text = name") }
    let report = try sync(
      store, ["text", "owner"],
      [["a", "c"], ["b", "b"], ["c", "a"]].map {
        ["name": .string($0[0]), "text": .string($0[1]), "owner": 1]
      })
    #expect(try rows(store) == ["a|c|98|1", "b|b|99|1", "c|a|1|1"])
    #expect(report.updated == ["Item": 2] && report.unchanged == ["Item": 1])
  }

  @Test("An import changes what differs and leaves a dangling reference alone")
  func imports() throws {
    let store = try store()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("moclone-dangling-\(UUID()).csv")
    try Data("name,text,owner\na,x,q\nb,,p\nc,z,q\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let mapping = try ImportMapping(
      yaml: """
        entity: Item
        attributes: {name: '@name', text: '@text'}
        relationships: {owner: {attributes: {name: '@owner'}}}
        """)
    let report = try graph(store).importFile(
      file.path, mapping: mapping, options: ImportOptions(existing: .update))
    #expect(try rows(store) == ["a|x|98|2", "b|-|99|1", "c|z|1|2"])
    #expect(report?.updated == ["Item": 2])
  }
}
