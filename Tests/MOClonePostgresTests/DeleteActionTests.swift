import MOCloneKit
import MOCloneSQL
import TestSupport
import Testing

@testable import MOClonePostgres

/// What becomes of references to objects that a sync deletes.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct DeleteActionTests {
  private static let yaml = """
    version: 1
    name: Regions
    entities:
      Region:
        primaryKey: [country, code]
        attributes: {country: String, code: String, name: String}
        relationships: {addresses: {destination: Address, toMany: true, inverse: region}}
        uniquenessConstraints: [[name]]
      Address:
        attributes: {street: String}
        relationships: {region: {destination: Region, optional: true, inverse: addresses, column: [country, region]}}
    """

  private static func tables(_ country: String, _ action: String) -> String {
    """
    CREATE TABLE region(country text, code text, name text NOT NULL UNIQUE, PRIMARY KEY (country, code));
    CREATE TABLE address(id serial PRIMARY KEY, street text NOT NULL, country text \(country), region text,
      FOREIGN KEY (country, region) REFERENCES region \(action));
    INSERT INTO region VALUES ('DE', 'BY', 'Bayern'), ('DE', 'HE', 'Hessen');
    INSERT INTO address(street, country, region) VALUES ('a', 'DE', 'BY'), ('b', 'DE', 'HE');
    """
  }

  @Test(
    "The columns are emptied that the database would empty, or that can be",
    arguments: [
      ("", "ON DELETE SET NULL (region)", "DE"), ("NOT NULL", "ON DELETE SET NULL (region)", "DE"),
      ("NOT NULL", "", "DE"), ("", "ON DELETE SET NULL", "null"),
    ])
  func emptied(country: String, action: String, left: String) throws {
    let store = try DatabaseFixture(Self.yaml, Self.tables(country, action))
    let report = try store.graph.sync(
      SyncRequest(entity: "Region", isConfirmed: true),
      from: [["country": "DE", "code": "HE", "name": "Hessen"]])
    #expect(report.nullified == ["Address.region": 1])
    #expect(
      try store.rows("SELECT street, country, region FROM address ORDER BY 1") == [
        "a|\(left)|null", "b|DE|HE",
      ])
  }

  @Test(
    "A reference that shares a column with the key is emptied without it, in the schema of a new store, too")
  func shared() throws {
    let yaml = """
      version: 1
      name: Staff
      entities:
        Person:
          primaryKey: [tenant, id]
          attributes: {tenant: Integer 32, id: Integer 32, name: String}
          relationships:
            boss: {destination: Person, optional: true, inverse: staff, column: [tenant, boss_id]}
            staff: {destination: Person, toMany: true, inverse: boss}
      """
    let store = try DatabaseFixture(
      yaml,
      try SchemaWriter(ObjectModel(yaml: yaml), dialect: .postgres).statements().joined(separator: ";\n"))
    try store.connection.run(
      "INSERT INTO person(tenant, id, name, boss_id) VALUES (1, 1, 'a', NULL), (1, 2, 'b', 1)")
    try store.connection.run("DELETE FROM person WHERE id = 1")
    #expect(try store.rows("SELECT tenant, id, boss_id FROM person") == ["1|2|null"])
  }

  @Test(
    "Rows beside the model that would be there twice stay where they are, and the others follow a merge",
    arguments: [
      "UNIQUE (author_id, k)", "PRIMARY KEY (author_id, k)", "EXCLUDE (author_id WITH =, k WITH =)",
    ])
  func outside(constraint: String) throws {
    let store = try DatabaseFixture(
      "{version: 1, name: A, entities: {Author: {attributes: {name: String}}}}",
      """
      CREATE TABLE author(id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE outside(author_id int NOT NULL REFERENCES author ON DELETE CASCADE, k text NOT NULL, v int, \(constraint));
      INSERT INTO author(name) VALUES ('Ann'), ('Ann'), ('Bob');
      INSERT INTO outside VALUES (1, 'k', 1), (2, 'k', 2), (2, 'm', 3);
      """)
    let report = try store.graph.dedupe(
      DedupeRequest(entities: ["Author"], identifiedBy: ["Author": ["name"]]))
    #expect(report.merged == ["Author": 1])
    #expect(report.skipped?.map(\.place) == ["outside"])
    #expect(try store.rows("SELECT author_id, k, v FROM outside ORDER BY k") == ["1|k|1", "1|m|3"])
  }
}
