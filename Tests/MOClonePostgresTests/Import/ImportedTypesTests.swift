import MOCloneEngine
import MOCloneModel
import MOCloneModeling
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "Types of PostgreSQL's columns in models",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ImportedTypesTests {
  private func attribute(_ definition: String, before: String = "") throws -> AttributeDescription? {
    let server = try ImportedServer("\(before); CREATE TABLE note(id serial PRIMARY KEY, a \(definition))")
    try server.check()
    return server.model.attribute("a", of: "Note")
  }

  @Test func columnsHaveTheTypesThatAModelHas() throws {
    let types: [(String, AttributeType)] = [
      ("bool", .boolean), ("int2", .integer16), ("int4", .integer32), ("int8", .integer64), ("real", .float),
      ("double precision", .double), ("numeric", .decimal), ("numeric(10)", .decimal), ("text", .string),
      ("varchar(5)", .string), ("char(3)", .string), ("uuid", .uuid), ("bytea", .binary), ("date", .date),
      ("timestamp", .date), ("timestamptz", .date), ("jsonb", .string), ("json", .string),
    ]
    let columns = types.enumerated().map { "c\($0) \($1.0)" }.joined(separator: ", ")
    let server = try ImportedServer("CREATE TABLE note(id serial PRIMARY KEY, \(columns))")
    try server.check()
    #expect(try server.entity("Note").attributes.map(\.type) == types.map(\.1))
    let stored = try server.entity("Note").attributes.filter { $0.storage != nil }
    #expect(stored.map(\.type) == [.date] && stored[0].storage == .date(.day))
  }

  @Test(arguments: ["int[]", "tstzrange", "interval", "inet", "tsvector", "money", "time", "point", "xml"])
  func columnsOfOtherTypesAreCopiedWithoutAName(_ type: String) throws {
    let server = try ImportedServer("CREATE TABLE note(id serial PRIMARY KEY, b text, a \(type))")
    try server.check()
    #expect(try server.entity("Note").attributes.map(\.name) == ["b"])
    #expect(
      server.draft.comments[.entity("Note")]?.last?.contains("clones copy them as they are: 'a' (") == true)
  }

  @Test func anEnumIsAStringThatListsItsValues() throws {
    let server = try ImportedServer(
      """
      CREATE TYPE mood AS ENUM ('sad', 'it''s'); CREATE DOMAIN temper AS mood;
      CREATE TABLE note(id serial PRIMARY KEY, a mood NOT NULL DEFAULT 'sad', b temper)
      """)
    try server.check()
    let attributes = try server.entity("Note").attributes
    #expect(attributes.map(\.type) == [.string, .string] && attributes[0].defaultValue == .string("sad"))
    #expect(server.draft.comments[.attribute(attributes[0])] == ["One of 'sad', 'it's'."])
    #expect(server.draft.comments[.attribute(attributes[1])] == ["One of 'sad', 'it's'."])
  }

  @Test func aDomainIsOfTheTypeThatItIsMadeOf() throws {
    let attribute = try attribute(
      "amount", before: "CREATE DOMAIN amount AS numeric(7, 2) NOT NULL DEFAULT 1.5 CHECK (value > 0)")
    #expect(attribute?.type == .decimal && attribute?.isOptional == false)
    #expect(attribute?.defaultValue == .decimal(1.5))
  }

  @Test(arguments: [
    ("int DEFAULT -1", AttributeValue.integer(-1)), ("int2 DEFAULT '7'", .integer(7)),
    ("numeric DEFAULT 0.10", .decimal(0.1)), ("bool DEFAULT false", .bool(false)),
    ("text DEFAULT 'it''s'", .string("it's")), ("varchar(9) DEFAULT 'x::y'", .string("x::y")),
    ("char(1) DEFAULT 'N'", .string("N")), ("jsonb DEFAULT '{}'", .string("{}")),
    ("text DEFAULT E'a\\\\b'", .string("a\\b")),
  ])
  func aDefaultThatIsAValueIsTheModels(_ definition: String, _ value: AttributeValue) throws {
    #expect(try attribute(definition)?.defaultValue == value)
  }

  @Test(arguments: [
    "text DEFAULT 'a'::text || 'b'::text", "int DEFAULT 1 + 1", "timestamptz DEFAULT now()",
    "text DEFAULT NULL",
    "uuid DEFAULT gen_random_uuid()", "text DEFAULT upper('a')", "date DEFAULT '2020-01-31'",
  ])
  func anExpressionIsNoDefaultOfTheModel(_ definition: String) throws {
    let attribute = try attribute(definition)
    #expect(attribute != nil && attribute?.defaultValue == nil)
  }

  @Test func aGeneratedColumnIsComputed() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE note(id serial PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2) STORED,
        c int[] GENERATED ALWAYS AS (ARRAY[a]) STORED)
      """)
    try server.check()
    #expect(try server.entity("Note").attributes.map(\.derivation) == [nil, .computed])
    #expect(server.draft.comments[.entity("Note")] == nil)
  }

  @Test func whatIsNotUniqueIsCopiedThoughASequenceCountsIt() throws {
    #expect(try attribute("serial")?.type == .integer32)
  }

  @Test func stringsAreUUIDsWhereTheyAreNamedSo() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE note(id serial PRIMARY KEY, uuid char(36) UNIQUE, other text, code_uuid text);
      INSERT INTO note(uuid, other, code_uuid) SELECT u, u, 'x' FROM (SELECT gen_random_uuid()::text AS u) r
      """)
    try server.check()
    #expect(try server.entity("Note").attributes.map(\.type) == [.uuid, .string, .string])
  }

  @Test(arguments: ["upper", "lower"])
  func newUUIDsInTextsAreWrittenAsThoseThatAreThere(_ letters: String) throws {
    let server = try ImportedServer(
      """
      CREATE TABLE note(id text PRIMARY KEY, name text);
      INSERT INTO note SELECT \(letters)(gen_random_uuid()::text), 'a' FROM generate_series(1, 3)
      """)
    try server.check()
    let root = try #require(try server.graph.objectIDs("Note").first)
    #expect(try server.clone("Note", root.key) == ["note": 1])
    let others = "SELECT count(*) FROM note WHERE id <> \(letters)(id)"
    #expect(try server.connection.rows(others) == [[.integer(0)]])
  }

  @Test func aUniqueNumberThatASequenceCountsBesideTheKeyIsCountedAgain() throws {
    let server = try ImportedServer(
      """
      CREATE TABLE box(id serial PRIMARY KEY);
      CREATE TABLE note(id serial PRIMARY KEY, number bigserial UNIQUE, box_id int NOT NULL REFERENCES box);
      CREATE INDEX ON note(box_id); INSERT INTO box DEFAULT VALUES; INSERT INTO note(box_id) VALUES (1), (1)
      """)
    try server.check()
    #expect(try server.entity("Note").attributes.isEmpty)
    #expect(server.draft.comments[.entity("Note")]?.last?.contains("clones get the next numbers") == true)
    #expect(try server.clone("Box", 1) == ["box": 1, "note": 2])
    #expect(try server.connection.rows("SELECT max(number) FROM note") == [[.integer(4)]])
  }
}
