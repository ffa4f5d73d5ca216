import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Names that SQL reads as something else.
@Suite struct NameTests {
  static let names = [
    "select", "a b", "it's", "say \"so\"", ":key0", "?1", "größe", "日本", "a.b", "[x]", "`y`", "-- z", "m",
    "s", "seq",
    "100%", "a, b", "no: such",
  ]

  private func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  private func yaml(_ name: String) -> String {
    "'" + name.replacing("'", with: "''") + "'"
  }

  /// SQLite has no schemas, so that one model is of a server and of files.
  @Test func theSchemaOfTheStoreIsNoPartOfTheNameOfATable() throws {
    let store = try StoreFixture(
      """
      store: {schema: app}
      entities:
        Customer:
          attributes: {name: String}
          relationships: {tags: {destination: Tag, toMany: true, inverse: customers}}
        Tag:
          table: app.tags
          attributes: {name: String}
          relationships: {customers: {destination: Customer, toMany: true, inverse: tags}}
        Place: {table: other.place, attributes: {name: String}}
      """,
      """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE tags(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE customer_tag(
        customer_id INTEGER NOT NULL, tag_id INTEGER NOT NULL, PRIMARY KEY (customer_id, tag_id));
      CREATE TABLE "other.place"(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      INSERT INTO customer VALUES (1, 'a'); INSERT INTO tags VALUES (1, 'x');
      INSERT INTO customer_tag VALUES (1, 1); INSERT INTO "other.place" VALUES (1, 'here');
      """)
    let graph = SQLiteGraph(store.writer, model: store.model)
    try Cloner().clone("Customer", keys: [1], in: graph)
    #expect(try store.rows("SELECT customer_id, tag_id FROM customer_tag ORDER BY 1") == ["1|1", "2|1"])
    let made = try SQLiteGraph.temporary(store.model)
    #expect(try made.copy(from: graph).created == ["Customer": 2, "Tag": 1, "Place": 1])
  }

