import MOCloneKit
import TestSupport
import Testing

/// Triggers that remove rows while clones are written, and values that only the model keeps unique.
@Suite struct VanishedRowTests {
  static let tables = """
    CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
    CREATE INDEX i ON item(note_id);
    INSERT INTO note VALUES (1, 'a');
    INSERT INTO item VALUES (1, 'x', 1), (2, 'y', 1);
    """

  @Test(arguments: [
    "AFTER INSERT ON item BEGIN DELETE FROM item WHERE id = new.id AND new.name = 'y'; END",
    "AFTER INSERT ON item BEGIN DELETE FROM item WHERE id = new.id - 1 AND id > 2; END",
    "AFTER INSERT ON item BEGIN DELETE FROM note WHERE id > 1; END",
  ])
  func aCloneThatATriggerDeletesIsNoticed(trigger: String) throws {
    let store = try StoreFixture(SharedModel.notes, Self.tables + "CREATE TRIGGER t \(trigger);")
    #expect(try store.refusal("Note", 1)?.code == .rowCount)
  }

  @Test(arguments: ["1", "NULL"])
  func aCloneThatATriggerGivesAnotherDestinationIsNoticed(destination: String) throws {
    let store = try StoreFixture(
      SharedModel.notes,
      Self.tables
        + "CREATE TRIGGER t AFTER INSERT ON item BEGIN UPDATE item SET note_id = \(destination) WHERE id = new.id; END;"
    )
    let error = try store.refusal("Note", 1)
    #expect(error?.code == .rowCount)
    #expect(error?.failures.first?.object == ObjectID("Item", key: 1))
    #expect(error?.failures.first?.property == "note")
    #expect(try store.rows("SELECT count(*) FROM item") == ["2"])
  }

  @Test func aKeyThatATriggerTakesIsToldAsThat() throws {
    let store = try StoreFixture(
      SharedModel.notes,
      Self.tables
        + "CREATE TRIGGER t AFTER INSERT ON note BEGIN INSERT INTO item(name, note_id) VALUES ('new', new.id); END;"
    )
    let error = try store.refusal("Note", 1)
    #expect(error?.code == .uniqueValue)
    #expect(
      "\(error!)".contains("a trigger of the store or another writer inserts rows into the table 'item'"))
  }

  @Test func aReferenceThatTheInsertsOfOthersMoveIsPutRight() throws {
    let store = try StoreFixture(
      """
      entities:
        Note:
          attributes: {name: String?}
          relationships:
            items: {destination: Item, toMany: true, inverse: note}
            last: {destination: Item, optional: true}
        Item:
          attributes: {name: String?}
          relationships: {note: {destination: Note, optional: true, inverse: items}}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, last_id INTEGER);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
      CREATE INDEX i ON item(note_id);
      CREATE TRIGGER t AFTER INSERT ON item BEGIN UPDATE note SET last_id = new.id WHERE id = new.note_id; END;
      INSERT INTO note VALUES (1, 'a', NULL);
      INSERT INTO item VALUES (1, 'x', 1), (2, 'y', 1);
      UPDATE note SET last_id = 1;
      """)
    try store.clone("Note", 1)
    #expect(
      try store.rows("SELECT i.name FROM note n JOIN item i ON i.id = n.last_id AND i.note_id = n.id") == [
        "x", "x",
      ])
  }

  @Test func aTriggerThatDeletesOtherRowsIsLeftAlone() throws {
    let store = try StoreFixture(
      SharedModel.notes,
      Self.tables + """
        CREATE TABLE cache(note_id INTEGER);
        INSERT INTO cache VALUES (1);
        CREATE TRIGGER t AFTER INSERT ON item BEGIN DELETE FROM cache; END;
        """)
    #expect(try store.clone("Note", 1).cloned == ["Note": 1, "Item": 2])
    #expect(try store.rows("SELECT count(*) FROM cache") == ["0"])
  }

  @Test func aUniqueValueIsRefusedWhereOnlyTheModelKeepsIt() throws {
    let model = SharedModel.notes.replacing("Item:\n", with: "Item:\n    uniquenessConstraints: [[name]]\n")
    let store = try StoreFixture(model, Self.tables)
    let error = try store.refusal("Note", 1)
    #expect(error?.code == .uniqueValue)
    #expect(error?.failures.first?.object == ObjectID("Item", key: 1))
    try store.execute("UPDATE item SET name = NULL")
    #expect(try store.clone("Note", 1).cloned["Item"] == 2)
    #expect(
      try store.clone("Note", 1, CloneRequest(exclude: ["Item.name"])).cloned == ["Note": 1, "Item": 2])
  }
}
