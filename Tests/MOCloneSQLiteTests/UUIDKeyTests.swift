import Foundation
import GRDB
import MOCloneKit
import MOCloneTesting
import Testing

/// Keys and referenced columns that hold UUIDs.
@Suite struct UUIDKeyTests {
  static let old = UUID(uuidString: "6A0D5A6E-0000-4000-8000-0000000000AB")!

  private func compact(_ uuid: UUID) -> String {
    uuid.uuidString.lowercased().replacing("-", with: "")
  }

  private func text(_ uuid: UUID, _ storage: String) -> String {
    switch storage {
    case "blob": "x'" + uuid.uuidString.replacing("-", with: "") + "'"
    case "lowercaseText": "'" + uuid.uuidString.lowercased() + "'"
    case "compactText": "'" + compact(uuid) + "'"
    default: "'" + uuid.uuidString + "'"
    }
  }

  private func store(_ storage: String) throws -> StoreFixture {
    let id = text(Self.old, storage)
    return try StoreFixture(
      """
      store: {uuids: \(storage)}
      entities:
        Note:
          primaryKey: {column: id, generate: uuid}
          attributes: {id: UUID, name: String?}
          relationships:
            items: {destination: Item, toMany: true, inverse: note}
        Item:
          primaryKey: {column: id, generate: uuid}
          attributes: {name: String?}
          relationships:
            note: {destination: Note, optional: true, inverse: items}
            parent: {destination: Item, optional: true, inverse: children}
            children: {destination: Item, toMany: true, inverse: parent}
      """,
      """
      CREATE TABLE note(id NOT NULL PRIMARY KEY, name TEXT);
      CREATE TABLE item(id NOT NULL PRIMARY KEY, name TEXT, note_id REFERENCES note(id),
        parent_id REFERENCES item(id)) WITHOUT ROWID;
      INSERT INTO note VALUES (\(id), 'n');
      INSERT INTO item VALUES (x'01', 'a', \(id), NULL), (x'02', 'b', NULL, x'01'), (x'03', 'c', \(id), x'01');
      """)
  }

  private struct NoUUID: Error {}

  /// As a key is printed.
  private func written(_ uuid: UUID, _ storage: String) -> String {
    switch storage {
    case "compactText": compact(uuid)
    case "lowercaseText": uuid.uuidString.lowercased()
    default: uuid.uuidString
    }
  }

