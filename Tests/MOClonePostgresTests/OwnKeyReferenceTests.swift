import MOCloneKit
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// References that hold the key of their own row and lead to what belongs to it, as to the main one of its contacts.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct OwnKeyReferenceTests {
  private static let keys = [
    "integer GENERATED ALWAYS AS IDENTITY", "bigserial", "uuid DEFAULT gen_random_uuid()",
  ]

  private func customers(_ key: String, _ rows: String = "") throws -> DatabaseFixture {
    let type = key.hasPrefix("uuid") ? "uuid" : key == "bigserial" ? "bigint" : "integer"
    let primaryKey = type == "uuid" ? "primaryKey: {column: id, generate: uuid}" : "primaryKey: id"
    return try DatabaseFixture(
      """
      version: 1
      name: Customers
      entities:
        Customer:
          \(primaryKey)
          attributes: {name: String, grp: String?}
          relationships:
            main:
              destination: Contact
              optional: true
              inverse: mainOf
              column: [{column: main_id, references: id}, {column: id, references: customer_id}]
            contacts: {destination: Contact, toMany: true, inverse: customer, deleteRule: cascade}
          uniquenessConstraints: [[name]]
        Contact:
          \(primaryKey)
          attributes: {name: String}
          relationships:
            customer: {destination: Customer, inverse: contacts}
            mainOf: {destination: Customer, optional: true, inverse: main}
          uniquenessConstraints: [[customer, name]]
      """,
      """
      CREATE TABLE customer(id \(key) PRIMARY KEY, main_id \(type), name text NOT NULL, grp text);
      CREATE TABLE contact(id \(key) PRIMARY KEY, customer_id \(type) NOT NULL REFERENCES customer ON DELETE CASCADE,
        name text NOT NULL, UNIQUE (id, customer_id), UNIQUE (customer_id, name));
      ALTER TABLE customer ADD FOREIGN KEY (main_id, id) REFERENCES contact(id, customer_id);

      """ + rows)
  }

  private static let rows = """
    INSERT INTO customer(name) VALUES ('x'), ('y');
    INSERT INTO contact(customer_id, name) SELECT id, 'a' || name FROM customer;
    INSERT INTO contact(customer_id, name) SELECT id, 'b' || name FROM customer;
    UPDATE customer c SET main_id = (SELECT id FROM contact WHERE customer_id = c.id AND name = 'by') WHERE name = 'y';
    """

  private static let found = """
    SELECT c.name, m.name, k.name FROM customer c JOIN contact k ON k.customer_id = c.id
      LEFT JOIN contact m ON m.id = c.main_id AND m.customer_id = c.id ORDER BY 1, 3
    """
  private static let y = ["y|by|ay", "y|by|by"]
  private static let all = ["x|null|ax", "x|null|bx"] + y

  @Test("They are copied, by way of a file as well", arguments: keys)
  func copies(_ key: String) throws {
    let (source, target, last) = (try customers(key, Self.rows), try customers(key), try customers(key))
    #expect(try target.graph.copy(from: source.graph).created == ["Customer": 2, "Contact": 4])
    #expect(try target.rows(Self.found) == Self.all)
    #expect(try target.graph.copy(from: source.graph).changes == 0)
    let file = try SQLiteGraph.temporary(source.graph.model)
    try file.copy(from: source.graph)
    try last.graph.copy(from: file)
    #expect(try last.rows(Self.found) == Self.all)
  }

  @Test("They come along with what is cut out, by way of a file as well", arguments: keys, [true, false])
  func cuts(_ key: String, keepsKeys: Bool) throws {
    let (source, target, last) = (try customers(key, Self.rows), try customers(key), try customers(key))
    let plan = try source.graph.plan("Customer", CloneRequest())
    func y(_ graph: any ObjectGraph) throws -> [ObjectID] {
      try graph.objects("Customer").filter { try $0.value("name") == "y" }.map(\.id)
    }
    let request = SubtreeRequest(keepsKeys: keepsKeys)
    try target.graph.clone(plan, roots: y(source.graph), from: source.graph, request)
    #expect(try target.rows(Self.found) == Self.y)
    let file = try SQLiteGraph.temporary(source.graph.model)
    try file.clone(plan, roots: y(source.graph), from: source.graph, request)
    try last.graph.clone(plan, roots: y(file), from: file, request)
    #expect(try last.rows(Self.found) == Self.y)
    guard keepsKeys else { return }
    let error = #expect(throws: CloneError.self) {
      try last.graph.clone(plan, roots: y(file), from: file, request)
    }
    // UUIDs are looked for before anything is written.
    #expect(error?.code == .uniqueValue)
    #expect(error?.failures.first?.property == (key.hasPrefix("uuid") ? nil : "id"))
  }

  @Test("One is set without a word about the key", arguments: keys)
  func sets(_ key: String) throws {
    let database = try customers(key, Self.rows)
    let objects = try database.graph.objects("Contact")
    let contact = try #require(try objects.first { try $0.value("name") == "ax" })
    try #require(try contact.destination("customer")).set(contact, for: "main")
    #expect(try database.rows(Self.found) == ["x|ax|ax", "x|ax|bx"] + Self.y)
  }

  @Test(
    "What stays of doubles has the main contact of one, also where it becomes one with another",
    arguments: keys, ["a", "b"])
  func merges(_ key: String, main: String) throws {
    let database = try customers(
      key,
      """
      INSERT INTO customer(name, grp) VALUES ('x', 'g'), ('z', 'g');
      INSERT INTO contact(customer_id, name) SELECT id, 'a' FROM customer;
      INSERT INTO contact(customer_id, name) SELECT id, 'b' FROM customer WHERE name = 'z';
      UPDATE customer c SET main_id = (SELECT id FROM contact WHERE customer_id = c.id AND name = '\(main)')
        WHERE name = 'z';
      """)
    let report = try database.graph.dedupe(
      DedupeRequest(entities: ["Customer"], identifiedBy: ["Customer": ["grp"]]))
    #expect(report.merged == ["Customer": 1, "Contact": 1])
    let left = """
      SELECT m.name, k.name FROM contact k JOIN customer c ON c.id = k.customer_id
        LEFT JOIN contact m ON m.id = c.main_id AND m.customer_id = c.id ORDER BY 2
      """
    #expect(try database.rows(left) == ["\(main)|a", "\(main)|b"])
  }

  @Test("Where one must always lead somewhere a merge is refused, and nothing is changed")
  func required() throws {
    let database = try customers(
      "bigserial",
      """
      ALTER TABLE customer ALTER main_id SET NOT NULL;
      WITH c AS (INSERT INTO customer(id, name, grp, main_id) VALUES (1, 'x', 'g', 1), (2, 'z', 'g', 2))
      INSERT INTO contact(id, customer_id, name) VALUES (1, 1, 'a'), (2, 2, 'a');
      """)
    for merged in [["Customer"], ["Customer", "Contact"]] {
      let error = #expect(throws: CloneError.self) {
        try database.graph.dedupe(DedupeRequest(entities: merged, identifiedBy: ["Customer": ["grp"]]))
      }
      #expect(error?.code == .requiredLeftEmpty)
    }
    #expect(try database.rows(Self.found) == ["x|a|a", "z|a|a"])
  }

  private func teams(_ rows: String = "") throws -> DatabaseFixture {
    try DatabaseFixture(
      """
      version: 1
      name: Teams
      entities:
        Team:
          attributes: {name: String}
          relationships:
            projects: {destination: Project, toMany: true, inverse: team, deleteRule: cascade}
            members: {destination: Member, toMany: true, inverse: team, deleteRule: cascade}
        Project:
          primaryKey: [team_id, {column: id, generate: max}]
          attributes: {name: String}
          relationships:
            team: {destination: Team, inverse: projects}
            lead:
              destination: Member
              optional: true
              inverse: leads
              column:
                - {column: team_id, references: team_id}
                - {column: id, references: project_id}
                - {column: lead_id, references: id}
            members: {destination: Member, toMany: true, inverse: project, deleteRule: cascade}
        Member:
          primaryKey: [team_id, {column: id, generate: max}]
          attributes: {name: String}
          relationships:
            team: {destination: Team, inverse: members}
            project: {destination: Project, inverse: members, column: [team_id, project_id]}
            leads: {destination: Project, optional: true, inverse: lead}
          uniquenessConstraints: [[team, project, name]]
      """,
      """
      CREATE TABLE team(id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE project(team_id int NOT NULL REFERENCES team ON DELETE CASCADE, id serial, lead_id int,
        name text NOT NULL, PRIMARY KEY (team_id, id));
      CREATE TABLE member(team_id int NOT NULL REFERENCES team ON DELETE CASCADE, project_id int NOT NULL, id serial,
        name text NOT NULL, PRIMARY KEY (team_id, id), UNIQUE (team_id, project_id, id),
        FOREIGN KEY (team_id, project_id) REFERENCES project ON DELETE CASCADE);
      ALTER TABLE project ADD FOREIGN KEY (team_id, id, lead_id) REFERENCES member(team_id, project_id, id)
        ON DELETE SET NULL (lead_id);

      """ + rows)
  }

  @Test("So do those of keys of several columns")
  func keysOfSeveralColumns() throws {
    let source = try teams(
      """
      INSERT INTO team(name) VALUES ('t'); INSERT INTO project(team_id, name) VALUES (1, 'p'), (1, 'q');
      INSERT INTO member(team_id, project_id, name) VALUES (1, 1, 'a'), (1, 2, 'b'), (1, 2, 'c');
      UPDATE project SET lead_id = 3 WHERE id = 2;
      """)
    let (target, last) = (try teams(), try teams())
    let found = """
      SELECT p.name, l.name, m.name FROM project p JOIN member m ON m.team_id = p.team_id AND m.project_id = p.id
        LEFT JOIN member l ON l.team_id = p.team_id AND l.id = p.lead_id ORDER BY 1, 3
      """
    let expected = ["p|null|a", "q|c|b", "q|c|c"]
    #expect(
      try target.graph.copy(from: source.graph).created == ["Team": 1, "Project": 2, "Member": 3])
    #expect(try target.rows(found) == expected)
    let file = try SQLiteGraph.temporary(source.graph.model)
    try file.copy(from: source.graph)
    try last.graph.copy(from: file)
    #expect(try last.rows(found) == expected)
  }
}
