import GRDB
import MOCloneEngine
import MOCloneKit
import Testing

/// Rows that write one key in several ways, where the columns that hold it compare otherwise than the key does.
@Suite struct KeyNotationTests {
  /// - Parameters:
  ///   - key: the type of the keys.
  ///   - type: the type of the columns that refer to them.
  private func lists(key: String, type: String, generate: String, _ rows: String) throws -> StoreFixture {
    try StoreFixture(
      """
      entities:
        List:
          primaryKey: [{column: id\(generate)}]
          relationships:
            lines: {destination: Line, toMany: true, ordered: true, inverse: list, orderColumn: place}
            cover: {destination: Cover, optional: true, inverse: list}
            songs: {destination: Song, toMany: true, ordered: true, inverse: lists,
              joinTable: {table: pair, column: list, inverseColumn: song, orderColumn: place}}
        Line:
          attributes: {name: String}
          relationships:
            list: {destination: List, optional: true, inverse: lines}
            box: {destination: Box, optional: true, inverse: lines}
        Box: {relationships: {lines: {destination: Line, toMany: true, inverse: box}}}
        Cover: {relationships: {list: {destination: List, optional: true, inverse: cover, column: list_id}}}
        Song:
          primaryKey: [{column: id\(generate)}]
          relationships:
            lists: {destination: List, toMany: true, ordered: true, inverse: songs, orderColumn: song_place}
      """,
      """
      CREATE TABLE list(id \(key) PRIMARY KEY NOT NULL);
      CREATE TABLE box(id INTEGER PRIMARY KEY);
      CREATE TABLE line(id INTEGER PRIMARY KEY, name TEXT, place INTEGER, box_id INTEGER REFERENCES box(id),
        list_id \(type) REFERENCES list(id));
      CREATE TABLE cover(id INTEGER PRIMARY KEY, list_id \(type) REFERENCES list(id));
      CREATE TABLE song(id \(key) PRIMARY KEY NOT NULL);
      CREATE TABLE pair(list \(type) REFERENCES list(id), song \(type) REFERENCES song(id), place, song_place);
      INSERT INTO box VALUES (1);
      \(rows)
      """)
  }

  private func texts() throws -> StoreFixture {
    try lists(
      key: "TEXT COLLATE NOCASE", type: "TEXT", generate: ", generate: uuid",
      """
      INSERT INTO list VALUES ('Ab'), ('x');
      INSERT INTO line VALUES (1, 'a', 2, 1, 'Ab'), (2, 'b', 1, 1, 'ab'), (3, 'c', 3, NULL, 'AB');
      INSERT INTO cover VALUES (1, 'aB'), (2, NULL);
      INSERT INTO song VALUES ('S'), ('T');
      INSERT INTO pair VALUES ('ab', 's', 2, 1), ('AB', 'T', 1, 5), ('X', 'S', 1, 2);
      """)
  }

  private func numbers(_ type: String) throws -> StoreFixture {
    try lists(
      key: "INTEGER", type: type, generate: "",
      """
      INSERT INTO list VALUES (1), (2);
      INSERT INTO line VALUES (1, 'a', 2, 1, '1'), (2, 'b', 1, 1, '01'), (3, 'c', 3, NULL, 1);
      INSERT INTO cover VALUES (1, '01'), (2, NULL);
      INSERT INTO song VALUES (1), (2);
      INSERT INTO pair VALUES ('01', '1', 2, 1), ('1', '2', 1, 5), ('2', '01', 1, 2);
      """)
  }

  private func lines(_ store: StoreFixture) throws -> [String] {
    try store.rows(
      "SELECT name FROM line WHERE lower(list_id) IN ('ab', '1', '01') ORDER BY place, id")
  }

  @Test func clonesJoinTheEndOfAListInTheOrderOfTheirOriginals() throws {
    for store in [try texts(), try numbers("TEXT"), try numbers("")] {
      try store.clone("Box", 1)
      #expect(try lines(store) == ["b", "a", "c", "b", "a"])
    }
  }

  @Test func aGivenListGainsTheCloneAtItsEnd() throws {
    for (store, key) in [(try texts(), "aB"), (try numbers("TEXT"), "1"), (try numbers(""), "1")] {
      try store.clone("Line", 1, CloneRequest(count: 2, set: ["list": .string(key)]))
      #expect(try lines(store) == ["b", "a", "c", "a", "a"])
    }
  }

