import GRDB
import MOCloneKit
import Testing

/// Duplicates in stores that other programs filled: join rows with columns of their own, references to missing rows.
@Suite struct MergeStoreTests {
  private static let boards = """
    entities:
      Board:
        attributes: {name: String?, modified: Date?}
        relationships:
          cards: {destination: Card, toMany: true, inverse: board}
          tags: {destination: Tag, toMany: true, inverse: boards, joinTable: {table: board_tag, column: board_id, inverseColumn: tag_id}}
      Card:
        attributes: {title: String?, note: String?}
        relationships:
          board: {destination: Board, optional: true, inverse: cards}
          above: {destination: Card, optional: true, inverse: below}
          below: {destination: Card, toMany: true, inverse: above}
      Tag:
        attributes: {name: String?}
        relationships: {boards: {destination: Board, toMany: true, inverse: tags}}
    """

  private static let tables = """
    PRAGMA foreign_keys = OFF;
    CREATE TABLE board(id INTEGER PRIMARY KEY, name TEXT, modified TEXT);
    CREATE TABLE card(
      id INTEGER PRIMARY KEY, title TEXT, note TEXT, board_id INTEGER REFERENCES board(id), above_id INTEGER);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE board_tag(board_id INTEGER, tag_id INTEGER, weight, PRIMARY KEY (board_id, tag_id));
    """

  private func store(_ rows: String, enforces: Bool = false) throws -> StoreFixture {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let store = try StoreFixture(
      Self.boards, Self.tables + rows, in: DatabaseQueue(configuration: configuration))
    if enforces {
      try store.writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA foreign_keys = ON") }
    }
    return store
  }

  private func merge(_ store: StoreFixture, _ request: DedupeRequest) throws -> TransferReport {
    try SQLiteGraph(store.writer, model: store.model).dedupe(request, options: TransferOptions())
  }

  @Test(
    "A merge is refused where a reference to a unique column would lead to null",
    arguments: zip([true, false, false], [false, true, false]))
  func nullReferences(isOfModel: Bool, fills: Bool) throws {
    let mail = """
      Mail:
          attributes: {text: String?}
          relationships: {user: {destination: User, optional: true, inverse: mails, column: [{column: login, references: login}]}}
      """
    let mails = "relationships: {mails: {destination: Mail, toMany: true, inverse: user}}"
    let store = try StoreFixture(
      """
      entities:
        User:
          table: user
          attributes: {name: String?, login: String?, city: String?, note: String?}
          uniquenessConstraints: [[login]]
          \(isOfModel ? mails : "")
        \(isOfModel ? mail : "")
      """,
      """
      CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT, login TEXT UNIQUE, city TEXT, note TEXT);
      CREATE TABLE mail(id INTEGER PRIMARY KEY, text TEXT, login TEXT REFERENCES user(login) ON DELETE SET NULL);
      INSERT INTO user VALUES (1, 'Ann', 'ann', NULL, NULL), (2, 'Ann', NULL, 'here', 'old'), (3, 'Bob', 'bob', NULL, NULL);
      INSERT INTO mail(text, login) VALUES ('to Ann', 'ann'), ('to Bob', 'bob');
      """)
    let request = DedupeRequest(entities: ["User"], identifiedBy: ["User": ["name"]], fills: fills)
    let error = #expect(throws: CloneError.self) { try merge(store, request) }
    #expect(error?.code == .rowCount)
    #expect(error?.failures.first?.problem.contains("'mail'") == true)
    let lines = "SELECT text, name FROM mail JOIN user USING (login) ORDER BY 1"
    #expect(try store.rows(lines) == ["to Ann|Ann", "to Bob|Bob"])
    try store.writer.write {
      try $0.execute(sql: "UPDATE user SET city = 'there', note = 'new' WHERE id = 1")
    }
    #expect(try merge(store, request).changes == 1)
    #expect(try store.rows(lines) == ["to Ann|Ann", "to Bob|Bob"])
  }

