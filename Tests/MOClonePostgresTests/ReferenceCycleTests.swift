import Foundation
import MOCloneKit
import MOCloneTesting
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// References that are checked at once, and references that wait.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ReferenceCycleTests {
  /// A team has a captain, who is one of its players, and every player has a team.
  private static let yaml = """
    version: 1
    name: Teams
    entities:
      Team:
        attributes: {name: String}
        relationships:
          captain: {destination: Player, inverse: captainOf}
          players: {destination: Player, toMany: true, inverse: team, deleteRule: cascade}
        uniquenessConstraints: [[name]]
      Player:
        attributes: {name: String}
        relationships:
          team: {destination: Team, inverse: players}
          captainOf: {destination: Team, optional: true, inverse: captain}
        uniquenessConstraints: [[name]]
    """

  private static func tables(_ form: String) -> String {
    """
    CREATE TABLE team(id bigserial PRIMARY KEY, name text, captain_id bigint NOT NULL);
    CREATE TABLE player(id bigserial PRIMARY KEY, name text, team_id bigint NOT NULL REFERENCES team \(form));
    ALTER TABLE team ADD FOREIGN KEY (captain_id) REFERENCES player \(form);
    """
  }

  private static let rows = """
    WITH t AS (INSERT INTO team(id, name, captain_id) VALUES (5, 'red', 7) RETURNING 1)
    INSERT INTO player(id, name, team_id) VALUES (7, 'Ann', 5), (8, 'Bob', 5);
    SELECT setval('team_id_seq', 5), setval('player_id_seq', 8)
    """

  private static let forms = ["NOT DEFERRABLE", "DEFERRABLE", "DEFERRABLE INITIALLY DEFERRED"]

  @Test("New rows that require each other are copied", arguments: forms)
  func copies(_ form: String) throws {
    let source = try DatabaseFixture(Self.yaml, Self.tables(form) + Self.rows)
    let target = try DatabaseFixture(Self.yaml, Self.tables(form))
    let report = try target.graph.copy(from: source.graph)
    #expect(report.created == ["Team": 1, "Player": 2])
    let found =
      "SELECT t.name, c.name, (SELECT count(*) FROM player p WHERE p.team_id = t.id) FROM team t JOIN player c ON c.id = captain_id"
    #expect(try target.rows(found) == ["red|Ann|2"])
    #expect(try target.graph.copy(from: source.graph).created ?? [:] == [:])
  }

  @Test("So are they where a trigger waits for changes of rows", arguments: forms)
  func copiesBesideATrigger(_ form: String) throws {
    let trigger = """
      CREATE FUNCTION dated() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.name := new.name || '!'; RETURN new; END $$;
      CREATE TRIGGER dated BEFORE UPDATE ON team FOR EACH ROW EXECUTE FUNCTION dated();
      """
    let source = try DatabaseFixture(Self.yaml, Self.tables(form) + Self.rows)
    let target = try DatabaseFixture(Self.yaml, Self.tables(form) + trigger)
    try target.graph.copy(from: source.graph)
    #expect(try target.rows("SELECT name FROM team") == ["red"])
  }

  @Test("So are they where a trigger counts the rows of a circle in another one", arguments: forms)
  func copiesBesideACounter(_ form: String) throws {
    let trigger = """
      ALTER TABLE team ADD size int NOT NULL DEFAULT 0;
      CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN UPDATE team SET size = size + 1 WHERE id = new.team_id; RETURN NULL; END $$;
      CREATE TRIGGER counted AFTER INSERT ON player FOR EACH ROW EXECUTE FUNCTION counted();
      """
    for size in ["Integer 32", "{type: Integer 32, default: 0, derived: trigger}"] {
      let yaml = Self.yaml.replacing(
        "{name: String}\n      relationships:\n        captain",
        with: "{name: String, size: \(size)}\n      relationships:\n        captain")
      let source = try DatabaseFixture(yaml, Self.tables(form) + trigger + Self.rows)
      let target = try DatabaseFixture(yaml, Self.tables(form) + trigger)
      try target.graph.copy(from: source.graph)
      #expect(try target.rows("SELECT name, size FROM team") == ["red|2"])
    }
  }

  @Test("Rows of a file that require each other are imported", arguments: forms)
  func imports(_ form: String) throws {
    let target = try DatabaseFixture(Self.yaml, Self.tables(form))
    let mapping = try ImportMapping(
      yaml: """
        rows: teams
        entity: Team
        attributes: {name: '@name'}
        relationships:
          captain: {attributes: {name: '@captain'}, relationships: {team: {attributes: {name: '@name'}}}}
        """)
    let json = #"{"teams": [{"name": "red", "captain": "Ann"}, {"name": "blue", "captain": "Eve"}]}"#
    try target.graph.importData(Data(json.utf8), format: .json, mapping: mapping)
    let found =
      "SELECT t.name, c.name FROM team t JOIN player c ON c.id = captain_id AND c.team_id = t.id ORDER BY 1"
    #expect(try target.rows(found) == ["blue|Eve", "red|Ann"])
  }

  @Test("Several rows of one object are folded into one, by what each gives")
  func folds() throws {
    let database = try DatabaseFixture(
      "{version: 1, name: N, entities: {Note: {attributes: {name: String, a: String?, b: String?}, "
        + "uniquenessConstraints: [[name]]}}}",
      "CREATE TABLE note(id bigserial PRIMARY KEY, name text, a text, b text)")
    let mapping = try ImportMapping(yaml: "{entity: Note, attributes: {name: '@name', a: '@a', b: '@b'}}")
    for (policy, expected) in [(ExistingPolicy.fill, "x|1|3"), (.update, "x|2|4")] {
      try database.connection.run("DELETE FROM note")
      try database.graph.importData(
        Data("name,a,b\nx,1,\nx,,3\nx,2,4\n".utf8), format: .csv, mapping: mapping,
        options: ImportOptions(existing: policy))
      #expect(try database.rows("SELECT name, a, b FROM note") == [expected])
    }
  }

  @Test("Objects that require each other are deleted together", arguments: forms)
  func deletes(_ form: String) throws {
    let database = try DatabaseFixture(Self.yaml, Self.tables(form) + Self.rows)
    try database.graph.delete([
      ObjectID("Team", key: 5), ObjectID("Player", key: 7), ObjectID("Player", key: 8),
    ])
    #expect(try database.rows("SELECT count(*) FROM team") == ["0"])
    #expect(try database.rows("SELECT count(*) FROM player") == ["0"])
  }

  @Test("A reference to a missing row is refused with its row and key", arguments: forms)
  func dangling(_ form: String) throws {
    let database = try DatabaseFixture(Self.yaml, Self.tables(form) + Self.rows)
    let error = #expect(throws: CloneError.self) {
      try database.graph.sync(
        SyncRequest(entity: "Player", overwriting: ["team"], deletes: false),
        from: [["name": "Bob", "team": 99]])
    }
    let message = "\(try #require(error))"
    #expect(
      message.contains("row 1: 'team' takes a key") && message.contains("no Team with the key '99'"),
      "\(message)")
    #expect(try database.rows("SELECT team_id FROM player WHERE name = 'Bob'") == ["5"])
  }

  @Test(
    "A row that refers to an object of its entity that goes is refused by its line, not one that refers to what is made",
    arguments: forms)
  func goneWithinTheEntity(_ form: String) throws {
    let database = try DatabaseFixture(
      """
      store: {naming: snakeCase}
      entities:
        Person:
          attributes: {code: String}
          relationships:
            boss: {destination: Person, optional: true, inverse: minions}
            minions: {destination: Person, toMany: true, inverse: boss}
          uniquenessConstraints: [[code]]
      """,
      """
      CREATE TABLE person(
        id bigserial PRIMARY KEY, code text NOT NULL UNIQUE, boss_id bigint REFERENCES person \(form));
      INSERT INTO person(code) VALUES ('a'), ('b');
      """)
    func sync(_ rows: [[String: AttributeValue]]) throws {
      try database.graph.sync(
        SyncRequest(entity: "Person", overwriting: ["boss"], isConfirmed: true), from: rows)
    }
    let error = #expect(throws: CloneError.self) { try sync([["code": "a"], ["code": "n", "boss": 2]]) }
    let failure = try #require(error?.failures.first)
    #expect(failure.code == .noSuchObject)
    #expect(
      failure.problem.contains("row 2: 'boss' takes a key, and the store has no Person with the key '2' once")
    )
    #expect(failure.help?.contains("sync with --no-delete") == true)
    let missing = #expect(throws: CloneError.self) { try sync([["code": "a", "boss": 99], ["code": "b"]]) }
    #expect(missing?.code == .noSuchObject)
    let last = try #require(Int64(try database.rows("SELECT last_value FROM person_id_seq")[0]))
    try sync([["code": "a"], ["code": "b", "boss": 1], ["code": "n", "boss": .integer(last + 1)]])
    let found = "SELECT code, coalesce(boss_id = id, false)::text FROM person ORDER BY code"
    #expect(try database.rows(found) == ["a|false", "b|false", "n|true"])
  }

  @Test("In a caller's transaction constraints are found as they were declared", arguments: forms)
  func callersTransaction(_ form: String) throws {
    let source = try DatabaseFixture(Self.yaml, Self.tables(form) + Self.rows)
    let target = try DatabaseFixture(Self.yaml, Self.tables(form))
    let graph = target.graph
    let error = #expect(throws: CloneError.self) {
      try graph.atomically {
        try graph.copy(from: source.graph)
        try graph.connection.execute("INSERT INTO player(name, team_id) VALUES ('Zoe', 99)")
        if form.contains("INITIALLY") {
          try graph.connection.execute("UPDATE player SET team_id = 1 WHERE name = 'Zoe'")
        }
        #expect(form.contains("INITIALLY"), "the reference waits")
        throw CloneError(.badRow, "enough")
      }
    }
    #expect(("\(try #require(error))".contains("enough")) == form.contains("INITIALLY"), "\(form)")
  }

  @Test("What a caller has left to wait is not asked of an operation")
  func callersReferences() throws {
    let form = "DEFERRABLE INITIALLY DEFERRED"
    let source = try DatabaseFixture(Self.yaml, Self.tables(form) + Self.rows)
    let target = try DatabaseFixture(Self.yaml, Self.tables(form))
    let graph = target.graph
    try graph.atomically {
      try graph.connection.execute("INSERT INTO player(id, name, team_id) VALUES (99, 'Zoe', 98)")
      try graph.copy(from: source.graph)
      try graph.connection.execute("INSERT INTO team(id, name, captain_id) VALUES (98, 'blue', 99)")
    }
    #expect(try target.rows("SELECT count(*) FROM team") == ["2"])
  }

  @Test("Keys of a caller's generator are taken by a sync")
  func generator() throws {
    let database = try DatabaseFixture(
      "{version: 1, name: N, entities: {Note: {primaryKey: {column: id, generate: uuid}, attributes: {name: String}, "
        + "uniquenessConstraints: [[name]]}}}", "CREATE TABLE note(id uuid PRIMARY KEY, name text)")
    try database.graph.sync(
      SyncRequest(entity: "Note"), from: [["name": "a"]],
      options: TransferOptions(generator: fixedGenerator()))
    #expect(try database.rows("SELECT id FROM note") == ["00000000-0000-4000-8000-000000000001"])
  }

  @Test(
    "A unique value that exists is refused with its object and attribute, also where rows refer to each other"
  )
  func uniqueValues() throws {
    let database = try DatabaseFixture(
      """
      version: 1
      name: Tags
      entities:
        Tag:
          attributes: {name: String}
          relationships: {docs: {destination: Doc, toMany: true, inverse: tag}}
          uniquenessConstraints: [[name]]
        Doc:
          attributes: {title: String}
          relationships:
            tag: {destination: Tag, optional: true, inverse: docs}
            folder: {destination: Folder, inverse: docs}
            coverOf: {destination: Folder, optional: true, inverse: cover}
        Folder:
          attributes: {name: String}
          relationships:
            docs: {destination: Doc, toMany: true, inverse: folder}
            cover: {destination: Doc, optional: true, inverse: coverOf, column: cover_id}
      """, "SELECT 1")
    try database.graph.createTables()
    for name in ["a", "b"] { try database.graph.insert("Tag", ["name": .string(name)]) }
    let error = #expect(throws: CloneError.self) {
      try database.clone("Tag", 1, CloneRequest(set: ["name": "b"]))
    }
    let failure = try #require(error?.failures.first)
    #expect(failure.code == .uniqueValue)
    #expect(failure.entity == "Tag")
    #expect(failure.property == "name")
    #expect(failure.object == ObjectID("Tag", key: 1))
    #expect(failure.help?.contains("set another value") == true)
  }
}
