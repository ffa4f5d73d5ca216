import MOCloneKit
import TestSupport
import Testing

/// Keys that are SQLite's row numbers.
@Suite struct RowidKeyTests {
  private func folders(_ key: String, _ rows: String) throws -> StoreFixture {
    try StoreFixture(
      SharedModel.tree(),
      "CREATE TABLE folder(id \(key), name TEXT, parent_id INTEGER REFERENCES folder(id));" + rows)
  }

  @Test func keysAscendByGenerationThenByParentThenByOriginal() throws {
    let store = try folders(
      "INTEGER PRIMARY KEY",
      """
      INSERT INTO folder VALUES (9, 'root', NULL), (5, 'b', 9), (7, 'a', 9), (1, 'a1', 7), (2, 'b1', 5),
        (3, 'b2', 5), (4, 'a1x', 1), (40, 'other', NULL);
      """)
    let result = try store.clone("Folder", 9)
    #expect(result.root.key == 41)
    #expect(
      try store.rows("SELECT * FROM folder WHERE id > 40 ORDER BY id")
        == ["41|root|-", "42|b|41", "43|a|41", "44|b1|42", "45|b2|42", "46|a1|43", "47|a1x|46"])
  }

  @Test func autoincrementNeverUsesANumberAgain() throws {
    let store = try folders(
      "INTEGER PRIMARY KEY AUTOINCREMENT",
      "INSERT INTO folder VALUES (1, 'a', NULL), (2, 'b', 1), (30, 'c', NULL); DELETE FROM folder WHERE id = 30"
    )
    #expect(try store.clone("Folder", 1, CloneRequest(count: 2)).roots.map(\.key) == [31, 33])
    #expect(try store.rows("SELECT seq FROM sqlite_sequence") == ["34"])
    try store.execute("INSERT INTO folder(name) VALUES ('next')")
    #expect(try store.rows("SELECT max(id) FROM folder") == ["35"])
  }

  @Test func autoincrementWithoutASequenceCountsFromTheGreatest() throws {
    let store = try folders("INTEGER PRIMARY KEY AUTOINCREMENT", "INSERT INTO folder VALUES (8, 'a', NULL)")
    try store.execute("DELETE FROM sqlite_sequence")
    #expect(try store.clone("Folder", 8).root.key == 9)
  }

  @Test(arguments: ["INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT"])
  func noRoomAboveTheGreatestNumberIsRefused(key: String) throws {
    let store = try folders(
      key, "INSERT INTO folder VALUES (1, 'a', NULL), (2, 'b', 1), (9223372036854775806, 'last', NULL)")
    #expect(try store.refusal("Folder", 1)?.code == .noRoomForKeys)
    #expect(try store.refusal("Folder", 2, CloneRequest(count: 2))?.code == .noRoomForKeys)
    let graph = SQLiteGraph(store.writer, model: store.model)
    let error = #expect(throws: CloneError.self) {
      let plan = try ClonePlan(model: store.model, entity: "Folder", request: CloneRequest(count: 2))
      _ = try graph.preview(plan, roots: [ObjectID("Folder", key: 2)])
    }
    #expect(error?.code == .noRoomForKeys)
    #expect(try store.clone("Folder", 2).root.key == ObjectKey([.integer(.max)]))
    #expect(try store.refusal("Folder", 2)?.code == .noRoomForKeys)
  }

  @Test func negativeNumbersAreFollowedByOne() throws {
    let store = try folders("INTEGER PRIMARY KEY", "INSERT INTO folder VALUES (-7, 'a', NULL), (-3, 'b', -7)")
    #expect(try store.clone("Folder", -7).root.key == 1)
    #expect(try store.rows("SELECT * FROM folder WHERE id > 0 ORDER BY id") == ["1|a|-", "2|b|1"])
  }

  @Test func theRowNumberOfATableWithoutAPrimaryKey() throws {
    let store = try StoreFixture(
      """
      store: {primaryKey: rowid}
      entities:
        Note:
          attributes: {name: String?}
          relationships: {items: {destination: Item, toMany: true, inverse: note}}
        Item:
          relationships: {note: {destination: Note, optional: true, inverse: items}}
      """,
      """
      CREATE TABLE note(name TEXT);
      CREATE TABLE item(note_id INTEGER);
      INSERT INTO note VALUES ('a'), ('b');
      INSERT INTO item VALUES (2), (1), (2);
      """)
    #expect(try store.clone("Note", 2).root.key == 3)
    #expect(try store.rows("SELECT rowid, * FROM item WHERE rowid > 3") == ["4|3", "5|3"])
  }

  @Test func followersOfAnAttributeOnTheRowNumber() throws {
    let store = try StoreFixture(
      """
      entities:
        Note:
          attributes: {number: {type: Integer 64, column: id}}
          relationships: {items: {destination: Item, toMany: true, inverse: note}}
        Item:
          attributes:
            number: {type: Integer 64, column: note_number, userInfo: {followParent: Note.number, withoutParent: keep}}
          relationships:
            note: {destination: Note, optional: true, inverse: items}
            parts: {destination: Part, toMany: true, inverse: item}
        Part:
          attributes:
            number: {type: Integer 64, column: note_number, userInfo: {followParent: Note.number, withoutParent: keep}}
          relationships: {item: {destination: Item, inverse: parts}}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY);
      CREATE TABLE item(id INTEGER PRIMARY KEY, note_number INTEGER, note_id INTEGER REFERENCES note(id));
      CREATE TABLE part(id INTEGER PRIMARY KEY, note_number INTEGER, item_id INTEGER NOT NULL REFERENCES item(id));
      INSERT INTO note VALUES (3), (8);
      INSERT INTO item VALUES (1, 3, 3), (2, 3, 3);
      INSERT INTO part VALUES (1, 3, 1), (2, 3, 2);
      """)
    try store.clone("Note", 3, CloneRequest(count: 3))
    #expect(
      try store.rows("SELECT note_number, note_id, count(*) FROM item WHERE id > 2 GROUP BY 1, 2")
        == ["9|9|2", "10|10|2", "11|11|2"])
    #expect(
      try store.rows(
        "SELECT p.note_number, i.note_id FROM part p JOIN item i ON i.id = p.item_id WHERE p.id > 2 ORDER BY p.id"
      ) == ["9|9", "9|9", "10|10", "10|10", "11|11", "11|11"])
    try store.clone("Item", 1)
    #expect(try store.rows("SELECT note_number FROM part ORDER BY id DESC LIMIT 1") == ["3"])
  }
}
