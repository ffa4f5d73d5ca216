import MOCloneEngine
import MOCloneModel
import TestSupport
import Testing

@testable import MOClonePostgres

/// Keys that a function makes, so that the app's own rows and those of clones never have the same.
@Suite(
  "Keys that defaults of a server make", .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct GeneratedKeyTests {
  private static let model = """
    version: 1
    name: Orders
    store: {naming: snakeCase}
    entities:
      Bill:
        attributes: {name: String}
        relationships: {lines: {destination: Line, toMany: true, inverse: bill, deleteRule: cascade}}
      Line:
        attributes: {name: String}
        relationships: {bill: {destination: Bill, inverse: lines}}
    """

  private static let tables = """
    CREATE SEQUENCE numbers;
    CREATE FUNCTION next_id() RETURNS bigint LANGUAGE sql AS $$ SELECT nextval('numbers') * 10 + 1 $$;
    CREATE TABLE bill(id bigint PRIMARY KEY DEFAULT next_id(), name text NOT NULL);
    CREATE TABLE line(id int PRIMARY KEY DEFAULT (nextval('numbers') * 10 + 2)::int, name text NOT NULL,
      bill_id bigint NOT NULL REFERENCES bill);
    """

  private func store(lines: Int) throws -> DatabaseFixture {
    let store = try DatabaseFixture(Self.model, Self.tables)
    try store.connection.run(
      """
      INSERT INTO bill(name) VALUES ('a');
      INSERT INTO line(name, bill_id) SELECT 'l' || i, (SELECT id FROM bill) FROM generate_series(1, \(lines)) i
      """)
    return store
  }

  @Test("Clones ask the function for each key, whatever their size", arguments: [3, 500])
  func clones(lines: Int) throws {
    let store = try store(lines: lines)
    try store.clone("Bill", 11)
    try store.clone("Bill", 11, CloneRequest(count: 2))
    let counts = "SELECT count(*), count(DISTINCT name), sum((id % 10 = 2)::int) FROM line GROUP BY bill_id"
    #expect(try store.rows(counts) == Array(repeating: "\(lines)|\(lines)|\(lines)", count: 4))
    #expect(try store.rows("SELECT count(*) FROM bill WHERE id % 10 = 1") == ["4"])
    try store.connection.run(
      "INSERT INTO bill(name) VALUES ('b'); INSERT INTO line(name, bill_id) VALUES ('x', 11)")
  }

  /// It would give one number to all rows that are made at once.
  @Test("A sequence of decimal keys goes on behind keys that come along")
  func decimals() throws {
    let tables =
      "CREATE SEQUENCE s; CREATE TABLE bill(id numeric PRIMARY KEY DEFAULT nextval('s'), name text UNIQUE)"
    let model = """
      version: 1
      name: Bills
      entities: {Bill: {attributes: {name: String}, uniquenessConstraints: [[name]]}}
      """
    let (source, target) = (try DatabaseFixture(model, tables), try DatabaseFixture(model, tables))
    try source.connection.run("INSERT INTO bill(id, name) VALUES (5, 'a'), (7, 'b')")
    let roots = try source.graph.objectIDs("Bill")
    try target.graph.clone(
      source.graph.plan("Bill", CloneRequest()), roots: roots, from: source.graph,
      SubtreeRequest(keepsKeys: true)
    )
    try target.connection.run("INSERT INTO bill(name) VALUES ('next')")
    #expect(try target.rows("SELECT * FROM bill ORDER BY id") == ["5|a", "7|b", "8|next"])
  }

  @Test("A function that asks no sequence is left to the app")
  func greatest() throws {
    let store = try DatabaseFixture(
      Self.model,
      """
      CREATE FUNCTION next_line() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT coalesce(max(id), 0) + 1 FROM line); END';
      CREATE TABLE bill(id bigserial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE line(id int PRIMARY KEY, name text NOT NULL, bill_id bigint NOT NULL REFERENCES bill);
      ALTER TABLE line ALTER id SET DEFAULT next_line();
      INSERT INTO bill(name) VALUES ('a'); INSERT INTO line VALUES (1, 'b', 1), (2, 'c', 1);
      """)
    try store.clone("Bill", 1)
    #expect(
      try store.rows("SELECT id, name, bill_id FROM line ORDER BY 1") == ["1|b|1", "2|c|1", "3|b|2", "4|c|2"])
  }

  @Test("Copies, imports and what is looked at only leave the function to new rows of their own")
  func moves() throws {
    let (source, target) = (try store(lines: 3), try DatabaseFixture(Self.model, Self.tables))
    try target.graph.copy(from: source.graph)
    try target.connection.run("INSERT INTO bill(name) VALUES ('b')")
    #expect(try target.rows("SELECT sum((id % 10 = 1)::int) FROM bill") == ["2"])
    #expect(try target.rows("SELECT sum((id % 10 = 2)::int) FROM line") == ["3"])
    let key = try #require(try target.graph.objectIDs("Bill").first)
    let used = try target.rows("SELECT last_value FROM numbers")
    let plan = try ClonePlan(model: target.graph.model, entity: "Bill")
    #expect(try target.graph.preview(plan, roots: [key]).cloned == ["Bill": 1, "Line": 3])
    #expect(try target.rows("SELECT last_value FROM numbers") == used)
    try target.graph.sync(
      SyncRequest(entity: "Bill", identifiedBy: ["Bill": ["name"]], deletes: false), from: [["name": "c"]])
    #expect(try target.rows("SELECT id % 10 FROM bill WHERE name = 'c'") == ["1"])
  }
}
