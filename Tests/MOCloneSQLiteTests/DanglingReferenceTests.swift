import MOCloneKit
import Testing

/// Dangling references, as stores hold them whose connections do not enforce foreign keys.
@Suite struct DanglingReferenceTests {
  static let boards = """
    entities:
      Board:
        attributes: {name: String?}
        relationships:
          cards: {destination: Card, toMany: true, inverse: board}
          tags: {destination: Tag, toMany: true, inverse: boards, joinTable: {table: board_tag, column: board_id, inverseColumn: tag_id}}
      Card:
        relationships:
          board: {destination: Board, optional: true, inverse: cards}
          above: {destination: Card, optional: true, inverse: below}
          below: {destination: Card, toMany: true, inverse: above, userInfo: {exclude: true}}
      Tag: {relationships: {boards: {destination: Board, toMany: true, inverse: tags}}}
    """

  static let tables = """
    CREATE TABLE board(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE card(id INTEGER PRIMARY KEY, board_id INTEGER, above_id INTEGER);
    CREATE TABLE tag(id INTEGER PRIMARY KEY);
    CREATE TABLE board_tag(board_id INTEGER, tag_id INTEGER, PRIMARY KEY (board_id, tag_id));
    INSERT INTO board VALUES (1, 'a'), (2, 'b');
    INSERT INTO tag VALUES (1);
    INSERT INTO card VALUES (1, 1, NULL), (2, 1, 1), (3, 2, NULL);
    """

  @Test func aCopyIntoMemoryLeavesThemEmpty() throws {
    let store = try StoreFixture(
      Self.boards,
      Self.tables + "UPDATE card SET above_id = 9 WHERE id = 3; INSERT INTO board_tag VALUES (1, 1), (1, 7)")
    let memory = MemoryGraph(model: store.model)
    try memory.copy(from: SQLiteGraph(store.writer, model: store.model))
    let cards = try memory.objects("Card")
    #expect(try cards.map { try $0.destinations("above").map(\.id.key) } == [[], [1], []])
    #expect(try cards.map { try $0.destinations("board").map(\.id.key) } == [[1], [1], [2]])
    #expect(try memory.objects("Board").map { try $0.destinations("tags").count } == [1, 0])
  }

  @Test(arguments: ["", "CREATE INDEX i ON card(board_id); CREATE INDEX a ON card(above_id);"])
  func aNumberThatTheClosureRefersToIsPassed(indexes: String) throws {
    let store = try StoreFixture(
      Self.boards, Self.tables + indexes + "UPDATE card SET above_id = 5 WHERE id = 2")
    try store.clone("Board", 1)
    #expect(try store.rows("SELECT * FROM card WHERE id > 3") == ["6|3|-", "7|3|5"])
  }

