import CPostgreSQL
import Foundation
import MOCloneEngine
import TestSupport
import Testing

@testable import MOClonePostgres

/// Clones of few rows on a connection that stays open.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct SmallCloneTests {
  private static let tables = """
    CREATE TABLE note(id serial PRIMARY KEY, name text);
    CREATE TABLE item(id serial PRIMARY KEY, name text, note_id int REFERENCES note);
    CREATE INDEX ON item(note_id);
    INSERT INTO note(name) VALUES ('first');
    INSERT INTO item(name, note_id) VALUES ('a', 1), ('b', 1);

    """

  private let store: DatabaseFixture

  init() throws { store = try DatabaseFixture(SharedModel.notes, Self.tables) }

  /// How often the server was waited for.
  private func roundTrips(_ body: () throws -> Void) throws -> Int {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "trace").path
    let file = try #require(fopen(path, "w"))
    PQtrace(store.graph.connection.handle, file)
    defer { PQuntrace(store.graph.connection.handle) }
    try body()
    fclose(file)
    return try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "ReadyForQuery").count
      - 1
  }

  @Test func aCloneIsOneRoundTripAfterTheFirst() throws {
    try store.clone("Note", 1)
    let note = try store.graph.object("Note", key: 1)
    for _ in 1...3 {
      var cloned: [String: Int] = [:]
      let trips = try roundTrips { cloned = try Cloner().clone(object: note, request: CloneRequest()).cloned }
      #expect(trips == 1)
      #expect(cloned == ["Note": 1, "Item": 2])
      #expect(try roundTrips { try store.clone("Note", 1) } == 2, "the root is looked up by its key")
    }
    #expect(try store.rows("SELECT count(*) FROM item ") == ["16"])
  }

  @Test func aCloneInATransactionIsOneRoundTripToo() throws {
    try store.clone("Note", 1)
    let note = try store.graph.object("Note", key: 1)
    try Cloner().clone(object: note, saveBeforeReturn: false)
    let trips = try roundTrips { try Cloner().clone(object: note, saveBeforeReturn: false) }
    #expect(trips == 1)
    #expect(try store.rows("SELECT count(*) FROM note") == ["2"])
    try store.graph.save()
    #expect(try store.rows("SELECT count(*) FROM note") == ["4"])
  }

  @Test func whatIsRefusedIsToldAndLeavesNothing() throws {
    try store.clone("Note", 1)
    #expect(try store.refusal("Note", 7)?.code == .noSuchObject)
    try store.connection.run("ALTER TABLE item ADD CHECK (note_id < 4)")
    try store.clone("Note", 1)
    #expect(try store.refusal("Note", 1)?.code == .constraintFailed)
    #expect(try store.rows("SELECT count(*) FROM note") == ["3"])
    #expect(!store.graph.connection.isInTransaction)
  }

  @Test(arguments: [
    ("ALTER TABLE item ADD more int DEFAULT 5; UPDATE item SET more = 6", "6|6"),
    ("ALTER TABLE item ADD more int; UPDATE item SET more = 6; ALTER TABLE item ALTER more TYPE text", "6|6"),
  ])
  func whatIsAlteredBetweenTwoClonesCounts(_ sql: String, _ more: String) throws {
    for clones in 1...5 {
      for _ in 1...clones { try store.clone("Note", 1) }
      try store.connection.run(sql)
      try store.clone("Note", 1)
      #expect(
        try store.rows(
          "SELECT string_agg(more::text, '|') FROM item WHERE note_id = (SELECT max(id) FROM note)") == [more]
      )
      try store.connection.run("ALTER TABLE item DROP more")
    }
  }

  @Test func whatTheCallersTransactionAltersBetweenTwoClonesCounts() throws {
    let graph = store.graph
    for _ in 1...4 { try store.clone("Note", 1) }
    try graph.atomically {
      try store.clone("Note", 1)
      try graph.connection.run("ALTER TABLE item ADD more int")
      try graph.connection.run("UPDATE item SET more = 6")
      try store.clone("Note", 1)
      let more = "SELECT string_agg(more::text, '|') FROM item WHERE note_id = (SELECT max(id) FROM note)"
      #expect(try graph.connection.rows(more).first?.first?.string == "6|6")
    }
  }

  @Test func anotherTableOfTheSameNameCounts() throws {
    try store.clone("Note", 1)
    try store.connection.run(
      """
      CREATE SCHEMA app; CREATE TABLE app.item(LIKE item INCLUDING ALL, more int);
      INSERT INTO app.item VALUES (1, 'x', 1, 9)
      """)
    try store.graph.connection.run("SET search_path = app, public")
    try store.clone("Note", 1)
    #expect(try store.rows("SELECT more FROM app.item WHERE note_id = 3") == ["9"])
  }

  @Test(arguments: [
    ("ALTER TABLE item ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY", DiagnosticCode.rowSecurity),
    ("CREATE TABLE heir() INHERITS (item)", .storeMismatch),
    ("CREATE RULE r AS ON INSERT TO item DO INSTEAD NOTHING", .rowCount),
    (
      """
      CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER t BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION f()
      """, .rowCount
    ), ("UPDATE item SET name = id; CREATE UNIQUE INDEX ON item(name)", .uniqueValue),
    ("DROP TABLE item CASCADE", .storeMismatch),
  ])
  func whatWouldMakeAWrongCloneIsNoticedOnAnOpenConnection(_ sql: String, _ code: DiagnosticCode) throws {
    let role = "r_" + UUID().uuidString.prefix(8).lowercased()
    try store.connection.run(
      """
      CREATE ROLE \(role); ALTER TABLE note OWNER TO \(role); ALTER TABLE item OWNER TO \(role);
      GRANT ALL ON SCHEMA public TO \(role)
      """)
    defer { try? store.connection.run("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") }
    try store.graph.connection.run("SET ROLE \(role)")
    for _ in 1...4 { try store.clone("Note", 1) }
    try store.connection.run(sql)
    #expect(try store.refusal("Note", 1)?.code == code)
    #expect(try store.rows("SELECT count(*) FROM note") == ["5"])
  }

  @Test func heirsThatCameAgainAreNoticed() throws {
    try store.connection.run("CREATE TABLE heir() INHERITS (item); DROP TABLE heir")
    for _ in 1...4 { try store.clone("Note", 1) }
    try store.connection.run("CREATE TABLE heir() INHERITS (item)")
    #expect(try store.refusal("Note", 1)?.code == .storeMismatch)
  }

  @Test func anotherRoleThatMustNotSeeAllRowsIsNoticed() throws {
    let role = "r_" + UUID().uuidString.prefix(8).lowercased()
    try store.connection.run(
      """
      CREATE ROLE \(role); ALTER TABLE item ENABLE ROW LEVEL SECURITY;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role); GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role)
      """)
    defer { try? store.connection.run("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") }
    for _ in 1...4 { try store.clone("Note", 1) }
    try store.graph.connection.run("SET ROLE \(role)")
    #expect(try store.refusal("Note", 1)?.code == .rowSecurity)
  }

  @Test func aConnectionThatIsLostWhileOneRoundTripCommitsIsLookedUp() throws {
    let connection = try store.database.connect()
    try connection.run(
      """
      CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER die AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()
      """)
    let error = #expect(throws: PostgresError.self) {
      try connection.transact([
        ("SELECT pg_current_xact_id()::text", [:]), ("INSERT INTO note(name) VALUES ('b') RETURNING id", [:]),
      ])
    }
    #expect(error?.kind == .connection)
    #expect(try store.rows("SELECT count(*) FROM note") == ["1"])
    let gone = #expect(throws: PostgresError.self) {
      try connection.transact([("SELECT pg_current_xact_id()::text", [:]), ("SELECT 1", [:])])
    }
    #expect(gone?.kind == .connection)
  }

  @Test func whatFailsWithTheCommitOfOneRoundTripIsToldAndTheConnectionGoesOn() throws {
    let connection = try store.database.connect()
    try connection.run(
      "CREATE TABLE part(id int, whole int REFERENCES note(id) DEFERRABLE INITIALLY DEFERRED)")
    func insert(_ values: String, number: String = "pg_current_xact_id()::text") throws -> Int? {
      try connection.transact([
        ("SELECT \(number)", [:]), ("INSERT INTO part VALUES (\(values)) RETURNING id", [:]),
      ]).last?.first?.first?.number
    }
    #expect(throws: PostgresError.self) { try insert("1, 99") }
    #expect(try insert("2, 1") == 2)
    #expect(throws: PostgresError.self) { try insert("3, 1", number: "1 / 0") }
    #expect(try store.rows("SELECT id FROM part") == ["2"])
  }
}
