import Foundation
import MOCloneKit
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "What rows of a file take from other objects in PostgreSQL",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct TakenValueTests {
  /// Seats whose numbers are unique in their table alone.
  private static let seats =
    "entities: {Seat: {attributes: {name: String, number: Integer 32?}, uniquenessConstraints: [[name]]}}"

  @Test("The object that had the partner is without it", arguments: ["", "UNIQUE"])
  func released(_ constraint: String) throws {
    let database = try DatabaseFixture(
      SharedModel.cards(),
      """
      CREATE TABLE customer(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE);
      CREATE TABLE card(id bigserial PRIMARY KEY, code text NOT NULL UNIQUE,
        owner_id bigint \(constraint) REFERENCES customer);
      """)
    let mapping = try ImportMapping(
      yaml:
        "{entity: Customer, attributes: {name: '@name'}, relationships: {card: {attributes: {code: '@code'}}}}"
    )
    let found =
      "SELECT code, coalesce(c.name, '-') FROM card LEFT JOIN customer c ON c.id = owner_id ORDER BY 1"
    let files = [
      ("a,1\nb,2\n", ["1|a", "2|b"]), ("a,3\n", ["1|-", "2|b", "3|a"]),
      ("b,3\na,2\n", ["1|-", "2|a", "3|b"]),
    ]
    for (rows, cards) in files {
      try database.graph.importData(
        Data("name,code\n\(rows)".utf8), format: .csv, mapping: mapping,
        options: ImportOptions(existing: .update))
      #expect(try database.rows(found) == cards)
    }
  }

  @Test("A new object takes a unique value that another row gives up", arguments: ["int", "int NOT NULL"])
  func uniqueValues(_ type: String) throws {
    let database = try DatabaseFixture(
      SharedModel.seats(isOptional: type == "int"),
      "CREATE TABLE seat(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, number \(type) UNIQUE)")
    let mapping = try ImportMapping(yaml: "{entity: Seat, attributes: {name: '@name', number: '@number'}}")
    for rows in ["a,1\nb,2\n", "c,1\na,2\nb,3\n"] {
      try database.graph.importData(
        Data("name,number\n\(rows)".utf8), format: .csv, mapping: mapping,
        options: ImportOptions(existing: .update))
    }
    #expect(try database.rows("SELECT name, number FROM seat ORDER BY 1") == ["a|2", "b|3", "c|1"])
  }

  @Test(
    "So it does where a unique index holds some rows only, or compares what is computed",
    arguments: [
      "CREATE UNIQUE INDEX ON seat(number) WHERE name <> ''", "CREATE UNIQUE INDEX ON seat(abs(number))",
      "ALTER TABLE seat ADD COLUMN twice int GENERATED ALWAYS AS (number * 2) STORED UNIQUE",
    ])
  func specialIndexes(_ index: String) throws {
    let database = try DatabaseFixture(
      Self.seats,
      "CREATE TABLE seat(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, number int); \(index);")
    let mapping = try ImportMapping(yaml: "{entity: Seat, attributes: {name: '@name', number: '@number'}}")
    for rows in ["a,1\nb,2\n", "c,1\na,2\nb,3\n", "a,3\nb,2\n"] {
      try database.graph.importData(
        Data("name,number\n\(rows)".utf8), format: .csv, mapping: mapping,
        options: ImportOptions(existing: .update))
    }
    #expect(try database.rows("SELECT name, number FROM seat ORDER BY 1") == ["a|3", "b|2", "c|1"])
  }

  @Test(
    "A seed leaves a null that such an index would refuse",
    arguments: ["(number) WHERE name <> ''", "(abs(number))"])
  func fills(_ index: String) throws {
    func database(_ rows: String) throws -> DatabaseFixture {
      try DatabaseFixture(
        Self.seats,
        """
        CREATE TABLE seat(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, number int);
        CREATE UNIQUE INDEX ON seat\(index);
        INSERT INTO seat(name, number) VALUES \(rows);
        """)
    }
    for number in index.hasPrefix("(abs") ? [5, -5] : [5] {
      let (source, target) = try (
        database("('a', \(number)), ('c', 8)"), database("('a', NULL), ('b', 5)")
      )
      let file = try SQLiteGraph.temporary(target.graph.model)
      try file.copy(from: source.graph)
      let report = try target.graph.seed(from: file)
      #expect(try target.rows("SELECT name, number FROM seat ORDER BY 1") == ["a|null", "b|5", "c|8"])
      #expect(report.skipped?.map(\.place) == ["Seat 1"])
    }
  }

  @Test("What refers to unique values follows while rows swap them", arguments: ["int", "int NOT NULL"])
  func references(_ type: String) throws {
    let database = try DatabaseFixture(
      SharedModel.seats(isOptional: type == "int"),
      """
      CREATE TABLE seat(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, number \(type) UNIQUE);
      CREATE TABLE guest(name text, number int REFERENCES seat(number) ON UPDATE CASCADE);
      INSERT INTO seat(name, number) VALUES ('a', 1), ('b', 2);
      INSERT INTO guest SELECT name, number FROM seat;
      """)
    let mapping = try ImportMapping(yaml: "{entity: Seat, attributes: {name: '@name', number: '@number'}}")
    try database.graph.importData(
      Data("name,number\na,2\nb,1\nc,3\n".utf8), format: .csv, mapping: mapping,
      options: ImportOptions(existing: .update))
    #expect(
      try database.rows("SELECT g.name, s.name, number FROM guest g JOIN seat s USING (number) ORDER BY 1")
        == ["a|a|2", "b|b|1"])
  }

  @Test(
    "Unique values are swapped in columns of every type, also where they have room for few characters",
    arguments: [
      ("varchar(5)", "String?", "a", "b"), ("char(3) NOT NULL", "String", "aaa", "bbb"),
      ("varchar(2) CHECK (code ~ '^[A-Z]$')", "String?", "A", "B"),
      ("date", "Date?", "2020-01-01", "2021-01-01"),
      ("boolean", "Boolean?", "true", "false"),
    ])
  func swaps(type: String, attribute: String, first: String, second: String) throws {
    let database = try DatabaseFixture(
      "entities: {Item: {attributes: {name: String, code: \(attribute)}, uniquenessConstraints: [[name]]}}",
      """
      CREATE TABLE item(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, code \(type) UNIQUE);
      INSERT INTO item(name, code) VALUES ('x', '\(first)'), ('y', '\(second)');
      """)
    let mapping = try ImportMapping(yaml: "{entity: Item, attributes: {name: '@name', code: '@code'}}")
    try database.graph.importData(
      Data("name,code\nx,\(second)\ny,\(first)\n".utf8), format: .csv, mapping: mapping,
      options: ImportOptions(existing: .update))
    #expect(
      try database.rows("SELECT name FROM item WHERE code = '\(second)'") == ["x"]
        && database.rows("SELECT name FROM item WHERE code = '\(first)'") == ["y"])
  }
}
