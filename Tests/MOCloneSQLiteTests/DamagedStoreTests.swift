import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Stores that a hand or another program left in an odd state.
@Suite struct DamagedStoreTests {
  @Test func columnsOfAnotherAffinityHoldTheSameValues() throws {
    let store = try StoreFixture(
      SharedModel.notes,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name INTEGER);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name, note_id TEXT);
      INSERT INTO note VALUES (1, 'a'), (2, '007');
      INSERT INTO item VALUES (1, 1.0, '1'), (2, x'31', '1'), (3, '1', 1), (4, 9007199254740993, '2');
      """)
    try store.clone("Note", 1)
    try store.clone("Note", 2)
    #expect(
      try store.rows("SELECT name, typeof(name), note_id FROM item WHERE id > 4 ORDER BY id")
        == ["1.0|real|3", "31|blob|3", "1|text|3", "9007199254740993|integer|4"])
  }

  @Test func rowsThatReferToNothingAreNotReached() throws {
    let store = try StoreFixture(
      SharedModel.notes,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
      INSERT INTO note VALUES (1, 'a');
      INSERT INTO item VALUES (1, 'x', 1), (2, 'y', 99), (3, 'z', NULL);
      """)
    #expect(try store.clone("Note", 1).cloned == ["Note": 1, "Item": 1])
    try store.clone("Item", 2)
    #expect(try store.rows("SELECT name, note_id FROM item WHERE id > 3") == ["x|2", "y|99"])
  }

  @Test func aViewIsNoTable() throws {
    let store = try StoreFixture(
      SharedModel.notes,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
      CREATE VIEW item AS SELECT 1 AS id, 'x' AS name, 1 AS note_id;
      INSERT INTO note VALUES (1, 'a');
      """)
    #expect(try store.refusal("Note", 1)?.code == .storeMismatch)
  }

  @Test func tablesAreFoundInAnyCase() throws {
    let store = try StoreFixture(
      SharedModel.notes,
      """
      CREATE TABLE NOTE(ID INTEGER PRIMARY KEY AUTOINCREMENT, NAME TEXT);
      CREATE TABLE Item(Id INTEGER PRIMARY KEY, Name TEXT, Note_Id INTEGER REFERENCES note);
      INSERT INTO note VALUES (5, 'a');
      DELETE FROM note;
      INSERT INTO note VALUES (1, 'a');
      INSERT INTO item VALUES (1, 'x', 1);
      """)
    #expect(try store.clone("Note", 1).root.key == 6)
    #expect(try store.rows("SELECT note_id FROM item") == ["1", "6"])
  }

  @Test func checksAndRequiredColumnsAreNamed() throws {
    let store = try StoreFixture(
      SharedModel.notes,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name <> 'b'));
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
      INSERT INTO note VALUES (1, 'a');
      """)
    #expect(try store.refusal("Note", 1, CloneRequest(set: ["name": "b"]))?.code == .constraintFailed)
    let error = try store.refusal("Note", 1, CloneRequest(unset: ["name"]))
    #expect(error?.code == .constraintFailed)
    #expect(error?.failures.first?.property == "name")
  }

  @Test func aUniqueIndexOnAnExpressionOrAPartIsRefused() throws {
    for index in ["note(lower(name))", "note(name) WHERE name > ''"] {
      let store = try StoreFixture(
        SharedModel.notes,
        """
        CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
        CREATE UNIQUE INDEX u ON \(index);
        INSERT INTO note VALUES (1, 'a');
        """)
      #expect(try store.refusal("Note", 1)?.code == .uniqueValue)
      try store.clone("Note", 1, CloneRequest(set: ["name": "b"]))
    }
  }

  @Test func aTriggerThatWritesIntoAClonedTable() throws {
    let store = try StoreFixture(
      SharedModel.notes,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER REFERENCES note(id));
      INSERT INTO note VALUES (1, 'a');
      INSERT INTO item VALUES (1, 'x', 1), (2, 'y', 1);
      CREATE TRIGGER t AFTER INSERT ON note BEGIN INSERT INTO item(name, note_id) VALUES ('first', new.id); END;
      """)
    // The row of the trigger takes a number that was meant for a clone: whatever happens, nothing is lost or mixed.
    let before = try store.contents()
    do {
      try store.clone("Note", 1)
      #expect(
        try store.rows("SELECT name FROM item WHERE note_id = 2 ORDER BY name") == ["first", "x", "y"])
    } catch let error as CloneError {
      #expect([.uniqueValue, .constraintFailed, .rowCount].contains(error.code))
      #expect(try store.contents() == before)
    }
  }

  @Test func aTriggerThatDeletesTheOriginalRowIsTheStoresOwn() throws {
    let store = try StoreFixture(
      SharedModel.notes,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
      INSERT INTO note VALUES (1, 'a');
      INSERT INTO item VALUES (1, 'x', 1), (2, 'y', 1);
      CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM item WHERE id = 2; END;
      """)
    #expect(try store.refusal("Note", 1)?.code == .rowCount)
  }

  private static let oneNote = """
    CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
    INSERT INTO note VALUES (1, 'a');
    INSERT INTO item VALUES (1, 'x', 1), (2, 'y', 1);
    """

  @Test func aTriggerThatRollsBackEverything() throws {
    let store = try StoreFixture(SharedModel.notes, Self.oneNote)
    try store.execute("CREATE TRIGGER t BEFORE INSERT ON item BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
    #expect(try store.refusal("Note", 1)?.code == .constraintFailed)
    try store.execute("DROP TRIGGER t")
    try store.clone("Note", 1)
  }

  @Test func aStoreWithoutRoomIsAsItWas() throws {
    let store = try StoreFixture(SharedModel.notes, Self.oneNote)
    try store.execute(
      "WITH RECURSIVE c(n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM c WHERE n < 2000) "
        + "INSERT INTO item SELECT n, 'x', 1 FROM c")
    let pages = try store.rows("PRAGMA page_count")[0]
    try store.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA max_page_count = \(pages)")
    }
    #expect(try store.refusal("Note", 1)?.code == .storeFull)
    try store.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA max_page_count = 100000")
    }
    #expect(try store.clone("Note", 1).cloned["Item"] == 2000)
  }

  @Test(arguments: ["TRIGGER", "TEMP TRIGGER"])
  func aTriggerKeepsItsOwnConflictClause(kind: String) throws {
    let store = try StoreFixture(SharedModel.notes, Self.oneNote)
    try store.execute(
      """
      CREATE TABLE seen(name TEXT PRIMARY KEY, times INTEGER);
      INSERT INTO seen VALUES ('x', 1);
      CREATE \(kind) t AFTER INSERT ON item BEGIN INSERT OR IGNORE INTO seen VALUES (new.name, 7); END;
      """)
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT * FROM seen") == ["x|1", "y|7"])
  }

  @Test func beforeATriggerAConflictClauseOfTheTableStillDoesNotHold() throws {
    let store = try StoreFixture(
      SharedModel.notes,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT UNIQUE on  conflict REPLACE);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
      CREATE TABLE log(name TEXT);
      CREATE TRIGGER t AFTER INSERT ON note BEGIN INSERT INTO log VALUES (new.name); END;
      INSERT INTO note VALUES (1, 'a');
      """)
    #expect(try store.refusal("Note", 1)?.code == .uniqueValue)
  }

  @Test func whatATriggerCannotWriteIsNoValueOfTheClone() throws {
    let store = try StoreFixture(SharedModel.notes, Self.oneNote)
    try store.execute(
      """
      CREATE TABLE seen(name TEXT PRIMARY KEY);
      INSERT INTO seen VALUES ('x');
      CREATE TRIGGER t AFTER INSERT ON item BEGIN INSERT INTO seen VALUES (new.name); END;
      """)
    let error = try store.refusal("Note", 1)
    #expect(error?.code == .constraintFailed)
    #expect(error?.description.contains("seen.name") == true)
  }
}