  @Test(arguments: ["", "CREATE INDEX i ON card(board_id); CREATE INDEX a ON card(above_id);"])
  func aRowOutsideTheClosureDoesNotBecomeTheClones(indexes: String) throws {
    let store = try StoreFixture(
      Self.boards, Self.tables + indexes + "INSERT INTO card VALUES (4, 3, NULL), (5, 4, NULL)")
    let result = try store.clone("Board", 1, CloneRequest(count: 2))
    #expect(result.roots.map(\.key) == [5, 6])
    #expect(
      try store.rows("SELECT board_id, count(*) FROM card GROUP BY 1 ORDER BY 1")
        == ["1|2", "2|1", "3|1", "4|1", "5|2", "6|2"])
  }

  @Test(arguments: ["", "CREATE INDEX i ON card(board_id); CREATE INDEX a ON card(above_id);"])
  func whatDoesNotExistIsNotCountedAsLinked(indexes: String) throws {
    let store = try StoreFixture(
      Self.boards,
      Self.tables + indexes
        + "UPDATE card SET above_id = CASE id WHEN 1 THEN 9 ELSE 3 END; INSERT INTO board_tag VALUES (1, 1), (1, 7)"
    )
    let graph = SQLiteGraph(store.writer, model: store.model)
    for keepsMapping in [true, false] {
      let result = try Cloner(keepsMapping: keepsMapping).clone("Board", keys: [1], in: graph)
      #expect(result.linked == ["Card": 1, "Tag": 1])
    }
  }

  @Test func aPairOfADeletedObjectDoesNotBecomeTheClones() throws {
    let store = try StoreFixture(Self.boards, Self.tables + "INSERT INTO board_tag VALUES (1, 1), (3, 1)")
    #expect(try store.clone("Board", 1).root.key == 4)
    #expect(try store.rows("SELECT * FROM board_tag ORDER BY 1") == ["1|1", "3|1", "4|1"])
  }

  @Test func aColumnThatTheModelDoesNotKnowCounts() throws {
    let store = try StoreFixture(
      Self.boards,
      Self.tables + "ALTER TABLE card ADD COLUMN origin REFERENCES board; PRAGMA foreign_keys = OFF;")
    try store.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; UPDATE card SET origin = 3 WHERE id = 1")
    }
    try Cloner().clone("Board", keys: [1], in: SQLiteGraph(store.writer, model: store.model))
    #expect(try store.rows("SELECT id, board_id, origin FROM card WHERE id > 3") == ["4|4|3", "5|4|-"])
  }

  @Test func aColumnThatTheModelDoesNotKnowCountsInASmallCloneToo() throws {
    let store = try StoreFixture(
      """
      entities:
        Board: {relationships: {cards: {destination: Card, toMany: true, inverse: board}}}
        Card: {relationships: {board: {destination: Board, optional: true, inverse: cards}}}
      """,
      """
      CREATE TABLE board(id INTEGER PRIMARY KEY);
      CREATE TABLE card(id INTEGER PRIMARY KEY, board_id INTEGER, origin TEXT REFERENCES card(id));
      CREATE INDEX i ON card(board_id);
      INSERT INTO board VALUES (1);
      """)
    try store.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; INSERT INTO card VALUES (1, 1, NULL), (2, 1, '3')")
    }
    try Cloner().clone("Board", keys: [1], in: SQLiteGraph(store.writer, model: store.model))
    #expect(try store.rows("SELECT * FROM card WHERE id > 2 ORDER BY 1") == ["4|2|-", "5|2|3"])
  }

  @Test func aRelationshipThatTheCloneLeavesOutCounts() throws {
    let store = try StoreFixture(
      """
      entities:
        Board: {relationships: {cards: {destination: Card, toMany: true, inverse: board}}}
        Card:
          relationships:
            board: {destination: Board, optional: true, inverse: cards}
            notes: {destination: Note, toMany: true, inverse: card, userInfo: {exclude: true}}
        Note: {relationships: {card: {destination: Card, optional: true, inverse: notes}}}
      """,
      """
      CREATE TABLE board(id INTEGER PRIMARY KEY);
      CREATE TABLE card(id INTEGER PRIMARY KEY, board_id INTEGER);
      CREATE TABLE note(id INTEGER PRIMARY KEY, card_id INTEGER);
      CREATE INDEX i ON card(board_id); CREATE INDEX n ON note(card_id);
      INSERT INTO board VALUES (1);
      INSERT INTO card VALUES (1, 1), (2, 1);
      INSERT INTO note VALUES (1, 4), (2, 7);
      """)
    try store.clone("Board", 1, CloneRequest(count: 2))
    #expect(try store.rows("SELECT * FROM card WHERE id > 2 ORDER BY 1") == ["8|2", "9|2", "10|3", "11|3"])
  }

  @Test func numbersFarAboveAreLeftAlone() throws {
    let store = try StoreFixture(Self.boards, Self.tables + "UPDATE card SET above_id = 999 WHERE id = 2")
    try store.clone("Board", 1)
    #expect(try store.rows("SELECT * FROM card WHERE id > 3") == ["4|3|-", "5|3|999"])
  }

  @Test func noRoomAboveTheLastNumberIsRefused() throws {
    let store = try StoreFixture(
      Self.boards,
      Self.tables + """
        UPDATE card SET id = 9223372036854775805 WHERE id = 3;
        UPDATE card SET above_id = 9223372036854775806 WHERE id = 2;
        """)
    #expect(try store.refusal("Board", 1)?.code == .noRoomForKeys)
  }
}
