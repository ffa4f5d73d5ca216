import Foundation
import GRDB
import MOCloneKit
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// What other programs store in columns whose type says less than the model does.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ForeignNotationTests {
  /// A value that a column holds, and the same one as somebody else writes it.
  struct Case: CustomTestStringConvertible, Sendable {
    var type: String
    var column: String
    var stored: String
    var given: String
    var testDescription: String { "\(type) in \(column): \(stored)" }
  }

  static let equal = [
    Case(
      type: "UUID", column: "text", stored: "B0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
      given: "b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    Case(
      type: "UUID", column: "varchar(36)", stored: "b0eebc99-9C0B-4ef8-bb6d-6bb9bd380a11",
      given: "B0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
    Case(type: "Decimal", column: "text", stored: "1.50", given: "1.5"),
    Case(type: "Decimal", column: "text", stored: "0150e-2", given: "1.5"),
    Case(type: "Decimal", column: "real", stored: "0.1", given: "0.10"),
    Case(type: "Date", column: "text", stored: "2024-01-31 02:34:56", given: "2024-01-31T02:34:56.000Z"),
    Case(type: "Date", column: "text", stored: "2024-01-31T12:34:56+10:00", given: "2024-01-31T02:34:56Z"),
    Case(type: "Date", column: "text", stored: "2024-01-31 12:34:56.5+10", given: "2024-01-31T02:34:56.5Z"),
    Case(type: "Date", column: "text", stored: "2024-01-31 02:34 +0000", given: "2024-01-31T02:34:00Z"),
    Case(type: "Date", column: "text", stored: "2024-01-31 02:34 ", given: "2024-01-31T02:34:00Z"),
    Case(
      type: "Date", column: "text", stored: "2024-01-31 02:34:56.000 +00:00", given: "2024-01-31T02:34:56Z"),
    Case(type: "Date", column: "date", stored: "2024-01-31", given: "2024-01-31T00:00:00Z"),
    Case(type: "Float", column: "real", stored: "0.1", given: "0.1"),
    Case(type: "Float", column: "float8", stored: "0.10000000149011612", given: "0.1"),
    Case(type: "Double", column: "real", stored: "0.1", given: "0.1"),
    Case(type: "Boolean", column: "integer", stored: "2", given: "true"),
    Case(type: "String", column: "char(6)", stored: "ab", given: "ab"),
    Case(type: "String", column: "mood", stored: "glad", given: "glad"),
    Case(
      type: "String", column: "uuid", stored: "B0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
      given: "b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    Case(type: "String", column: "jsonb", stored: "{\"a\":1}", given: "{\"a\": 1}"),
  ]

  private func fixture(_ type: String, _ column: String, _ stored: String...) throws -> DatabaseFixture {
    let rows = stored.map { "('\($0)', 'theirs')" }.joined(separator: ", ")
    return try DatabaseFixture(
      """
      version: 1
      name: Things
      entities:
        Thing:
          attributes: {value: \(type), note: String?}
          uniquenessConstraints: [[value]]
      """,
      """
      CREATE TYPE mood AS ENUM ('sad', 'glad');
      CREATE TABLE thing(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, value \(column) NOT NULL, note text);
      INSERT INTO thing(value, note) VALUES \(rows)
      """)
  }

  private func file(_ value: String) -> Data {
    Data("value\n\"\(value.replacing("\"", with: "\"\""))\"\n".utf8)
  }

  @Test("An import, a sync and a copy find the object, and change nothing", arguments: equal)
  func found(_ sample: Case) throws {
    let database = try fixture(sample.type, sample.column, sample.stored)
    let before = try database.rows("SELECT xmin, * FROM thing")
    let mapping = try ImportMapping(yaml: "{entity: Thing, attributes: {value: '@value'}}")
    let imported = try #require(
      try database.graph.importData(file(sample.given), format: .csv, mapping: mapping))
    #expect(imported.found == ["Thing": 1] && imported.created ?? [:] == [:])
    let type = database.graph.model.attribute("value", of: "Thing")!.type
    let value = try #require(type.value(from: sample.given))
    let synced = try database.graph.sync(SyncRequest(entity: "Thing"), from: [["value": value]])
    #expect(synced.unchanged == ["Thing": 1], "\(synced.text())")
    if sample.type != "String" {
      #expect(try database.graph.object("Thing", attribute: "value", equals: sample.given).id.key == 1)
    }
    let other = try fixture(sample.type, sample.column, sample.stored)
    #expect(try database.graph.copy(from: other.graph).found == ["Thing": 1])
    try database.graph.dedupe()
    #expect(try database.rows("SELECT xmin, * FROM thing") == before)
  }

  @Test(
    "Objects whose values are written in two ways are duplicates",
    arguments: equal.filter {
      $0.stored != $0.given && !["date", "uuid", "jsonb"].contains($0.column) && $0.column != "real"
    })
  func duplicates(_ sample: Case) throws {
    let given = sample.given == "true" ? "1" : sample.given
    let database = try fixture(sample.type, sample.column, sample.stored, given)
    try database.graph.dedupe()
    #expect(try database.rows("SELECT id FROM thing") == ["1"])
  }

  @Test(
    "Values that are no other ones stay apart",
    arguments: [
      Case(
        type: "Date", column: "text", stored: "2024-01-31T12:34:56.1234561Z",
        given: "2024-01-31T12:34:56.1234569Z"),
      Case(type: "Date", column: "text", stored: "2025-02-30", given: "2025-03-02"),
      Case(type: "Float", column: "float8", stored: "1e39", given: "2e39"),
      Case(type: "Decimal", column: "text", stored: "1.5", given: "15e-2"),
      Case(type: "Decimal", column: "text", stored: "many", given: "Many"),
      Case(type: "UUID", column: "text", stored: "none", given: "b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ])
  func apart(_ sample: Case) throws {
    let database = try fixture(sample.type, sample.column, sample.stored, sample.given)
    try database.graph.dedupe()
    #expect(try database.rows("SELECT count(*) FROM thing") == ["2"])
  }

  @Test("An import finds dates that are written as texts again where an index finds the rest of the identity")
  func foundBesideIndex() throws {
    let database = try DatabaseFixture(
      """
      version: 1
      name: Things
      entities:
        Thing:
          attributes: {name: String, at: Date}
          uniquenessConstraints: [[name, at]]
      """,
      """
      CREATE TABLE thing(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, at text);
      CREATE INDEX ON thing(name);
      INSERT INTO thing(name, at) VALUES ('a', '2024-01-31 12:00:00.123456+10:00')
      """)
    let file = Data("name,at\na,2024-01-31T02:00:00.123456Z\na,2024-01-31T02:00:00.123Z\n".utf8)
    let mapping = try ImportMapping(yaml: "{entity: Thing, attributes: {name: '@name', at: '@at'}}")
    for _ in 0..<2 { _ = try database.graph.importData(file, format: .csv, mapping: mapping) }
    #expect(try database.rows("SELECT count(*) FROM thing") == ["2"])
  }

  @Test("The newest of two dates that are written as texts stays")
  func newest() throws {
    let database = try DatabaseFixture(
      """
      version: 1
      name: Things
      entities:
        Thing:
          attributes: {name: String, modified: Date?}
          uniquenessConstraints: [[name]]
      """,
      """
      CREATE TABLE thing(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, modified text);
      INSERT INTO thing(name, modified) VALUES ('a', '2024-01-31T12:00:00+10:00'), ('a', '2024-01-31 03:00:00'),
        ('a', 'never')
      """)
    try database.graph.dedupe()
    #expect(try database.rows("SELECT id FROM thing") == ["2"])
  }

  @Test(
    "A key that is a UUID in a text is found in either case, and kept as it is written",
    arguments: [true, false])
  func textKeys(isUpper: Bool) throws {
    let yaml = """
      version: 1
      name: Things
      entities:
        Thing:
          primaryKey: [{column: id, generate: uuid}]
          attributes: {name: String}
      """
    let table = "CREATE TABLE thing(id text PRIMARY KEY, name text NOT NULL)"
    let upper = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
    let stored = isUpper ? upper : upper.lowercased()
    let database = try DatabaseFixture(yaml, table + "; INSERT INTO thing VALUES ('\(stored)', 'a')")
    for key in [upper, upper.lowercased()] {
      #expect(try database.graph.find("Thing", key: [.string(key)]) != nil)
      try database.clone("Thing", [.string(key)])
    }
    #expect(try database.rows("SELECT count(*) FROM thing") == ["3"])
    let other = try DatabaseFixture(
      yaml, table + "; INSERT INTO thing VALUES ('\(isUpper ? upper.lowercased() : upper)', 'b')")
    let plan = try ClonePlan(model: database.graph.model, entity: "Thing")
    let root = try #require(try database.graph.find("Thing", key: [.string(upper)]))
    #expect(throws: CloneError.self) {
      try other.graph.clone(plan, roots: [root], from: database.graph, SubtreeRequest(keepsKeys: true))
    }
    try other.connection.run("DELETE FROM thing")
    try other.graph.clone(plan, roots: [root], from: database.graph, SubtreeRequest(keepsKeys: true))
    #expect(try other.rows("SELECT id FROM thing") == [stored])
  }

  @Test("A part of a key that refers to a text is told as it is written, though it looks like a UUID")
  func textPart() throws {
    let database = try DatabaseFixture(
      """
      version: 1
      name: Things
      entities:
        Thing:
          primaryKey: [{column: id, generate: uuid}]
          attributes: {id: String, name: String}
          relationships: {marks: {destination: Mark, toMany: true, inverse: thing}}
        Mark:
          primaryKey: [thing_id, name]
          attributes: {name: String}
          relationships: {thing: {destination: Thing, inverse: marks}}
      """,
      """
      CREATE TABLE thing(id varchar(36) PRIMARY KEY, name text NOT NULL);
      CREATE TABLE mark(thing_id varchar(36) NOT NULL REFERENCES thing, name text NOT NULL, PRIMARY KEY (thing_id, name));
      INSERT INTO thing VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a');
      INSERT INTO mark VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'm')
      """)
    let result = try Cloner(keepsMapping: true).clone(
      "Thing", keys: ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"], in: database.graph)
    let marks = result.mapping.filter { $0.original.entity == "Mark" }.flatMap { [$0.original, $0.clone] }
    let stored = try database.rows("SELECT concat_ws(',', thing_id, name) FROM mark")
    #expect(marks.map(\.key.description).sorted() == stored.sorted())
  }

  // MARK: Out of a file

  private static let notes = """
    version: 1
    name: Notes
    entities:
      Note:
        attributes: {name: String, text: String?, at: {type: Date, storage: unix, optional: true}}
        uniquenessConstraints: [[name]]
    """

  private func notes() throws -> DatabaseFixture {
    try DatabaseFixture(
      Self.notes,
      "CREATE TABLE note(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE, text text, at bigint)"
    )
  }

  private func source(_ text: String) throws -> SQLiteGraph {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT, text TEXT, at REAL);
          INSERT INTO note(name, text, at) VALUES ('first', 'plain', 1706659200), ('second', \(text), NULL)
          """)
    }
    return SQLiteGraph(queue, model: try ObjectModel(yaml: Self.notes))
  }

  @Test(
    "A text of a file that no server stores is refused with its object, and never cut off or mended",
    arguments: [
      ("'a' || char(0) || 'secret'", "contains the character U+0000"),
      ("CAST(x'ff41' AS TEXT)", "is not a valid String"),
    ])
  func unstorable(_ text: String, _ reason: String) throws {
    let (database, source) = (try notes(), try source(text))
    let error = #expect(throws: CloneError.self) { try database.graph.copy(from: source) }
    #expect("\(error!)".contains("'text' of Note 2") && "\(error!)".contains(reason), "\(error!)")
    #expect(try database.rows("SELECT count(*) FROM note") == ["0"])
  }

  @Test("Dates that are whole numbers come into columns of integers, and back")
  func unixDates() throws {
    let (database, source) = (try notes(), try source("NULL"))
    try database.graph.copy(from: source)
    #expect(try database.rows("SELECT coalesce(at, 0) FROM note ORDER BY id") == ["1706659200", "0"])
    #expect(try source.copy(from: database.graph).found == ["Note": 2])
    let error = #expect(throws: CloneError.self) {
      try database.clone(
        "Note", 1, CloneRequest(set: ["name": "b", "at": .date(Date(timeIntervalSince1970: 0.5))]))
    }
    #expect("\(error!)".contains("does not fit the column 'at'"))
  }

  // MARK: What triggers keep

  @Test("A sync tells which objects a trigger kept as they were, and no others")
  func keptByTriggers() throws {
    let database = try DatabaseFixture(
      """
      entities:
        Thing:
          attributes: {code: String, name: String?}
          uniquenessConstraints: [[code]]
      """,
      """
      CREATE TABLE thing(id bigint PRIMARY KEY, code text NOT NULL UNIQUE, name text);
      INSERT INTO thing VALUES (1, 'a', 'old'), (2, 'b', 'old');
      CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF OLD.code = ''a'' THEN RETURN OLD; END IF; RETURN NEW; END';
      CREATE TRIGGER keep BEFORE UPDATE ON thing FOR EACH ROW EXECUTE FUNCTION keep()
      """)
    let report = try database.graph.sync(
      SyncRequest(entity: "Thing", overwriting: ["name"]),
      from: [["code": "a", "name": "new"], ["code": "b", "name": "new"]])
    #expect(report.skipped?.map(\.place) == ["\(ObjectID("Thing", key: 1))"])
    #expect(report.text().contains("a trigger of the store kept or replaced values that its row gives"))
    #expect(try database.rows("SELECT name FROM thing ORDER BY id") == ["old", "new"])
  }

  // MARK: What the store removes itself

  @Test("A sync reports rows that cascades of the server remove, also of tables that the model does not name")
  func cascades() throws {
    let database = try DatabaseFixture(
      SharedModel.shelves,
      """
      CREATE SCHEMA "Old";
      CREATE TABLE shelf(id int PRIMARY KEY, name text NOT NULL UNIQUE);
      CREATE TABLE book(id int PRIMARY KEY, title text NOT NULL, shelf_id int REFERENCES shelf ON DELETE CASCADE);
      CREATE TABLE "Old"."Page"(id int PRIMARY KEY, book int REFERENCES book ON DELETE CASCADE);
      INSERT INTO shelf VALUES (1, 'A'), (2, 'B'), (3, 'C');
      INSERT INTO book VALUES (1, 'a', 1), (2, 'c', 3), (3, 'c', 3);
      INSERT INTO "Old"."Page" VALUES (1, 1), (2, 2), (3, 2), (4, 3)
      """)
    let report = try database.graph.sync(
      SyncRequest(entity: "Shelf"), from: [["name": "A"], ["name": "B"]])
    #expect(report.deleted == ["Shelf": 1])
    #expect(report.cascaded == ["book": 2, "\"Old\".\"Page\"": 3])
  }

  @Test(
    "What a role may not see, or has a dot in its name, keeps no sync from being done",
    arguments: ["", "public."])
  func cascadesOfOthers(schema: String) throws {
    let database = try DatabaseFixture(
      """
      version: 1
      name: Shelves
      entities:
        Shelf:
          table: \(schema)shelf
          attributes: {name: String}
          relationships: {books: {destination: Book, toMany: true, inverse: shelf, deleteRule: cascade}}
          uniquenessConstraints: [[name]]
        Book:
          table: \(schema)book
          attributes: {title: String}
          relationships: {shelf: {destination: Shelf, inverse: books}}
      """,
      """
      CREATE TABLE shelf(id int PRIMARY KEY, name text NOT NULL UNIQUE);
      CREATE TABLE book(id int PRIMARY KEY, title text NOT NULL, shelf_id int REFERENCES shelf ON DELETE CASCADE);
      CREATE TABLE "page.v2"(id int PRIMARY KEY, book int REFERENCES book ON DELETE CASCADE);
      CREATE TABLE audit(id int PRIMARY KEY, shelf int REFERENCES shelf ON DELETE CASCADE);
      CREATE TABLE trail(id int PRIMARY KEY, audit int REFERENCES audit ON DELETE CASCADE);
      INSERT INTO shelf VALUES (1, 'A'), (2, 'B'), (3, 'C');
      INSERT INTO book VALUES (1, 'a', 1), (2, 'c', 3), (3, 'c', 3);
      INSERT INTO "page.v2" VALUES (1, 1), (2, 2), (3, 2), (4, 3);
      INSERT INTO audit VALUES (1, 3); INSERT INTO trail VALUES (1, 1)
      """)
    let role = "clerk_\(UInt32.random(in: 0...UInt32.max))"
    try database.connection.run(
      "CREATE ROLE \(role); GRANT ALL ON shelf, book, trail TO \(role); GRANT SELECT ON \"page.v2\" TO \(role)"
    )
    defer { try? database.connection.run("DROP OWNED BY \(role); DROP ROLE \(role)") }
    try database.graph.connection.run("SET ROLE \(role)")
    let report = try database.graph.sync(
      SyncRequest(entity: "Shelf"), from: [["name": "A"], ["name": "B"]])
    #expect(report.deleted == ["Shelf": 1, "Book": 2])
    #expect(report.cascaded == ["\"page.v2\"": 3, "trail": 1])
    #expect(try database.rows("SELECT count(*) FROM audit") == ["0"])
  }

  @Test func bytesInAKeyAreReadAsTheyArePrinted() throws {
    let fixture = try DatabaseFixture(
      """
      version: 1
      name: Packets
      store: {naming: snakeCase}
      entities:
        Packet:
          primaryKey: [{column: id, generate: none}]
          attributes: {id: Binary, name: String}
      """,
      #"""
      CREATE TABLE packet(id bytea PRIMARY KEY, name text NOT NULL);
      INSERT INTO packet VALUES ('\x000242', 'first'), ('AAED', 'other');
      """#)
    let request = CloneRequest(set: ["id": "AAED"])
    let made = try fixture.clone("Packet", ObjectKey(text: #"\x000242"#), request).root
    #expect(made.key.description == #"\x000103"#)
    let key = ObjectKey(text: made.key.description)
    #expect(try fixture.graph.object("Packet", key: key).value("name") == "first")
  }
}
