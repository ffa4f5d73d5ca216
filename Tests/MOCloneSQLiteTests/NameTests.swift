import GRDB
import MOCloneKit
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
      RowidKeyTests.tree,
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
      RowidKeyTests.tree,
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
}