  @Test func aRelatedObjectThatWritesTheKeyOtherwiseIsNotTakenAway() throws {
    for (store, key) in [(try texts(), "AB"), (try numbers("TEXT"), "1"), (try numbers(""), "1")] {
      let error = try store.refusal("Cover", 2, CloneRequest(set: ["list": .string(key)]))
      #expect(error?.code == .uniqueValue)
    }
  }

  @Test func theListsOfPairsKeepTheirOrder() throws {
    for (store, key, songs) in [
      (try texts(), ObjectKey(["Ab"]), ["1|T|6", "2|s|3"]),
      (try numbers("TEXT"), 1, ["1|2|6", "2|1|3"]), (try numbers(""), 1, ["1|2|6", "2|1|3"]),
    ] {
      let made = try store.clone("List", key).root
      let pairs = try store.rows(
        "SELECT place, song, song_place FROM pair WHERE CAST(list AS TEXT) = '\(made.key)' ORDER BY place")
      #expect(pairs == songs)
    }
  }

  /// A query of a set compares columns with each other, one of a single object compares them with its key.
  @Test func manyObjectsAreReadAsEachOfThem() throws {
    for store in [try texts(), try numbers("TEXT"), try numbers(""), try numbers("INTEGER")] {
      let graph = SQLiteGraph(store.writer, model: store.model)
      for entity in graph.model.entities {
        let objects = try graph.objectIDs(entity.name)
        for relationship in entity.relationships {
          let each = try objects.map { try graph.destinations(relationship.name, of: $0) }
          #expect(
            try graph.destinations(relationship.name, ofAll: objects) == each,
            "\(relationship.qualifiedName)")
        }
      }
    }
  }

  /// Small closures are found by parameters, which compare as no column does.
  @Test func pairsAreFoundRowByRowAsByTheKey() throws {
    for type in ["TEXT", "", "INTEGER"] {
      let store = try StoreFixture(
        """
        entities:
          Note: {relationships: {tags: {destination: Tag, toMany: true, inverse: notes}}}
          Tag: {relationships: {notes: {destination: Note, toMany: true, inverse: tags}}}
        """,
        """
        CREATE TABLE note(id INTEGER PRIMARY KEY);
        CREATE TABLE tag(id INTEGER PRIMARY KEY);
        CREATE TABLE note_tag(note_id \(type) REFERENCES note(id), tag_id \(type) REFERENCES tag(id));
        CREATE INDEX note_tag_note ON note_tag(note_id);
        CREATE INDEX note_tag_tag ON note_tag(tag_id);
        INSERT INTO note VALUES (1), (2);
        INSERT INTO tag VALUES (1), (2), (3);
        INSERT INTO note_tag VALUES (1, 1), ('1', '2'), ('01', '3'), (2, 3);
        """)
      for key in 1...3 { try store.clone("Tag", ObjectKey([.integer(Int64(key))])) }
      try store.clone("Note", 1)
      let tags = "SELECT CAST(tag_id AS INTEGER) FROM note_tag WHERE CAST(note_id AS INTEGER) = 3 ORDER BY 1"
      #expect(try store.rows(tags) == ["1", "2", "3", "4", "5", "6"], "columns of type '\(type)'")
    }
  }

  @Test func columnsThatIgnoreCaseFindNoRowsOfOtherKeysRowByRow() throws {
    let store = try StoreFixture(
      """
      entities:
        Note:
          primaryKey: [{column: id, generate: uuid}]
          relationships:
            items: {destination: Item, toMany: true, inverse: note}
            tags: {destination: Tag, toMany: true, inverse: notes}
        Item: {relationships: {note: {destination: Note, optional: true, inverse: items}}}
        Tag: {relationships: {notes: {destination: Note, toMany: true, inverse: tags}}}
      """,
      """
      CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE item(id INTEGER PRIMARY KEY, note_id TEXT COLLATE NOCASE REFERENCES note(id));
      CREATE INDEX item_note ON item(note_id COLLATE BINARY);
      CREATE TABLE tag(id INTEGER PRIMARY KEY);
      CREATE TABLE note_tag(note_id TEXT COLLATE NOCASE REFERENCES note(id), tag_id INTEGER REFERENCES tag(id));
      CREATE INDEX note_tag_note ON note_tag(note_id COLLATE BINARY);
      INSERT INTO note VALUES ('a'), ('A');
      INSERT INTO item VALUES (1, 'a'), (2, 'A');
      INSERT INTO tag VALUES (1), (2);
      INSERT INTO note_tag VALUES ('a', 1), ('A', 2);
      """)
    let made = try store.clone("Note", ObjectKey(["a"]))
    #expect(made.cloned == ["Note": 1, "Item": 1])
    #expect(made.linked == ["Tag": 1])
  }
}
