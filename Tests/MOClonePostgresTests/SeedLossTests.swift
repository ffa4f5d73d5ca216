import Foundation
import GRDB
import MOCloneSQLite
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "What a file would lose with its removal after a seed of a server",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct SeedLossTests {
  private static let model = """
    version: 1
    name: Orders
    entities:
      Order:
        table: orders
        attributes: {code: String, total: Decimal?, share: Decimal?, ratio: Float?, day: Date?, at: Date?, payload: String?}
        uniquenessConstraints: [[code]]
    """

  private static let tables = """
    CREATE TABLE orders(id bigserial PRIMARY KEY, code text UNIQUE, total numeric(12, 2), share numeric, ratio real, day date,
      at timestamptz, payload jsonb);
    """

  private static let rows = """
    INSERT INTO orders(code, total, share, ratio, day, at, payload) VALUES
      ('a', 9, 1.10, 0.1, '2024-01-31', '2024-01-01 00:00:00.123456+00', '{"b": 1, "a": 2}'),
      ('b', 9.5, 2.00, 16777217, '2024-02-29', '2024-01-01', '[]'), ('c', NULL, NULL, NULL, NULL, NULL, NULL);
    """

  @Test("Values are the same that the types of the columns take for the same, and others are said")
  func values() throws {
    let database = try DatabaseFixture(Self.model, Self.tables + Self.rows)
    let file = try SQLiteGraph.temporary(database.graph.model)
    try file.copy(from: database.graph)
    let report = try database.graph.seed(from: file)
    #expect(try database.graph.lacking(of: file, seeded: report) == [])
    let empty = try DatabaseFixture(Self.model, Self.tables)
    #expect(try empty.graph.lacking(of: file, seeded: empty.graph.seed(from: file)) == [])
    for change in ["total = total + 0.01", "ratio = 0.2", "day = '2024-03-01'", "payload = '{}'"] {
      let changed = try DatabaseFixture(Self.model, Self.tables + Self.rows + "UPDATE orders SET \(change);")
      let report = try changed.graph.seed(from: file)
      #expect(
        try changed.graph.lacking(of: file, seeded: report).first == "Order 1: \(change.prefix { $0 != " " })"
      )
    }
  }

  private static let things = """
    version: 1
    name: Things
    entities:
      Thing:
        attributes: {name: String, at: Date?, flag: Boolean?, payload: String?}
        uniquenessConstraints: [[name]]
    """

  @Test(
    "A value that the server takes for the same and holds with less is said",
    arguments: [
      ("at", "'2024-05-06T07:08:09.1234567Z'", true), ("at", "'2024-05-06T07:08:09.1234560Z'", false),
      ("at", "'2024-05-06 07:08:09.123456'", false), ("flag", "2", true), ("flag", "1", false),
      ("payload", #"'{"a": 1, "a": 2}'"#, true), ("payload", #"'[{"b": {"a": 1, "a": 2}}]'"#, true),
      ("payload", #"'[{"a": ":\"a"}, {"a": {"a": "a"}}]'"#, false),
    ])
  func lessRoom(_ attribute: String, _ value: String, isLess: Bool) throws {
    let database = try DatabaseFixture(
      Self.things,
      "CREATE TABLE thing(id bigserial PRIMARY KEY, name text UNIQUE, at timestamptz, flag smallint, payload jsonb)"
    )
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE thing(id INTEGER PRIMARY KEY, name TEXT, at TEXT, flag INTEGER, payload TEXT);
          INSERT INTO thing(name, \(attribute)) VALUES ('a', \(value))
          """)
    }
    let file = SQLiteGraph(queue, model: database.graph.model)
    let report = try database.graph.seed(from: file)
    let lacking = try database.graph.lacking(of: file, seeded: report)
    #expect(lacking == (isLess ? ["Thing 1: \(attribute)"] : []))
  }
}