  @Test("A merge is refused where a computed reference beside the model would go with what goes")
  func computedReferences() throws {
    let store = try store(
      """
      CREATE TABLE extra(kind TEXT, target INTEGER, board_id INTEGER
        GENERATED ALWAYS AS (CASE kind WHEN 'board' THEN target END) STORED REFERENCES board(id) ON DELETE CASCADE);
      INSERT INTO board VALUES (1, 'b', NULL), (2, 'b', NULL);
      INSERT INTO extra(kind, target) VALUES ('card', 2), ('board', 1);
      """, enforces: true)
    let request = DedupeRequest(entities: ["Board"], identifiedBy: ["Board": ["name"]])
    #expect(try merge(store, request).changes == 1)
    try store.writer.write {
      try $0.execute(
        sql: "INSERT INTO board VALUES (2, 'b', NULL); INSERT INTO extra(kind, target) VALUES ('board', 2)")
    }
    let error = #expect(throws: CloneError.self) { try merge(store, request) }
    #expect(error?.code == .rowCount)
    #expect(error?.failures.first?.help?.contains("computes") == true)
    #expect(try store.rows("SELECT count(*) FROM extra") == ["3"])
  }

  @Test(arguments: DedupeRequest.Merge.allCases)
  func referencesToMissingRowsIdentifyNothing(_ merge: DedupeRequest.Merge) throws {
    let store = try store(
      """
      INSERT INTO board VALUES (1, 'b', NULL);
      INSERT INTO card(id, title, board_id) VALUES (1, 'a', 9), (2, 'a', 9), (3, 'a', 1), (4, 'a', 1);
      """)
    let report = try self.merge(
      store, DedupeRequest(entities: ["Card"], identifiedBy: ["Card": ["title", "board"]], merge: merge))
    #expect(report.changes == 1)
    #expect(try store.rows("SELECT id FROM card") == ["1", "2", "3"])
  }

  @Test func referencesToMissingRowsFillNothingAndAreCounted() throws {
    let store = try store(
      """
      INSERT INTO board VALUES (1, 'b', NULL);
      INSERT INTO card VALUES (1, 'a', 'x', NULL, NULL), (2, 'a', NULL, 9, 7), (3, 'a', NULL, 1, NULL);
      """)
    let report = try merge(
      store, DedupeRequest(entities: ["Card"], identifiedBy: ["Card": ["title"]], keep: .fullest))
    #expect(report.dangling == ["Card.board": 1, "Card.above": 1])
    #expect(try store.rows("SELECT * FROM card") == ["1|a|x|1|-"])
  }

  @Test func rowsThatReferToMissingOnesAreMergedWhereForeignKeysAreEnforced() throws {
    let store = try store(
      """
      INSERT INTO board VALUES (1, 'b', NULL), (2, 'c', NULL);
      INSERT INTO card VALUES (1, 'a', NULL, 9, NULL), (2, 'a', 'x', 1, 3), (3, 'b', NULL, 9, 2);
      """, enforces: true)
    let choice: DedupeRequest.Keep = .chosen { $0.first { $0.id.key.description == "1" } }
    let report = try merge(
      store, DedupeRequest(entities: ["Card"], identifiedBy: ["Card": ["title"]], keep: choice))
    #expect(report.updated == ["Card": 1])
    #expect(try store.rows("SELECT * FROM card") == ["1|a|x|9|3", "3|b|-|9|1"])
  }

  // MARK: Lists

