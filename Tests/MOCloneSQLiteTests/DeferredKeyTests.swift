import GRDB
import MOCloneKit
import TestSupport
import Testing

/// When the check of foreign keys is put off, and what then becomes of the caller's.
@Suite struct DeferredKeyTests {
  /// Two tables that require each other, which only deferred keys can write.
  static let ring = """
    entities:
      Team:
        attributes: {name: String?}
        relationships:
          lead: {destination: Member, inverse: leads}
          members: {destination: Member, toMany: true, inverse: team}
      Member:
        attributes: {name: String?}
        relationships:
          team: {destination: Team, inverse: members}
          leads: {destination: Team, toMany: true, inverse: lead}
    """

  static func ringTables(_ deferred: String = "") -> String {
    """
    PRAGMA defer_foreign_keys = ON;
    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT, lead_id INTEGER NOT NULL REFERENCES member(id) \(deferred));
    CREATE TABLE member(id INTEGER PRIMARY KEY, name TEXT, team_id INTEGER NOT NULL REFERENCES team(id) \(deferred));
    INSERT INTO team VALUES (1, 't', 2);
    INSERT INTO member VALUES (1, 'a', 1), (2, 'b', 1);
    """
  }

  private func store(_ deferred: String = "") throws -> StoreFixture {
    try StoreFixture(Self.ring, Self.ringTables(deferred))
  }

  private func isDeferred(_ db: Database) throws -> Bool {
    try Bool.fetchOne(db, sql: "PRAGMA defer_foreign_keys")!
  }

  @Test func aRequiredRingOfTwoTables() throws {
    let store = try store()
    let result = try store.clone("Team", 1, CloneRequest(count: 3))
    #expect(result.cloned == ["Team": 3, "Member": 6])
    #expect(
      try store.rows("SELECT * FROM team WHERE id > 1") == ["2|t|4", "3|t|6", "4|t|8"])
    #expect(try store.rows("SELECT id, team_id FROM member WHERE id > 6") == ["7|4", "8|4"])
    #expect(try store.writer.read { try isDeferred($0) } == false)
  }

  @Test func keysAreDeferredOnlyWhereThePlanNeedsIt() throws {
    let ring = try store()
    #expect(try statements(ring, "Team").contains { $0.contains("defer_foreign_keys = ON") })
    let tree = try StoreFixture(
      SharedModel.tree(),
      """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES folder(id));
      INSERT INTO folder VALUES (1, 'a', NULL), (2, 'b', 1);
      """)
    #expect(try !statements(tree, "Folder").contains { $0.contains("defer_foreign_keys =") })
  }

  private func statements(_ store: StoreFixture, _ entity: String) throws -> [String] {
    try store.writer.write { db in
      try db.statements { try Cloner().clone(entity, key: 1, in: $0, model: store.model) }
    }
  }

  @Test func theSwitchIsPutBack() throws {
    let store = try store()
    try store.writer.write { db in
      try Cloner().clone("Team", key: 1, in: db, model: store.model)
      #expect(try !isDeferred(db))
      try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
      try Cloner().clone("Team", key: 1, in: db, model: store.model)
      #expect(try isDeferred(db))
    }
    #expect(try store.rows("SELECT count(*) FROM team") == ["3"])
  }

  @Test func theSwitchIsPutBackAfterAFailure() throws {
    let store = try store()
    try store.execute("CREATE UNIQUE INDEX u ON member(name)")
    let isDeferredAfter = try store.writer.write { db in
      #expect(throws: CloneError.self) { try Cloner().clone("Team", key: 1, in: db, model: store.model) }
      return try isDeferred(db)
    }
    #expect(!isDeferredAfter)
  }

  @Test(arguments: [false, true])
  func whatIsPendingIsNotForgotten(fails: Bool) throws {
    let store = try store("DEFERRABLE INITIALLY DEFERRED")
    if fails { try store.execute("CREATE UNIQUE INDEX u ON member(name)") }
    let before = try store.contents()
    func insertAndClone(_ db: Database) throws {
      try db.execute(sql: "INSERT INTO member VALUES (50, 'x', 999)")
      let result = try? Cloner().clone("Team", key: 1, in: db, model: store.model)
      #expect((result == nil) == fails)
    }
    #expect(throws: DatabaseError.self) { try store.writer.write(insertAndClone) }
    #expect(try store.contents() == before)
  }

  @Test func rowsOfALongRunMayReferToLaterOnes() throws {
    let store = try StoreFixture(
      """
      entities:
        Team: {relationships: {members: {destination: Member, toMany: true, inverse: team}}}
        Member:
          relationships:
            team: {destination: Team, optional: true, inverse: members}
            lead: {destination: Member, optional: true, userInfo: {onClone: link}}
      """,
      """
      CREATE TABLE team(id INTEGER PRIMARY KEY);
      CREATE TABLE member(id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES team(id),
        lead_id INTEGER REFERENCES member(id));
      CREATE INDEX member_team ON member(team_id);
      CREATE INDEX member_lead ON member(lead_id);
      INSERT INTO team VALUES (1);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001)
        INSERT INTO member SELECT i, 1, 100002 - i FROM n;
      """)
    let graph = SQLiteGraph(store.writer, model: store.model)
    #expect(try Cloner().clone("Team", keys: [1], in: graph).cloned["Member"] == 100_001)
    let leads = "SELECT count(*) FROM member WHERE team_id = 2 AND lead_id = 300004 - id"
    #expect(try store.rows(leads) == ["100001"])
  }

  @Test func aDanglingReferenceOfTheOriginalIsRefusedBeforeItReturns() throws {
    let store = try store("DEFERRABLE INITIALLY DEFERRED")
    try store.writer.writeWithoutTransaction { db in
      try db.execute(
        sql: "PRAGMA foreign_keys = OFF; UPDATE team SET lead_id = 77; PRAGMA foreign_keys = ON")
      let before = try db.texts("SELECT * FROM team")
      try db.inTransaction {
        let error = #expect(throws: CloneError.self) {
          try Cloner().clone("Team", key: 1, in: db, model: store.model)
        }
        #expect(error?.code == .constraintFailed)
        return .commit
      }
      #expect(try db.texts("SELECT * FROM team") == before)
    }
  }

  @Test func aDanglingReferenceIsRefusedBesideOneOfTheCaller() throws {
    let store = try store("DEFERRABLE INITIALLY DEFERRED")
    try store.writer.writeWithoutTransaction { db in
      try db.execute(
        sql: "PRAGMA foreign_keys = OFF; UPDATE team SET lead_id = 77; PRAGMA foreign_keys = ON")
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO member VALUES (50, 'x', 999)")
        let error = #expect(throws: CloneError.self) {
          try Cloner().clone("Team", key: 1, in: db, model: store.model)
        }
        #expect(error?.code == .constraintFailed)
        return .rollback
      }
    }
  }
}
