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

  @Test("Rows beside the model that refer to duplicates by a computed key are not lost")
  func besideTheModel() throws {
    let fixture = try DatabaseFixture(
      "entities: {Product: {attributes: {name: String}}}",
      """
      CREATE TABLE product(id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE note(id serial PRIMARY KEY, target int,
        product_id int GENERATED ALWAYS AS (target) STORED REFERENCES product ON DELETE CASCADE);
      INSERT INTO product(name) VALUES ('D'), ('D');
      INSERT INTO note(target) VALUES (1), (2);
      """)
    let error = #expect(throws: CloneError.self) {
      try fixture.graph.dedupe(DedupeRequest(entities: ["Product"], identifiedBy: ["Product": ["name"]]))
    }
    #expect(error?.code == .rowCount)
    #expect(
      error?.failures.first?.help == "change the columns from which the database computes these references")
    #expect(try fixture.rows("SELECT count(*) FROM note") == ["2"])
  }

  @Test("A copy whose computed references would lead to others is refused")
  func strangers() throws {
    func fixture(_ rows: String) throws -> DatabaseFixture {
      try DatabaseFixture(
        """
        entities:
          Owner:
            attributes: {code: String}
            relationships: {notes: {destination: Note, toMany: true, inverse: owner}}
            uniquenessConstraints: [[code]]
          Note:
            attributes: {name: String, target: Integer 64}
            relationships: {owner: {destination: Owner, inverse: notes}}
            uniquenessConstraints: [[name]]
        """,
        """
        CREATE TABLE owner(id bigserial PRIMARY KEY, code text NOT NULL UNIQUE);
        CREATE TABLE note(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, target bigint NOT NULL,
          owner_id bigint GENERATED ALWAYS AS (target) STORED REFERENCES owner);
        \(rows)
        """)
    }
    let source = try fixture(
      "INSERT INTO owner(code) VALUES ('a'); INSERT INTO note(name, target) VALUES ('n', 1);")
    let filled = try fixture("INSERT INTO owner(code) VALUES ('x');")
    let error = #expect(throws: CloneError.self) { try filled.graph.copy(from: source.graph) }
    #expect(error?.code == .generatedColumn)
    #expect(error?.failures.first?.object == ObjectID("Note", key: 1))
    #expect(try filled.rows("SELECT code FROM owner") == ["x"])
    let empty = try fixture("")
    try empty.graph.copy(from: source.graph)
    #expect(try empty.rows("SELECT name, code FROM note JOIN owner ON owner.id = owner_id") == ["n|a"])
  }
}