  @Test(arguments: names)
  func everyPlaceOfAName(name: String) throws {
    let child = name + " child"
    let join = name + " join"
    let store = try StoreFixture(
      """
      store: {primaryKey: \(yaml(name + " key"))}
      entities:
        Note:
          table: \(yaml(name))
          attributes: {text: {type: String, column: \(yaml(name))}}
          relationships:
            items: {destination: Item, toMany: true, ordered: true, inverse: note, orderColumn: \(yaml(name + " o"))}
            tags: {destination: Item, toMany: true, inverse: notes,
              joinTable: {table: \(yaml(join)), column: \(yaml(name)), inverseColumn: \(yaml(name + "2"))}}
        Item:
          table: \(yaml(child))
          attributes: {text: {type: String, column: \(yaml(name + " t")), userInfo: {followParent: text, withoutParent: keep}}}
          relationships:
            note: {destination: Note, optional: true, inverse: items, column: \(yaml(name))}
            notes: {destination: Note, toMany: true, inverse: tags}
      """,
      """
      CREATE TABLE \(quoted(name))(\(quoted(name + " key")) INTEGER PRIMARY KEY, \(quoted(name)) TEXT UNIQUE);
      CREATE TABLE \(quoted(child))(\(quoted(name + " key")) INTEGER PRIMARY KEY, \(quoted(name + " t")) TEXT,
        \(quoted(name)) INTEGER REFERENCES \(quoted(name)), \(quoted(name + " o")) INTEGER);
      CREATE TABLE \(quoted(join))(\(quoted(name)) INTEGER, \(quoted(name + "2")) INTEGER);
      INSERT INTO \(quoted(name)) VALUES (1, 'a');
      INSERT INTO \(quoted(child)) VALUES (1, 'a', 1, 2), (2, 'a', 1, 1);
      INSERT INTO \(quoted(join)) VALUES (1, 2), (1, 1);
      """)
    try store.clone("Note", 1, CloneRequest(set: ["text": "b"]))
    #expect(
      try store.rows("SELECT * FROM \(quoted(child)) WHERE 1 ORDER BY 1") == [
        "1|a|1|2", "2|a|1|1", "3|b|2|2", "4|b|2|1",
      ])
    #expect(try store.rows("SELECT * FROM \(quoted(join)) ORDER BY 1, 2") == ["1|1", "1|2", "2|3", "2|4"])
    #expect(try store.refusal("Note", 1)?.failures.first?.property == "text")
  }

  @Test func aTemporaryTableOfTheSameNameIsLeftAlone() throws {
    let store = try StoreFixture(
      SharedModel.tree(),
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES folder(id));
      INSERT INTO folder VALUES (1, 'a', NULL), (2, 'b', 1);
      """)
    try store.writer.write { db in
      try db.execute(
        sql:
          "CREATE TEMP TABLE folder(id INTEGER PRIMARY KEY, other); INSERT INTO temp.folder VALUES (500, 1)")
      try Cloner().clone("Folder", key: 1, in: db, model: store.model)
      #expect(try db.texts("SELECT * FROM main.folder") == ["1|a|-", "2|b|1", "3|a|-", "4|b|3"])
      #expect(try db.texts("SELECT * FROM temp.folder") == ["500|1"])
    }
  }

  @Test func anAttachedDatabaseIsLeftAlone() throws {
    let store = try StoreFixture(
      SharedModel.tree(),
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, parent_id INTEGER REFERENCES folder(id));
      INSERT INTO folder VALUES (1, 'a', NULL), (2, 'b', 1);
      """)
    try store.writer.writeWithoutTransaction { db in
      try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.folder(id, name)")
    }
    try store.clone("Folder", 1)
    #expect(try store.rows("SELECT count(*) FROM other.folder") == ["0"])
    #expect(try store.rows("SELECT count(*) FROM main.folder") == ["4"])
  }

  @Test("Columns and tables that differ in a letter beyond ASCII are two, and A and a are one")
  func lettersBeyondASCII() throws {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    let store = try StoreFixture(
      """
      entities:
        Note:
          table: NOTE
          attributes:
            upper: {type: String, column: Größe, userInfo: {exclude: ''}, default: new}
            lower: {type: String, column: GRÖSSE}
            large: {type: String, column: ÄPFEL}
            small: {type: String, column: äpfel, userInfo: {exclude: ''}, default: new}
            one: {type: String, column: \(composed)}
            two: {type: String, column: \(decomposed)}
          relationships:
            items: {destination: Item, toMany: true, inverse: note}
            parts: {destination: Part, toMany: true, inverse: note}
        Item:
          table: ÉTAPE
          attributes: {name: String}
          relationships: {note: {destination: Note, inverse: items}}
        Part:
          table: étape
          attributes: {name: String}
          relationships: {note: {destination: Note, inverse: parts}}
      """,
      """
      CREATE TABLE note(ID INTEGER PRIMARY KEY, größE TEXT, grÖSSE TEXT, äPFEL TEXT, ÄPFEL TEXT,
        \(composed) TEXT, \(decomposed) TEXT UNIQUE);
      CREATE TABLE ÉTAPE(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
      CREATE TABLE étape(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
      INSERT INTO note(größe, grÖsse, äpfel, Äpfel, \(composed)) VALUES ('1', '2', '3', '4', '5');
      INSERT INTO ÉTAPE VALUES (1, 'item', 1);
      INSERT INTO étape VALUES (1, 'part', 1), (2, 'part', 1);
      """)
    #expect(try store.clone("Note", 1).cloned == ["Note": 1, "Item": 1, "Part": 2])
    #expect(try store.rows("SELECT * FROM note") == ["1|1|2|3|4|5|-", "2|new|2|new|4|5|-"])
    #expect(try store.rows("SELECT count(*) FROM ÉTAPE") == ["2"])
    #expect(try store.rows("SELECT count(*) FROM étape") == ["4"])
    let made = try makeStore(store.model)
    #expect(try made.read { try $0.columns(in: "note").count } == 7)
  }
}