  @Test func aReferenceThatSharesAColumnIsFilledAndPlacedWhereBothAgree() throws {
    let store = try StoreFixture(
      """
      entities:
        Tenant:
          attributes: {name: String}
        Board:
          primaryKey: [tenant_id, {column: id, generate: max}]
          attributes: {name: String}
          relationships:
            tenant: {destination: Tenant, column: tenant_id}
            cards: {destination: Card, toMany: true, ordered: true, inverse: board, orderColumn: place}
        Card:
          attributes: {title: String, modified: Date?}
          relationships:
            tenant: {destination: Tenant, optional: true, column: tenant_id}
            board: {destination: Board, optional: true, inverse: cards, column: [tenant_id, board_id]}
      """,
      """
      CREATE TABLE tenant(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE board(
        tenant_id INTEGER NOT NULL REFERENCES tenant, id INTEGER NOT NULL, name TEXT NOT NULL,
        PRIMARY KEY (tenant_id, id));
      CREATE TABLE card(
        id INTEGER PRIMARY KEY, title TEXT NOT NULL, modified TEXT, tenant_id INTEGER REFERENCES tenant,
        board_id INTEGER, place INTEGER, FOREIGN KEY (tenant_id, board_id) REFERENCES board(tenant_id, id));
      INSERT INTO tenant VALUES (1, 't'), (2, 'u');
      INSERT INTO board VALUES (1, 1, 'b'), (2, 1, 'c');
      INSERT INTO card VALUES
        (1, 'x', NULL, 1, 1, 1), (2, 'a', '2025-01-01T00:00:00Z', 1, 1, 2), (3, 'y', NULL, 1, 1, 3),
        (4, 'a', '2025-01-03T00:00:00Z', 1, NULL, NULL), (5, 'a', '2025-01-02T00:00:00Z', 1, 1, 4),
        (6, 'other', '2025-01-01T00:00:00Z', 2, 1, 1), (7, 'other', '2025-01-02T00:00:00Z', 1, NULL, NULL),
        (8, 'none', '2025-01-01T00:00:00Z', 2, 1, 2), (9, 'none', '2025-01-02T00:00:00Z', NULL, NULL, NULL);
      """)
    let report = try merge(store, DedupeRequest(entities: ["Card"], identifiedBy: ["Card": ["title"]]))
    #expect(
      try store.rows("SELECT id, title, tenant_id, board_id FROM card ORDER BY tenant_id, board_id, place")
        == [
          "7|other|1|-", "1|x|1|1", "4|a|1|1", "3|y|1|1", "9|none|2|1",
        ])
    #expect(report.skipped?.map(\.place) == ["Card 6"])
    #expect(report.skipped?.first?.givenUp == ["board": "2,1", "tenant": "2"])
  }

  @Test func aMemberWhoseKeyHoldsItsOwnerTakesThePlaceOfItsFirstDouble() throws {
    let store = try StoreFixture(
      """
      entities:
        Board:
          attributes: {name: String}
          relationships:
            cards: {destination: Card, toMany: true, ordered: true, inverse: board, orderColumn: place}
        Card:
          primaryKey: [board_id, {column: no, generate: max}]
          attributes: {title: String, modified: Date?}
          relationships: {board: {destination: Board, inverse: cards, column: board_id}}
      """,
      """
      CREATE TABLE board(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE card(
        board_id INTEGER NOT NULL REFERENCES board, no INTEGER NOT NULL, title TEXT NOT NULL, modified TEXT,
        place INTEGER, PRIMARY KEY (board_id, no));
      INSERT INTO board VALUES (1, 'b'), (2, 'c');
      INSERT INTO card VALUES
        (1, 1, 'a', '2025-01-01T00:00:00Z', 1), (1, 2, 'x', NULL, 2), (1, 3, 'y', NULL, 3),
        (1, 4, 'a', '2025-01-02T00:00:00Z', 4), (2, 1, 'x', '2025-01-01T00:00:00Z', 1);
      """)
    let report = try merge(
      store, DedupeRequest(entities: ["Card"], identifiedBy: ["Card": ["board", "title"]]))
    #expect(report.merged == ["Card": 1])
    #expect(
      try store.rows("SELECT board_id, no, title, modified FROM card ORDER BY board_id, place") == [
        "1|4|a|2025-01-02T00:00:00Z", "1|2|x|-", "1|3|y|-", "2|1|x|2025-01-01T00:00:00Z",
      ])
  }

  @Test(arguments: [false, true])
  func ofJoinRowsThatBecomeOneThatOfTheBetterOwnerStays(isReversed: Bool) throws {
    let store = try store(
      """
      INSERT INTO board VALUES (1, 'b', '2025-01-02T00:00:00Z'), (2, 'b', '2025-01-01T00:00:00Z');
      INSERT INTO tag VALUES (1, 't'), (2, 't');
      INSERT INTO board_tag VALUES (1, 2, 'better board'), (2, 1, 'better tag'), (2, 2, 'none');
      """)
    let entities = ["Board", "Tag"]
    let request = DedupeRequest(
      entities: isReversed ? entities.reversed() : entities,
      identifiedBy: ["Board": ["name"], "Tag": ["name"]])
    let report = try merge(store, request)
    #expect(try store.rows("SELECT * FROM board_tag") == ["1|1|better board"])
    #expect(report.skipped == [valuesGivenUp("2 rows")])
  }

  private func valuesGivenUp(_ rows: String) -> TransferReport.Skipped {
    TransferReport.Skipped(
      place: "board_tag",
      reason:
        "values of \(rows) in columns that the model does not name (weight) are given up: another row joins "
        + "the same objects")
  }

  @Test func ofJoinRowsThatBecomeOneOnlyValuesThatTheOtherLacksAreGivenUp() throws {
    let store = try store(
      """
      INSERT INTO board VALUES (1, 'b', NULL), (2, 'c', NULL), (3, 'd', NULL), (4, 'e', NULL);
      INSERT INTO tag VALUES (1, 't'), (2, 't'), (3, 't');
      INSERT INTO board_tag VALUES
        (1, 1, 'w'), (1, 2, 'w'), (2, 1, 'w'), (2, 2, NULL), (3, 1, NULL), (3, 2, 'x'), (4, 2, 'y'), (4, 3, 'y');
      """)
    let report = try merge(store, DedupeRequest(entities: ["Tag"], identifiedBy: ["Tag": ["name"]]))
    #expect(
      try store.rows("SELECT * FROM board_tag ORDER BY 1") == ["1|1|w", "2|1|w", "3|1|-", "4|1|y"])
    #expect(report.skipped == [valuesGivenUp("1 row")])
  }

  @Test(arguments: [
    ("(4, 5, NULL), (1, 5, 1), (1, 6, 1)", "4|5|-", "2 rows"),
    ("(5, 4, NULL), (5, 1, 1), (6, 1, 1)", "5|4|-", "2 rows"),
    ("(2, 1, 1)", "", ""), ("(2, 1, 1), (1, 1, 2)", "", ""), ("(4, 4, 2), (1, 1, 3)", "4|4|2", "1 row"),
    ("(4, 4, 2), (2, 1, 2), (1, 4, 3)", "4|4|2", "1 row"),
  ])
  func valuesOfJoinRowsAreGivenUpWhereTheRowThatJoinsTheSameInTheEndLacksThem(
    pairs: String, left: String, lost: String
  ) throws {
    let store = try StoreFixture(
      """
      entities:
        Board:
          attributes: {name: String?, modified: Date?}
          relationships:
            next: {destination: Board, toMany: true, inverse: last, joinTable: {table: board_tag, column: a, inverseColumn: b}}
            last: {destination: Board, toMany: true, inverse: next}
      """,
      """
      CREATE TABLE board(id INTEGER PRIMARY KEY, name TEXT, modified TEXT);
      CREATE TABLE board_tag(a INTEGER NOT NULL, b INTEGER NOT NULL, weight INTEGER, PRIMARY KEY (a, b));
      INSERT INTO board VALUES
        (1, 'x', '2025-01-01T00:00:00Z'), (2, 'x', '2025-01-02T00:00:00Z'), (4, 'x', '2025-01-04T00:00:00Z'),
        (5, 'y', '2025-01-02T00:00:00Z'), (6, 'y', '2025-01-01T00:00:00Z');
      INSERT INTO board_tag VALUES \(pairs);
      """)
    let report = try merge(store, DedupeRequest(entities: ["Board"], identifiedBy: ["Board": ["name"]]))
    #expect(try store.rows("SELECT * FROM board_tag") == (left.isEmpty ? [] : [left]))
    #expect(report.skipped == (lost.isEmpty ? nil : [valuesGivenUp(lost)]))
  }
}
