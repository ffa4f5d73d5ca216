import Foundation
import GRDB
import MOCloneKit
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// Values and keys that moves between databases must not change.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct MovedValueTests {
  private func graphs(_ yaml: String, _ sql: String) throws -> (
    source: DatabaseFixture, target: DatabaseFixture
  ) {
    (try DatabaseFixture(yaml, sql), try DatabaseFixture(yaml, sql))
  }

  private static let posts = """
    version: 1
    name: Posts
    store: {naming: snakeCase}
    entities:
      Post:
        attributes: {at: Date, price: Decimal?, weight: Float?, share: Double?}
        uniquenessConstraints: [[at]]
    """
  private static let table =
    "CREATE TABLE post(id bigserial PRIMARY KEY, at timestamptz NOT NULL UNIQUE, price numeric, weight real, share float8)"

  private static let dates = [
    "2025-01-01 00:00:00.0001", "2025-01-01 00:00:00.9999", "2025-01-01 00:00:00", "9999-12-31 23:59:59.999",
    "2300-06-01 12:00:00.123",
  ]

  @Test("Dates that no Date holds, NaN and numbers near zero come into another server as they are")
  func betweenServers() throws {
    let (source, target) = try graphs(Self.posts, Self.table)
    let dates =
      Self.dates + [
        "9999-12-31 23:59:59.999999", "2300-01-01 00:00:00.123457", "infinity", "0044-03-15 00:00:00 BC",
      ]
    for date in dates {
      try source.connection.run(
        "INSERT INTO post(at, price, weight, share) VALUES ('\(date)', 'NaN', '1.1754944e-38', 'NaN'), "
          + "(timestamptz '\(date)' + interval '1 day', 1e-20, '1e-45', 'Infinity') ON CONFLICT DO NOTHING")
    }
    try target.graph.copy(from: source.graph)
    let query = "SELECT at, price, weight, share FROM post ORDER BY at"
    #expect(try target.rows(query) == source.rows(query))
  }

  @Test("A sync of what the server exports changes nothing, whatever digits no Date holds")
  func exported() throws {
    let database = try DatabaseFixture(
      """
      {version: 1, name: Events, entities: {Event: {attributes: {code: String, at: Date?},
        uniquenessConstraints: [[code]]}}}
      """,
      "CREATE TABLE event(id bigserial PRIMARY KEY, code text NOT NULL UNIQUE, at timestamptz)")
    let dates = ["9999-12-31 23:59:59.999999+00", "1700-01-31 12:34:56.789123+00"]
    for date in dates {
      try database.connection.run("INSERT INTO event(code, at) VALUES ('\(date)', '\(date)')")
    }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).csv")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("code,at\n\(dates.map { "\($0),\($0)\n" }.joined())".utf8).write(to: file)
    let report = try database.graph.sync(
      SyncRequest(entity: "Event", overwriting: ["at"]), fromFile: file.path)
    #expect(report.unchanged == ["Event": 2])
  }

  @Test(
    "A row of an object may hold what it is called in other letters, where the column takes them for equal")
  func namedInOtherLetters() throws {
    let database = try DatabaseFixture(
      """
      {version: 1, name: Codes, entities: {Code: {attributes: {code: String, note: String?},
        uniquenessConstraints: [[code]]}}}
      """,
      """
      CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      CREATE TABLE code(id bigserial PRIMARY KEY, code text COLLATE blind NOT NULL UNIQUE, note text);
      INSERT INTO code(code) VALUES ('zoe')
      """)
    let folder = try TemporaryFolder()
    func sync(_ rows: String) throws -> TransferReport {
      let file = try folder.write(rows.utf8, to: "codes.json").path
      return try database.graph.sync(SyncRequest(entity: "Code", overwriting: ["note"]), fromFile: file)
    }
    #expect(try sync(#"{"ZOE": {"code": "zoe", "note": "3"}}"#).updated == ["Code": 1])
    #expect(try database.rows("SELECT code, note FROM code") == ["zoe|3"])
    let error = #expect(throws: CloneError.self) { _ = try sync(#"{"ZOE": {"code": "joe", "note": "4"}}"#) }
    #expect("\(error!)".contains("'code' is 'joe', but the row is called 'ZOE'"), "\(error!)")
  }

  @Test("A decimal that a column of real numbers would round is refused, and one that it gives back comes")
  func decimalsAsRealNumbers() throws {
    let yaml = """
      version: 1
      name: Rates
      store: {naming: snakeCase}
      entities:
        Rate: {attributes: {name: String, rate: Decimal?}, uniquenessConstraints: [[name]]}
      """
    let table = "CREATE TABLE rate(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, rate "
    let source = try DatabaseFixture(yaml, table + "numeric)")
    let target = try DatabaseFixture(yaml, table + "float8)")
    try source.connection.run("INSERT INTO rate(name, rate) VALUES ('a', 1.50), ('b', 0.30000000000000004)")
    try target.graph.copy(from: source.graph)
    #expect(try target.rows("SELECT rate FROM rate ORDER BY name") == ["1.5", "0.30000000000000004"])
    try source.connection.run("INSERT INTO rate(name, rate) VALUES ('c', 9007199254740993)")
    let error = #expect(throws: CloneError.self) { try target.graph.copy(from: source.graph) }
    #expect("\(error!)".contains("9007199254740993"), "\(error!)")
    #expect(try target.rows("SELECT count(*) FROM rate") == ["2"])
  }

  @Test("Objects that the target's collation alone takes for one are told so, with advice that works")
  func oneByCollation() throws {
    let yaml = "entities: {Person: {attributes: {mail: String}, uniquenessConstraints: [[mail]]}}"
    func table(_ more: String) -> String {
      "CREATE TABLE person(id bigserial PRIMARY KEY, mail text \(more) NOT NULL UNIQUE)"
    }
    let source = try DatabaseFixture(
      yaml, table("") + "; INSERT INTO person(mail) VALUES ('Ann@x'), ('Bob@x'), ('ANN@x')")
    let target = try DatabaseFixture(
      yaml,
      "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false); "
        + table("COLLATE blind"))
    let error = #expect(throws: CloneError.self) { try target.graph.copy(from: source.graph) }
    #expect(error?.code == .ambiguousIdentity)
    let text = "\(error!)"
    #expect(text.contains("one mail by the collation of the target") && !text.contains("dedupe"), "\(text)")
    try target.graph.copy(from: source.graph, CopyRequest(joinsDuplicates: true))
    #expect(try target.rows("SELECT mail FROM person ORDER BY id") == ["Ann@x", "Bob@x"])
    try target.connection.run("DELETE FROM person")
    try source.connection.run("UPDATE person SET mail = 'Other@x' WHERE mail = 'ANN@x'")
    try target.graph.copy(from: source.graph)
    #expect(try target.rows("SELECT count(*) FROM person") == ["3"])
  }

  @Test("A database is not copied into itself, however it is named")
  func intoItself() throws {
    let (source, target) = try graphs(Self.posts, Self.table)
    try source.connection.run("INSERT INTO post(at) VALUES ('2025-01-01')")
    let same = PostgresGraph(try source.database.connect(), model: source.graph.model)
    for graph in [same, source.graph] {
      let error = #expect(throws: CloneError.self) { try graph.copy(from: source.graph) }
      #expect(error?.code == .invalidValue)
      #expect(throws: CloneError.self) { try graph.seed(from: source.graph) }
    }
    #expect(try target.graph.copy(from: same).created == ["Post": 1])
  }

  @Test("A part of a reference whose other part is null is a value like any, also in a file")
  func halfNull() throws {
    let yaml = """
      version: 1
      name: Regions
      store: {naming: snakeCase}
      entities:
        Region:
          primaryKey: [country, code]
          attributes: {country: UUID, code: String}
          relationships: {addresses: {destination: Address, toMany: true, inverse: region}}
        Address:
          attributes: {street: String}
          relationships:
            region: {destination: Region, optional: true, inverse: addresses, column: [country, region]}
      """
    let sql = """
      CREATE TABLE region(country uuid, code text, PRIMARY KEY (country, code));
      CREATE TABLE address(id serial PRIMARY KEY, street text NOT NULL, country uuid, region text,
        FOREIGN KEY (country, region) REFERENCES region);
      """
    let (source, target) = try graphs(yaml, sql)
    let (country, query) = (
      "A0000000-0000-4000-8000-00000000000A", "SELECT street, country, region FROM address ORDER BY street"
    )
    try source.connection.run(
      """
      INSERT INTO region VALUES ('\(country)', 'BY');
      INSERT INTO address(street, country, region) VALUES ('a', '\(country)', 'BY'), ('b', '\(country)', NULL),
        ('c', NULL, 'BY'), ('d', NULL, NULL);
      """)
    try target.graph.copy(from: source.graph)
    #expect(try target.rows(query) == source.rows(query))
    let queue = try DatabaseQueue()
    try queue.write { try SchemaWriter(source.graph.model).create(in: $0) }
    let file = SQLiteGraph(queue, model: source.graph.model)
    try file.copy(from: source.graph)
    let held = try queue.read { db in
      try String.fetchAll(
        db,
        sql:
          "SELECT street || ' ' || ifnull(country, '') || ' ' || ifnull(region, '') FROM address ORDER BY street"
      )
    }
    #expect(held == ["a \(country) BY", "b \(country) ", "c  BY", "d  "])
    let back = try graphs(yaml, sql).target
    try back.graph.copy(from: file)
    #expect(try back.rows(query) == source.rows(query))
  }

  @Test("What a copy leaves out may hold what the other store cannot", arguments: [false, true])
  func leftOut(keepsKeys: Bool) throws {
    let source = try DatabaseFixture(
      """
      version: 1
      name: Prices
      store: {naming: snakeCase}
      entities:
        Price:
          attributes: {name: String, until: Date?, amount: Decimal?, rate: Double?}
      """,
      "CREATE TABLE price(id bigserial PRIMARY KEY, name text NOT NULL, until timestamptz, amount numeric, rate float8)"
    )
    try source.connection.run(
      "INSERT INTO price(name, until, amount, rate) VALUES ('a', 'infinity', 'NaN', 'NaN')")
    let file = try SQLiteGraph.temporary(source.graph.model)
    func clone(_ request: CloneRequest) throws {
      try file.clone(
        ClonePlan(model: source.graph.model, entity: "Price", request: request),
        roots: [source.graph.object("Price", key: 1).id], from: source.graph,
        SubtreeRequest(keepsKeys: keepsKeys)
      )
    }
    #expect(throws: CloneError.self) { try clone(CloneRequest()) }
    try clone(CloneRequest(exclude: ["until", "amount", "rate"]))
    #expect(try file.value("name", of: file.objectIDs("Price")[0]) == "a")
    #expect(try file.value("until", of: file.objectIDs("Price")[0]).isNull)
  }

  @Test("Microseconds survive a file and the way back, and find what is there")
  func overAFile() throws {
    let (source, target) = try graphs(Self.posts, Self.table)
    for date in Self.dates { try source.connection.run("INSERT INTO post(at) VALUES ('\(date)')") }
    let file = try SQLiteGraph.temporary(source.graph.model)
    try file.copy(from: source.graph)
    #expect(try source.graph.copy(from: file).created ?? [:] == [:])
    try target.graph.copy(from: file)
    let query = "SELECT at FROM post ORDER BY at"
    #expect(try target.rows(query) == source.rows(query))
  }

  @Test("NaN, which SQLite has not, is refused with its object")
  func notANumber() throws {
    let source = try DatabaseFixture(Self.posts, Self.table)
    try source.connection.run("INSERT INTO post(at, share) VALUES (now(), 'NaN')")
    let file = try SQLiteGraph.temporary(source.graph.model)
    let error = #expect(throws: CloneError.self) { try file.copy(from: source.graph) }
    #expect("\(error!)".contains("'share' of Post 1 is NaN"))
    #expect(try file.count("Post") == 0)
  }

  @Test("A counted part of a key of several goes on by its sequence")
  func sequencesInKeys() throws {
    let (source, target) = try graphs(
      """
      version: 1
      name: Events
      entities:
        Event:
          primaryKey: [{column: id, generate: max}, {column: at}]
          attributes: {at: Integer 64, message: String}
      """,
      "CREATE TABLE event(id bigint GENERATED ALWAYS AS IDENTITY, at bigint, message text NOT NULL, PRIMARY KEY (id, at))"
    )
    try source.connection.run("INSERT INTO event(at, message) SELECT n % 2, n FROM generate_series(1, 5) n")
    try target.graph.copy(from: source.graph)
    #expect(
      try target.rows("SELECT id, at, message FROM event ORDER BY id").map { $0.first! } == [
        "1", "2", "3", "4", "5",
      ])
    try target.connection.run("INSERT INTO event(at, message) VALUES (1, 'own')")
    #expect(try target.rows("SELECT max(id) FROM event") == ["6"])
  }

  @Test("A sequence that counts downwards goes on behind kept keys")
  func fallingSequences() throws {
    let (source, target) = try graphs(
      "{version: 1, name: Things, entities: {Thing: {attributes: {name: String}}}}",
      "CREATE TABLE thing(id bigint GENERATED BY DEFAULT AS IDENTITY (START -1 INCREMENT -1) PRIMARY KEY, name text NOT NULL)"
    )
    try source.connection.run("INSERT INTO thing(name) VALUES ('a'), ('b'), ('c')")
    let plan = try source.graph.plan("Thing", CloneRequest())
    let roots = try source.graph.objectIDs("Thing")
    try target.graph.clone(plan, roots: roots, from: source.graph, SubtreeRequest(keepsKeys: true))
    try target.connection.run("INSERT INTO thing(name) VALUES ('own')")
    #expect(try target.rows("SELECT min(id) FROM thing") == ["-4"])
  }

  @Test("A tree whose names are unique within a folder stands in the way of no subtree that has none of it")
  func treesAside() throws {
    let yaml = """
      version: 1
      name: Files
      store: {naming: snakeCase}
      entities:
        Customer: {attributes: {name: String}}
        Folder:
          attributes: {name: String}
          relationships:
            parent: {destination: Folder, optional: true, inverse: folders}
            folders: {destination: Folder, toMany: true, inverse: parent, deleteRule: cascade}
          uniquenessConstraints: [[parent, name]]
      """
    let source = try TestStores.shared.make(ObjectModel(yaml: yaml))
    let target = try TestStores.shared.make(source.model)
    let customer = try source.insert("Customer", ["name": "a"])
    let folder = try source.insert("Folder", ["name": "top"])
    try source.insert("Folder", ["name": "below", "parent": folder.id.key.reference])
    for root in [customer, folder] {
      let plan = try source.plan(root.id.entity, CloneRequest())
      try target.clone(plan, roots: [root.id], from: source, SubtreeRequest(keepsKeys: true))
    }
    #expect(try target.count("Customer") == 1 && target.count("Folder") == 2)
  }

  @Test("Messages and reports tell a day without a time")
  func days() throws {
    let database = try DatabaseFixture(
      "entities: {Event: {attributes: {name: String, day: {type: Date, storage: day}}}}",
      """
      CREATE TABLE event(id bigserial PRIMARY KEY, name text NOT NULL, day date NOT NULL);
      INSERT INTO event(name, day) VALUES ('a', '2024-02-29'), ('b', '2024-02-29');
      """)
    let identity: IdentityRequest = ["Event": ["day"]]
    let mapping = try ImportMapping(yaml: "{entity: Event, attributes: {name: '@name', day: '@day'}}")
    let refusals = [
      #expect(throws: CloneError.self) {
        try database.graph.sync(
          SyncRequest(entity: "Event", identifiedBy: identity), from: [["name": "a", "day": "2024-02-29"]])
      },
      #expect(throws: CloneError.self) {
        try database.graph.importData(
          Data("name,day\na,2024-02-29\n".utf8), format: .csv, mapping: mapping,
          options: ImportOptions(identifiedBy: identity))
      },
    ]
    for error in refusals { #expect("\(error!)".contains("2 objects have day '2024-02-29':"), "\(error!)") }
    let report = try database.graph.dedupe(DedupeRequest(entities: ["Event"], identifiedBy: identity))
    #expect(report.groups?.map(\.identity) == [["2024-02-29"]])
  }

  @Test("A text that is no JSON is a bad row of its line")
  func badJSON() throws {
    let database = try DatabaseFixture(
      "{version: 1, name: Notes, entities: {Note: {attributes: {name: String, data: String?}}}}",
      "CREATE TABLE note(id bigserial PRIMARY KEY, name text NOT NULL, data jsonb)")
    let mapping = try ImportMapping(yaml: "{entity: Note, attributes: {name: '@name', data: '@data'}}")
    let rows = "name,data\na,1\nb,{bad\nc,[]\n"
    let error = #expect(throws: CloneError.self) {
      try database.graph.importData(Data(rows.utf8), format: .csv, mapping: mapping)
    }
    #expect("\(error!)".contains(":3"), "\(error!)")
  }

  #if PostgreSQL
    @Test("A value that the other store does not take is refused, and no mistake of the call")
    func statuses() throws {
      let model = """
        {version: 1, name: Days, entities: {Event: {attributes: {code: String, share: Double?,
          day: {type: Date, optional: true, storage: day}}, uniquenessConstraints: [[code]]}}}
        """
      let (source, target) = try graphs(
        model,
        "CREATE TABLE event(id bigserial PRIMARY KEY, code text NOT NULL UNIQUE, share float8, day date)")
      let command = try Command()
      try command.write(model, to: "days.yml")
      func copy(into store: String) throws -> Command.Finished {
        let from = source.database.location.description
        return try command(["copy", "--from", from, "--into", store, "--model", "days.yml"])
      }
      try source.connection.run("INSERT INTO event(code, day) VALUES ('a', '5874897-12-31')")
      let late = try copy(into: target.database.location.description)
      #expect(late.status == 1 && late.errors.contains("out of range"), "\(late)")
      try source.connection.run("UPDATE event SET day = NULL, share = 'NaN'")
      #expect(try command("store", "init", "--model", "days.yml", "--store", "f.sqlite").status == 0)
      let none = try copy(into: "f.sqlite")
      #expect(none.status == 1 && none.errors.contains("'share' of Event 1 is NaN"), "\(none)")
      let given = try command(
        "event", "x", "--model", "days.yml", "--store", source.database.location.description)
      #expect(given.status == 64, "\(given)")
    }

    @Test("A statement waits for a lock as long as --timeout says")
    func timeouts() throws {
      let database = try DatabaseFixture(Self.posts, Self.table)
      try database.connection.run("INSERT INTO post(at) VALUES (now())")
      let command = try Command()
      try command.write(Self.posts, to: "posts.yml")
      try database.connection.run("BEGIN; LOCK TABLE post IN ACCESS EXCLUSIVE MODE")
      let finished = try command(
        "post", "1", "--set", "at=2025-01-01T00:00:00Z", "--timeout", "0.2", "--model", "posts.yml",
        "--store",
        database.database.location.description)
      try database.connection.run("ROLLBACK")
      #expect(finished.status == 75, "\(finished)")
      #expect(finished.errors.contains("wait longer with --timeout"), "\(finished)")
      #expect(try database.rows("SELECT count(*) FROM post") == ["1"])
    }
  #endif
}
