import MOCloneEngine
import MOCloneModel
import MOCloneSQL
import MOCloneSQLite
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "Columns that the model does not name, from one database to another",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct UnnamedColumnTests {
  private static let model = """
    version: 1
    name: Boards
    store: {naming: snakeCase}
    entities:
      Board:
        attributes: {name: String}
        relationships:
          notes: {destination: Note, toMany: true, inverse: board, deleteRule: cascade}
          tags: {destination: Tag, toMany: true, inverse: boards}
        uniquenessConstraints: [[name]]
      Note:
        attributes: {text: String}
        relationships: {board: {destination: Board, inverse: notes}}
        uniquenessConstraints: [[text]]
      Tag:
        attributes: {name: String}
        relationships: {boards: {destination: Board, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
    """

  private static let tables = """
    CREATE TYPE mood AS ENUM ('glad', 'sad');
    CREATE DOMAIN amount AS numeric(12, 3) CHECK (VALUE >= 0);
    CREATE TABLE board(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL,
      labels text[] DEFAULT '{standard}', grid int[][], settings jsonb, loose json, span interval, at time, zoned timetz,
      day date, moment timestamptz, ip inet, size int4range, mood mood, moods mood[], price amount, seen boolean DEFAULT true,
      bits bit varying, bytes bytea, near real, far double precision, cents money, place point,
      search tsvector GENERATED ALWAYS AS (to_tsvector('simple', name)) STORED, number bigserial, code varchar(8));
    CREATE TABLE note(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL, board_id bigint REFERENCES board,
      marks text[] NOT NULL DEFAULT '{}');
    CREATE TABLE tag(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, colours text[]);
    CREATE TABLE board_tag(board_id bigint REFERENCES board, tag_id bigint REFERENCES tag, since date DEFAULT '2000-01-01',
      weights real[], PRIMARY KEY (board_id, tag_id));
    """

  private static let rows = """
    INSERT INTO board(name, labels, grid, settings, loose, span, at, zoned, day, moment, ip, size, mood, moods, price, seen,
      bits, bytes, near, far, cents, place, code)
    VALUES ('a', '{spring,"two words",NULL,"a\\"b\\\\c"}', '{{1,2},{3,4}}', '{"a": [1, null, "é"]}', '{"b":  2}',
      '1 year -2 days 03:04:05.5', '12:34:56.789', '12:34:56+02', '2024-02-29', '2024-01-31 12:34:56.123456+01',
      '10.0.0.0/8', '[1,5)', 'glad', '{sad,NULL}', 1.500, false, B'10110', '\\x00ff0a', 0.1, 1e300, 12.34, '(1.5,-2)', 'x'),
      ('b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '-infinity', 'infinity', NULL, 'empty', NULL, '{}', NULL, NULL,
      NULL, '', 'NaN', '-Infinity', NULL, NULL, NULL);
    INSERT INTO note(text, board_id, marks) VALUES ('n', 1, '{x}'), ('m', 1, '{y,z}'), ('o', 2, '{}');
    INSERT INTO tag(name, colours) VALUES ('t', '{red}'), ('u', NULL);
    INSERT INTO board_tag VALUES (1, 1, '2024-05-06', '{0.5}'), (1, 2, NULL, NULL), (2, 1, '2024-07-08', '{}');
    """

  private func fixture(_ sql: String = "") throws -> DatabaseFixture {
    try DatabaseFixture(Self.model, Self.tables + sql)
  }

  /// Everything but keys, and the number that a sequence counts.
  private func contents(_ database: DatabaseFixture) throws -> [String] {
    try [
      "SELECT to_jsonb(b) - 'id' - 'number' || jsonb_build_object('loose', loose::text) FROM board b ORDER BY name",
      "SELECT n.text, b.name, n.marks FROM note n JOIN board b ON b.id = n.board_id ORDER BY 1",
      "SELECT name, colours FROM tag ORDER BY 1",
      """
      SELECT b.name, t.name, since, weights FROM board_tag j JOIN board b ON b.id = board_id JOIN tag t ON t.id = tag_id
      ORDER BY 1, 2
      """,
    ].flatMap(database.rows)
  }

  @Test("A copy brings them with new objects and new pairs, of every type")
  func copied() throws {
    let (source, target) = (try fixture(Self.rows), try fixture())
    try target.graph.copy(from: source.graph)
    #expect(try contents(target) == contents(source))
    #expect(try target.graph.copy(from: source.graph).changes == 0)
    #expect(try target.rows("SELECT count(DISTINCT number) FROM board") == ["2"])
    #expect(try target.graph.differences(from: source.graph, identifiedBy: [:]) == Self.counted)
  }

  /// What is counted anew in each database.
  private static let counted = ["the column 'number' of the table 'board'"]

  @Test("Objects that are there keep what they hold")
  func found() throws {
    let source = try fixture(Self.rows)
    let target = try fixture("INSERT INTO board(name, labels, day) VALUES ('b', '{own}', '1999-01-01')")
    try target.graph.copy(from: source.graph)
    let rows = "SELECT name, labels, day FROM board ORDER BY name"
    #expect(try target.rows(rows) == [source.rows(rows)[0], "b|{own}|1999-01-01"])
  }

  @Test("A subtree brings them, with its keys or with new ones", arguments: [false, true])
  func copySubtree(keepsKeys: Bool) throws {
    let (source, target) = (try fixture(Self.rows), try fixture())
    let (plan, root) = (
      try source.graph.plan("Board", CloneRequest()), try source.graph.object("Board", key: 1).id
    )
    let request = SubtreeRequest(missing: .create, keepsKeys: keepsKeys)
    try target.graph.clone(plan, roots: [root], from: source.graph, request)
    try source.connection.run(
      "DELETE FROM board_tag WHERE board_id = 2; DELETE FROM note WHERE board_id = 2; DELETE FROM board WHERE id = 2"
    )
    #expect(try contents(target) == contents(source))
  }

  @Test("Rows that are read one by one bring them as well, as for a role that may make no temporary tables")
  func oneByOne() throws {
    let (source, target) = (try fixture(Self.rows), try fixture())
    let role = source.database.name + "_role"
    try source.connection.run(
      """
      CREATE ROLE \(role) LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role);
      REVOKE TEMPORARY ON DATABASE \(source.database.name) FROM PUBLIC
      """)
    do {
      let connection = try PostgresConnection(source.database.location("user=\(role)"))
      let graph = PostgresGraph(connection, model: source.graph.model)
      try target.graph.copy(from: graph, CopyRequest(entities: ["Board"], limit: 100))
      #expect(try contents(target) == contents(source))
    }
    try source.connection.run("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  @Test("Those of another type, or that only one database has, are left to their defaults, and are named")
  func otherTypes() throws {
    let source = try fixture(Self.rows)
    let target = try fixture(
      "ALTER TABLE board ALTER code TYPE text, ALTER grid TYPE bigint[], DROP ip, ALTER code SET DEFAULT 'none', ALTER seen SET NOT NULL"
    )
    try target.graph.copy(from: source.graph)
    #expect(
      try target.rows("SELECT code, grid, settings->'a' FROM board WHERE name = 'a'")
        == ["none|null|[1, null, \"é\"]"])
    let shared = try target.graph.sharedSchema(with: source.graph)
    #expect(
      try source.graph.unnamedContents(sharing: shared)
        == ["grid", "ip", "seen", "number", "code"].map { "the column '\($0)' of the table 'board'" })
    #expect(try SQLiteGraph.temporary(source.graph.model).sharedSchema(with: source.graph) == nil)
  }

  @Test("Those whose types have one name and are made otherwise are left to their defaults, and are named")
  func otherDefinitions() throws {
    func fixture(_ types: String) throws -> DatabaseFixture {
      try DatabaseFixture(
        "entities: {Ware: {attributes: {code: String}, uniquenessConstraints: [[code]]}}",
        types + """
          ; CREATE DOMAIN kept AS numeric(6, 1);
          CREATE TABLE ware(id bigserial PRIMARY KEY, code text NOT NULL, price price, prices price[], place place,
            item item, items item[], mood mood, kept kept, many kept[], span span)
          """)
    }
    let source = try fixture(
      """
      CREATE DOMAIN price AS numeric(10, 4); CREATE TYPE place AS (x int, y int);
      CREATE TYPE item AS (cost numeric(10, 4)); CREATE TYPE mood AS ENUM ('glad', 'sad');
      CREATE TYPE span AS RANGE (subtype = numeric)
      """)
    let target = try fixture(
      """
      CREATE DOMAIN price AS numeric(10, 2); CREATE TYPE place AS (y int, x int);
      CREATE TYPE item AS (cost numeric(10, 2)); CREATE TYPE mood AS ENUM ('glad');
      CREATE TYPE span AS RANGE (subtype = float8)
      """)
    try source.connection.run(
      """
      INSERT INTO ware(code, price, prices, place, item, items, mood, kept, many, span)
      VALUES ('a', 1.2345, '{1.2345}', '(1,2)', '(1.2345)', '{(1.2345)}', 'glad', 1.5, '{2.5}', '[1,2]')
      """)
    try target.graph.copy(from: source.graph)
    #expect(
      try target.rows("SELECT to_jsonb(w) - 'id' FROM ware w") == [
        """
        {"code": "a", "item": null, "kept": 1.5, "many": [2.5], "mood": null, "span": null, "items": null, \
        "place": null, "price": null, "prices": null}
        """
      ])
    let shared = try target.graph.sharedSchema(with: source.graph)
    #expect(
      try source.graph.unnamedContents(sharing: shared)
        == ["price", "prices", "place", "item", "items", "mood", "span"].map {
          "the column '\($0)' of the table 'ware'"
        })
  }
}
