import MOCloneKit
import TestSupport
import Testing

/// What the database counts and the model does not name, nothing refers to.
@Suite("Keys that no model names")
struct UnnamedKeyTests {
  private func store(_ key: String, _ rows: String) throws -> StoreFixture {
    try StoreFixture(
      SharedModel.pairs,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE pair(id \(key), note INTEGER NOT NULL REFERENCES note, tag INTEGER NOT NULL REFERENCES tag, weight REAL,
        UNIQUE (note, tag));
      CREATE INDEX pair_tag ON pair(tag);
      INSERT INTO note VALUES (1, 'n'), (2, 'o');
      INSERT INTO tag VALUES (1, 'a'), (2, 'b');
      INSERT INTO pair VALUES \(rows);
      """)
  }

  @Test(
    "Many-to-many: numbers go on, in the order of the originals', for each copy",
    arguments: ["INTEGER PRIMARY KEY", "INT NOT NULL PRIMARY KEY"])
  func numbers(key: String) throws {
    let store = try store(key, "(10, 1, 2, 0.5), (11, 1, 1, 2.5), (20, 2, 1, NULL)")
    try store.clone("Note", 1)
    #expect(
      try store.rows("SELECT * FROM pair WHERE note > 2 ORDER BY id") == ["21|3|2|0.5", "22|3|1|2.5"])
    try store.clone("Note", 1, CloneRequest(count: 2))
    #expect(
      try store.rows("SELECT id, note, tag FROM pair WHERE note > 3 ORDER BY id")
        == ["23|4|2", "24|4|1", "25|5|2", "26|5|1"])
  }

  @Test("Many-to-many: UUIDs are made anew, in the form of the originals'", arguments: ["TEXT", "BLOB"])
  func uuids(type: String) throws {
    let id = { (number: Int) in
      type == "TEXT"
        ? "'A0000000-0000-4000-8000-00000000000\(number)'" : "x'A000000000004000800000000000000\(number)'"
    }
    let store = try store("\(type) NOT NULL PRIMARY KEY", "(\(id(1)), 1, 2, 0.5), (\(id(2)), 1, 1, 2.5)")
    try store.clone("Note", 1)
    try store.clone("Note", 1, CloneRequest(count: 2))
    #expect(
      try store.rows("SELECT note, tag, weight FROM pair WHERE note > 2 ORDER BY note, tag")
        == [3, 4, 5].flatMap { ["\($0)|1|2.5", "\($0)|2|0.5"] })
    let length = type == "TEXT" ? 36 : 16
    #expect(
      try store.rows("SELECT count(DISTINCT id), typeof(id), length(id) FROM pair GROUP BY 2, 3")
        == ["8|\(type.lowercased())|\(length)"])
  }

  private static let note = "'A0000000-0000-4000-8000-000000000001'"

  /// Notes that the model knows by their UUID, beside which SQLite counts.
  private func notes(_ rows: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        Note:
          primaryKey: [{column: uuid, generate: uuid}]
          attributes: {name: String}
          relationships: {items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}}
        Item:
          primaryKey: [{column: uuid, generate: uuid}]
          attributes: {name: String}
          relationships: {note: {destination: Note, inverse: items}}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
      CREATE TABLE item(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
        note_id NOT NULL REFERENCES note(uuid));
      CREATE INDEX item_note ON item(note_id);
      \(rows)
      """)
  }

  private static let names =
    "SELECT n.id, n.name, i.id, i.name FROM note n JOIN item i ON i.note_id = n.uuid ORDER BY n.id, i.id"

  @Test("Numbers of rows beside a key are counted anew in clones and copies")
  func besideAKey() throws {
    let rows =
      "INSERT INTO note VALUES (1, \(Self.note), 'n'); INSERT INTO item VALUES (7, 'i', 'a', \(Self.note));"
    let source = try notes(rows)
    let target = try notes(
      "INSERT INTO note VALUES (1, 'x', 'x'); INSERT INTO item VALUES (7, 'y', 'y', 'x');")
    try SQLiteGraph(target.writer, model: target.model).copy(
      from: SQLiteGraph(source.writer, model: source.model),
      CopyRequest(identifiedBy: ["Note": ["name"], "Item": ["name"]]))
    #expect(try target.rows(Self.names) == ["1|x|7|y", "2|n|8|a"])
    try source.clone("Note", ObjectKey(text: "A0000000-0000-4000-8000-000000000001"))
    #expect(try source.rows(Self.names) == ["1|n|7|a", "2|n|8|a"])
  }
}