  @Test(arguments: ["text", "lowercaseText", "blob", "compactText"])
  func childrenReferToTheNewKey(storage: String) throws {
    let store = try store(storage)
    let graph = SQLiteGraph(store.writer, model: store.model)
    let copy = try Cloner().clone(object: graph.object("Note", key: ObjectKey([.uuid(Self.old)])))
    let key = copy.id.key.parts[0].description
    guard case .uuid(let uuid) = try copy.value("id") else { throw NoUUID() }
    #expect(key == written(uuid, storage))
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
    let kind = storage == "blob" ? "blob|16" : storage == "compactText" ? "text|32" : "text|36"
    #expect(try store.rows("SELECT typeof(id), length(id) FROM note") == [kind, kind])
    #expect(try store.rows("SELECT count(DISTINCT id), count(DISTINCT note_id) FROM item") == ["6|2"])
    #expect(
      try store.rows(
        "SELECT c.name, p.name, c.note_id IS n.id FROM item c LEFT JOIN item p ON p.id = c.parent_id "
          + "CROSS JOIN note n WHERE n.rowid = 2 AND c.name <> 'a' AND c.id NOT IN (x'02', x'03') ORDER BY 1")
        == ["b|a|0", "c|a|1"])
  }

  @Test(arguments: ["text", "lowercaseText", "blob", "compactText"])
  func threeCopiesHaveKeysOfTheirOwn(storage: String) throws {
    let store = try store(storage)
    let result = try store.clone("Note", ObjectKey([.uuid(Self.old)]), CloneRequest(count: 3))
    #expect(Set(result.roots).count == 3)
    #expect(try store.rows("SELECT count(*), count(DISTINCT note_id) FROM item") == ["12|4"])
  }

  @Test(
    "A key is found in either case in every form, also where it lies in a foreign key, and keeps its form")
  func keysInEitherCase() throws {
    for storage in ["text", "lowercaseText", "blob", "compactText"] {
      let id = text(Self.old, storage)
      let store = try StoreFixture(
        """
        store: {uuids: \(storage)}
        entities:
          Note:
            primaryKey: {column: id, generate: uuid}
            attributes: {id: UUID}
            relationships: {items: {destination: Item, toMany: true, inverse: note}}
          Item:
            primaryKey: [note_id, number]
            attributes: {number: Integer 64}
            relationships: {note: {destination: Note, inverse: items}}
        """,
        """
        CREATE TABLE note(id NOT NULL PRIMARY KEY);
        CREATE TABLE item(note_id NOT NULL REFERENCES note(id), number INTEGER, PRIMARY KEY (note_id, number));
        INSERT INTO note VALUES (\(id));
        INSERT INTO item VALUES (\(id), 7);
        """)
      let graph = SQLiteGraph(store.writer, model: store.model)
      let written = written(Self.old, storage)
      let compact = storage == "compactText" ? [compact(Self.old), compact(Self.old).uppercased()] : []
      for asked in [Self.old.uuidString, Self.old.uuidString.lowercased()] + compact {
        #expect(try self.store(storage).clone("Note", ObjectKey(text: asked)).cloned["Note"] == 1)
        #expect(try graph.object("Note", key: ObjectKey(text: asked)).id.key.description == written)
        #expect(
          try graph.object("Item", key: ObjectKey(text: asked + ",7")).id.key.description == written + ",7")
      }
      #expect(try graph.object("Note", key: ObjectKey([.uuid(Self.old)])).id.key.description == written)
      #expect(try graph.objects("Item").map(\.id.key.description) == [written + ",7"])
    }
  }

  @Test(
    "A store that writes keys in another case than the model says is read, and one UUID in two cases is told apart"
  )
  func keysInTwoCases() throws {
    let store = try store("text")
    try store.execute("DELETE FROM item; UPDATE note SET id = lower(id)")
    let graph = SQLiteGraph(store.writer, model: store.model)
    let lower = Self.old.uuidString.lowercased()
    #expect(try graph.object("Note", key: ObjectKey([.uuid(Self.old)])).id.key.description == lower)
    try store.execute("INSERT INTO note VALUES (upper('\(lower)'), 'other')")
    #expect(try graph.object("Note", key: ObjectKey(text: lower)).value("name") == "n")
    #expect(try graph.object("Note", key: ObjectKey(text: lower.uppercased())).value("name") == "other")
    let mixed = lower.replacing("6a0d", with: "6A0d")
    let error = #expect(throws: CloneError.self) { try graph.object("Note", key: ObjectKey(text: mixed)) }
    #expect(error?.code == .invalidKey && error?.description.contains("several objects") == true)
  }

  @Test func aKeyThatAnAttributeShowsAsAStringIsText() throws {
    let store = try StoreFixture(
      """
      store: {uuids: blob}
      entities:
        Note:
          primaryKey: {column: id, generate: uuid}
          attributes: {id: String}
      """,
      "CREATE TABLE note(id TEXT PRIMARY KEY); INSERT INTO note VALUES ('A')")
    let root = try store.clone("Note", "A").root
    #expect(try store.rows("SELECT typeof(id) FROM note") == ["text", "text"])
    let graph = SQLiteGraph(store.writer, model: store.model)
    #expect(try graph.value("id", of: root) == .string(root.key.description))
    let made = try graph.insert("Note")
    #expect(try graph.value("id", of: made.id) == .string(made.id.key.description))
  }

  @Test func aForeignKeyToAUniqueColumnTakesItsNewValue() throws {
    let store = try StoreFixture(
      """
      entities:
        Note:
          attributes:
            code: {type: UUID, userInfo: {rebuild: uuid}}
          uniquenessConstraints: [[code]]
          relationships:
            items: {destination: Item, toMany: true, inverse: note}
        Item:
          attributes: {name: String?}
          relationships:
            note: {destination: Note, optional: true, inverse: items, column: note_code, references: code}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_code TEXT REFERENCES note(code));
      INSERT INTO note VALUES (1, 'A0000000-0000-4000-8000-000000000000');
      INSERT INTO item VALUES (1, 'x', 'A0000000-0000-4000-8000-000000000000'), (2, 'y', NULL),
        (3, 'z', 'A0000000-0000-4000-8000-000000000000');
      """)
    try store.clone("Note", 1, CloneRequest(count: 2))
    #expect(
      try store.rows("SELECT i.id, i.name, n.id FROM item i JOIN note n ON n.code = i.note_code ORDER BY 1")
        == ["1|x|1", "3|z|1", "4|x|2", "5|z|2", "6|x|3", "7|z|3"])
    try store.clone("Item", 1)
    #expect(try store.rows("SELECT note_code IS (SELECT code FROM note) FROM item WHERE id = 8") == ["1"])
  }

  @Test func followersOfAKeyInAnotherForm() throws {
    let store = try StoreFixture(
      """
      store: {uuids: blob}
      entities:
        Note:
          primaryKey: {column: id, generate: uuid}
          attributes: {id: UUID}
          relationships: {items: {destination: Item, toMany: true, inverse: note}}
        Item:
          attributes:
            noteID: {type: UUID, optional: true, column: note_text, storage: lowercaseText,
              userInfo: {followParent: id, withoutParent: blank}}
          relationships: {note: {destination: Note, optional: true, inverse: items}}
      """,
      """
      CREATE TABLE note(id BLOB PRIMARY KEY);
      CREATE TABLE item(id INTEGER PRIMARY KEY, note_text TEXT, note_id BLOB REFERENCES note(id));
      INSERT INTO note VALUES (\(text(Self.old, "blob")));
      INSERT INTO item SELECT 1, \(text(Self.old, "lowercaseText")), id FROM note;
      """)
    try store.clone("Note", ObjectKey([.uuid(Self.old)]), CloneRequest(count: 2))
    #expect(
      try store.rows("SELECT lower(hex(note_id)) = replace(note_text, '-', ''), length(note_text) FROM item")
        == ["1|36", "1|36", "1|36"])
    #expect(try store.rows("SELECT count(DISTINCT note_id) FROM item") == ["3"])
    try store.clone("Item", 1)
    #expect(try store.rows("SELECT note_text FROM item WHERE id = 4") == ["-"])
  }

  @Test func aGeneratorThatRepeatsAKeyIsNamed() throws {
    let store = try StoreFixture(
      """
      entities:
        Note:
          primaryKey: {column: id, generate: uuid}
          attributes: {name: String}
      """,
      """
      CREATE TABLE note(id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
      INSERT INTO note VALUES (\(text(Self.old, "text")), 'n');
      """)
    let note = try SQLiteGraph(store.writer, model: store.model)
      .object("Note", key: ObjectKey([.uuid(Self.old)]))
    try Cloner(generator: .fixed()).clone(object: note)
    let error = try #require(throws: CloneError.self) { try Cloner(generator: .fixed()).clone(object: note) }
    #expect(error.code == .uniqueValue && "\(error)".contains("the generator gave the clone a value"))
    #expect(try store.rows("SELECT count(*) FROM note") == ["2"])
  }
}
