import Foundation
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
}
