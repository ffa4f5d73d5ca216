import MOCloneKit
import TestSupport
import Testing

@testable import MOClonePostgres

/// Foreign keys with a column that the server computes, as that of a kind beside the key.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct GeneratedReferenceTests {
  private static let tables = """
    CREATE TABLE product(id serial PRIMARY KEY, type text NOT NULL, name text NOT NULL, UNIQUE (id, type));
    CREATE TABLE book(id serial PRIMARY KEY, product_id int NOT NULL, pages bigint NOT NULL,
      type text NOT NULL GENERATED ALWAYS AS ('book') STORED,
      FOREIGN KEY (product_id, type) REFERENCES product(id, type));
    """
  private static let books = "SELECT name, b.type, pages FROM book b JOIN product p ON p.id = product_id"

  private func fixture(_ rows: String) throws -> DatabaseFixture {
    try DatabaseFixture(SharedModel.shop, Self.tables + rows)
  }

  @Test("Copies leave a computed part of a reference to the server")
  func copies() throws {
    let source = try fixture(
      """
      INSERT INTO product(type, name) VALUES ('book', 'B'), ('cd', 'C'), ('book', 'E');
      INSERT INTO book(product_id, pages) VALUES (1, 100);
      """)
    let target = try fixture("INSERT INTO product(type, name) VALUES ('cd', 'X'), ('book', 'B');")
    try target.graph.copy(from: source.graph)
    #expect(try target.rows(Self.books) == ["B|book|100"])
    try source.connection.run("UPDATE book SET product_id = 3")
    try target.graph.copy(from: source.graph, CopyRequest(overwrites: true))
    #expect(try target.rows(Self.books) == ["E|book|100"])
  }

  @Test("Merges leave a computed part of a reference to the server")
  func merges() throws {
    let fixture = try fixture(
      """
      INSERT INTO product(type, name) VALUES ('book', 'D'), ('book', 'D');
      INSERT INTO book(product_id, pages) VALUES (1, 4), (2, 5);
      """)
    try fixture.graph.dedupe(DedupeRequest(entities: ["Product"]))
    #expect(try fixture.rows("SELECT name FROM product") == ["D"])
    #expect(try fixture.rows(Self.books + " ORDER BY pages") == ["D|book|4", "D|book|5"])
  }
}
