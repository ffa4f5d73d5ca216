import MOCloneKit
import TestSupport
import Testing

/// Columns that the model does not name, and those that a database computes.
@Suite struct ColumnTests {
  private func notes(_ store: String, _ column: String, _ value: String) throws -> StoreFixture {
    try StoreFixture(
      """
      store: {unmapped: \(store)}
      entities: {Note: {attributes: {name: String?}}}
      """,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, \(column));
      INSERT INTO note VALUES (1, 'a', \(value));
      """)
  }

  @Test func generatedColumnsAreNeverWritten() throws {
    let store = try StoreFixture(
      "entities: {Note: {attributes: {a: Integer 64, twice: {type: Integer 64, derived: true}}}}",
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, twice INTEGER GENERATED ALWAYS AS (a * 2) VIRTUAL,
        a INTEGER NOT NULL, thrice INTEGER AS (a * 3) STORED UNIQUE);
      INSERT INTO note(id, a) VALUES (1, 5);
      """)
    try store.clone("Note", 1, CloneRequest(set: ["a": 7]))
    #expect(try store.rows("SELECT a, twice, thrice FROM note") == ["5|10|15", "7|14|21"])
  }

  @Test func unmappedColumnsAreCopied() throws {
    let store = try notes("copy", "extra BLOB DEFAULT 'd'", "x'00FF'")
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT extra FROM note") == ["00FF", "00FF"])
  }

  @Test func unmappedColumnsTakeTheirDefault() throws {
    let store = try notes("default", "extra TEXT DEFAULT 'd'", "'e'")
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT extra FROM note") == ["e", "d"])
  }

  @Test func unmappedColumnsAreRefused() throws {
    let error = try notes("refuse", "extra TEXT", "'e'").refusal("Note", 1)
    #expect(error?.code == .unmappedColumn)
    #expect(error?.description.contains("'extra'") == true)
  }

  @Test func aUniqueUnmappedColumnIsRefusedByName() throws {
    let error = try notes("copy", "serial TEXT UNIQUE", "'e'").refusal("Note", 1)
    #expect(error?.code == .uniqueValue)
    #expect(error?.failures.first?.object == ObjectID("Note", key: 1))
    #expect(error?.description.contains("'serial'") == true)
    try notes("copy", "serial TEXT UNIQUE", "NULL").clone("Note", 1)
  }

  @Test(arguments: [(nil, 1, false), (5, 2, false), (1, 1, true)] as [(Int64?, Int64, Bool)])
  func whatRepeatsAUniqueValueIsNamed(position: Int64?, card: Int64, isSet: Bool) throws {
    let store = try StoreFixture(
      """
      entities:
        List:
          relationships: {cards: {destination: Card, toMany: true, inverse: list}}
        Card:
          attributes: {position: Integer 64}
          relationships:
            list: {destination: List, inverse: cards}
            parent: {destination: Card, optional: true, inverse: children}
            children: {destination: Card, toMany: true, inverse: parent}
      """,
      """
      CREATE TABLE list(id INTEGER PRIMARY KEY);
      CREATE TABLE card(id INTEGER PRIMARY KEY, position INTEGER NOT NULL, list_id INTEGER NOT NULL REFERENCES list,
        parent_id INTEGER REFERENCES card, UNIQUE(list_id, position));
      INSERT INTO list VALUES (1);
      INSERT INTO card VALUES (1, 0, 1, NULL), (2, 1, 1, 1);
      """)
    let request = CloneRequest(set: position.map { ["position": AttributeValue.integer($0)] } ?? [:])
    let error = try store.refusal("Card", 1, request)
    #expect(error?.code == .uniqueValue)
    #expect(error?.failures.first?.object == ObjectID("Card", key: [.integer(card)]))
    #expect(error?.description.contains("--set gives a new root") == isSet)
  }

  @Test("Of several roots that are set one unique value a root is named, not what is cloned with them")
  func whatRootsRepeatIsNamed() throws {
    let store = try StoreFixture(
      """
      entities:
        Folder:
          attributes: {code: {type: String, optional: true, userInfo: {exclude: ""}}}
          relationships:
            parent: {destination: Folder, optional: true, inverse: children}
            children: {destination: Folder, toMany: true, inverse: parent}
      """,
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, code TEXT UNIQUE, parent_id INTEGER REFERENCES folder);
      INSERT INTO folder VALUES (1, 'c', 3), (2, NULL, NULL), (3, NULL, NULL);
      """)
    let error = #expect(throws: CloneError.self) {
      try Cloner().clone(
        "Folder", keys: [3, 2], in: SQLiteGraph(store.writer, model: store.model),
        request: CloneRequest(set: ["code": "new"]))
    }
    #expect(error?.failures.first?.object == ObjectID("Folder", key: [3]))
    #expect(error?.description.contains("--set gives a new root") == true)
  }

  @Test func anUnmappedForeignKeyPointsAtTheOriginal() throws {
    let store = try notes("copy", "next INTEGER REFERENCES note(id)", "1")
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT id, next FROM note") == ["1|1", "2|1"])
  }

  @Test(arguments: ["REPLACE", "IGNORE", "ROLLBACK", "FAIL"])
  func aConflictClauseOfTheSchemaDoesNotHold(clause: String) throws {
    let store = try notes("copy", "code TEXT UNIQUE ON CONFLICT \(clause)", "'e'")
    #expect(try store.refusal("Note", 1)?.code == .uniqueValue)
    #expect(try store.rows("SELECT * FROM note") == ["1|a|e"])
  }

  @Test func aTriggerThatIgnoresARowIsRefused() throws {
    let store = try notes("copy", "code TEXT", "'e'")
    try store.execute(
      "CREATE TRIGGER t BEFORE INSERT ON note WHEN new.code = 'e' BEGIN SELECT RAISE(IGNORE); END")
    #expect(try store.refusal("Note", 1)?.code == .rowCount)
  }

  @Test func aTriggerThatRefusesARowIsNamed() throws {
    let store = try notes("copy", "code TEXT", "'e'")
    try store.execute("CREATE TRIGGER t BEFORE INSERT ON note BEGIN SELECT RAISE(ABORT, 'no notes'); END")
    let error = try store.refusal("Note", 1)
    #expect(error?.code == .constraintFailed)
    #expect(error?.description.contains("no notes") == true)
  }

  @Test func aTriggerThatWritesElsewhereRuns() throws {
    let store = try notes("copy", "code TEXT", "'e'")
    try store.execute(
      """
      CREATE TABLE log(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TRIGGER t AFTER INSERT ON note BEGIN INSERT INTO log(name) VALUES (new.name), ('x'); END
      """)
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT name FROM log") == ["a", "x"])
  }

  static let counted = """
    entities:
      Board:
        attributes: {cards: {type: Integer 64, default: 0}, name: String?}
        relationships:
          all: {destination: Card, toMany: true, inverse: board}
          tags: {destination: Tag, toMany: true, inverse: boards}
      Card:
        relationships: {board: {destination: Board, inverse: all}}
      Tag:
        relationships: {boards: {destination: Board, toMany: true, inverse: tags}}
    """
  static let countedTables = """
    CREATE TABLE board(id INTEGER PRIMARY KEY, cards INTEGER NOT NULL, "tag count" INTEGER, name TEXT COLLATE NOCASE);
    CREATE TABLE card(id INTEGER PRIMARY KEY, board_id INTEGER REFERENCES board(id));
    CREATE TABLE tag(id INTEGER PRIMARY KEY);
    CREATE TABLE board_tag(board_id INTEGER, tag_id INTEGER, PRIMARY KEY(board_id, tag_id));
    INSERT INTO board VALUES (1, 2, 1, 'a'), (2, 1, 0, 'b');
    INSERT INTO card VALUES (1, 1), (2, 1), (3, 2);
    INSERT INTO tag VALUES (1);
    INSERT INTO board_tag VALUES (1, 1);
    CREATE TRIGGER c AFTER INSERT ON card BEGIN
      UPDATE OR ABORT board SET cards = cards + 1, name = upper(name) WHERE id = new.board_id; END;
    CREATE TRIGGER t AFTER INSERT ON board_tag BEGIN
      UPDATE "board" SET ("tag count", name) = (SELECT "tag count" + 1, name) WHERE id = new.board_id; END;
    """

  @Test func aCounterThatTriggersKeepIsThatOfTheOriginal() throws {
    let store = try StoreFixture(Self.counted, Self.countedTables)
    try store.clone("Board", 1, CloneRequest(count: 2))
    #expect(
      try store.rows("SELECT * FROM board") == ["1|2|1|a", "2|1|0|b", "3|2|1|a", "4|2|1|a"])
    // A card that is linked counts for its board.
    try store.clone("Card", 3)
    #expect(try store.rows("SELECT cards FROM board WHERE id = 2") == ["2"])
  }

  @Test func aCounterInATreeIsThatOfTheOriginalAndTheStampOfTheRowIsTheTriggers() throws {
    let store = try StoreFixture(
      """
      entities:
        Folder:
          attributes: {folders: Integer 64, stamp: String?}
          relationships:
            parent: {destination: Folder, optional: true, inverse: children}
            children: {destination: Folder, toMany: true, inverse: parent}
      """,
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES folder(id), folders INTEGER, stamp TEXT);
      INSERT INTO folder VALUES (1, NULL, 2, 'old'), (2, 1, 0, 'old'), (3, 1, 1, 'old'), (4, 3, 0, 'old');
      CREATE TRIGGER t AFTER INSERT ON folder BEGIN
        UPDATE folder SET folders = folders + 1 WHERE folder.id = new.parent_id;
        UPDATE folder SET stamp = 'new' WHERE id = new.id;
      END;
      """)
    try store.clone("Folder", 1)
    #expect(
      try store.rows("SELECT parent_id, folders, stamp FROM folder WHERE id > 4 ORDER BY id")
        == ["-|2|new", "5|0|new", "5|1|new", "7|0|new"])
    // A folder that is linked counts for its parent.
    try store.clone("Folder", 4)
    #expect(try store.rows("SELECT folders FROM folder WHERE id = 3") == ["2"])
  }

  @Test func aCounterThatIsExcludedIsLeftToTheTriggers() throws {
    let store = try StoreFixture(Self.counted, Self.countedTables)
    try store.clone("Board", 1, CloneRequest(exclude: ["cards"]))
    #expect(try store.rows("SELECT cards, \"tag count\" FROM board WHERE id = 3") == ["2|1"])
  }

  @Test func aCounterOfMembersThatAreExcludedBeginsAtItsBlankValue() throws {
    let store = try StoreFixture(Self.counted, Self.countedTables)
    try store.clone("Board", 1, CloneRequest(exclude: ["all"]))
    try store.clone("Board", 1, CloneRequest(exclude: ["tags"]))
    let clones = "SELECT id, cards, coalesce(\"tag count\", 'none'), name FROM board WHERE id > 2"
    #expect(try store.rows(clones) == ["3|0|1|a", "4|2|none|a"])
    #expect(try store.rows("SELECT * FROM board WHERE id = 1") == ["1|2|1|a"])
  }

  @Test func aCounterOfWhatIsFurtherBelowBeginsAtItsBlankValueWhereThatIsExcluded() throws {
    let store = try StoreFixture(
      SharedModel.comments,
      """
      CREATE TABLE project(id INTEGER PRIMARY KEY, name TEXT NOT NULL, comments INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE task(id INTEGER PRIMARY KEY, title TEXT NOT NULL, project_id INTEGER NOT NULL REFERENCES project(id));
      CREATE TABLE comment(id INTEGER PRIMARY KEY, body TEXT NOT NULL, task_id INTEGER NOT NULL REFERENCES task(id));
      CREATE TRIGGER commented AFTER INSERT ON comment BEGIN
        UPDATE project SET comments = comments + 1 WHERE id = (SELECT project_id FROM task WHERE id = new.task_id);
      END;
      INSERT INTO project(id, name) VALUES (1, 'a'); INSERT INTO task VALUES (1, 'b', 1), (2, 'c', 1);
      INSERT INTO comment VALUES (1, 'd', 1), (2, 'e', 1), (3, 'f', 2);
      """)
    for names in [[], ["tasks"], ["Task.comments"]] {
      try store.clone("Project", 1, CloneRequest(exclude: names))
    }
    #expect(try store.rows("SELECT comments FROM project ORDER BY id") == ["3", "3", "0", "0"])
  }

  @Test func aCounterThatIsSetHoldsWhatWasSet() throws {
    let store = try StoreFixture(Self.counted, Self.countedTables)
    try store.clone("Board", 1, CloneRequest(count: 2, set: ["cards": 50]))
    #expect(try store.rows("SELECT * FROM board WHERE id > 2") == ["3|50|1|a", "4|50|1|a"])
  }

  @Test func aDefaultMayHoldAnyCharacter() throws {
    let store = try StoreFixture(
      """
      entities:
        Note: {attributes: {name: {type: String, default: "it's \\0 \\"x\\"", userInfo: {exclude: ""}}}}
      """,
      "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO note VALUES (1, 'a')")
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT hex(name) FROM note WHERE id = 2") == ["697427732000202278" + "22"])
  }

  @Test func everythingMissingIsListedAtOnce() throws {
    let store = try StoreFixture(
      """
      entities:
        Note:
          attributes: {name: String?, text: String?, date: Date?}
          relationships:
            items: {destination: Item, toMany: true, inverse: note}
            tags: {destination: Tag, toMany: true, inverse: notes}
        Item:
          relationships: {note: {destination: Note, optional: true, inverse: items}}
        Tag:
          relationships: {notes: {destination: Note, toMany: true, inverse: tags}}
      """,
      "CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO note VALUES (1, 'a')")
    let text = try store.refusal("Note", 1)?.description ?? ""
    for name in ["'text'", "'date'", "'item'", "'note_tag'"] {
      #expect(text.contains(name), "\(name) in \(text)")
    }
  }

  @Test func aMissingColumnOfAnOrderIsNamedWithTheKeyThatSettlesIt() throws {
    let store = try StoreFixture(
      SharedModel.notes.replacing("toMany: true", with: "toMany: true, ordered: true"),
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER, note_order INTEGER);
      INSERT INTO note VALUES (1, 'a');
      """)
    let error = try store.refusal("Note", 1)
    #expect(error?.failures.first?.property == "items")
    #expect("\(error!)".contains("write 'orderColumn:'); did you mean 'note_order'?"), "\(error!)")
  }
}
