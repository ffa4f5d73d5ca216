import Foundation
import MOCloneKit
import MOCloneTesting
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// Objects of PostgreSQL in files of SQLite.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct SubtreeTests {
  private let model = try! ObjectModel(
    yaml: """
      version: 1
      name: Projects
      store: {naming: snakeCase}
      entities:
        Project:
          attributes:
            uuid: {type: UUID, userInfo: {rebuild: uuid}}
            name: String
            isOpen: {type: Boolean, default: true}
            budget: Decimal?
            started: Date?
            picture: Binary?
          relationships:
            tasks: {destination: Task, toMany: true, ordered: true, inverse: project, deleteRule: cascade}
            tags: {destination: Tag, toMany: true, inverse: projects}
          uniquenessConstraints: [[uuid]]
        Task:
          attributes: {name: String, hours: Double?}
          relationships:
            project: {destination: Project, inverse: tasks}
            parent: {destination: Task, optional: true, inverse: parts}
            parts: {destination: Task, toMany: true, inverse: parent, deleteRule: cascade}
        Tag:
          attributes: {name: String}
          relationships:
            projects: {destination: Project, toMany: true, inverse: tags}
          uniquenessConstraints: [[name]]
      """)
  private let uuid = UUID(uuidString: "0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D")!

  private func projects() throws -> PostgresGraph {
    let graph = try TestStores.shared.make(model)
    for (number, uuid) in [UUID(), uuid].enumerated() {
      let project = try graph.insert(
        "Project",
        [
          "uuid": .uuid(uuid), "name": "tab\t quote' \\ \u{1F600}", "isOpen": false,
          "budget": .decimal(Decimal(string: "12345678901234.0625")!),
          "started": .date(Date(timeIntervalSince1970: 1_700_000_000.125)),
          "picture": .binary(Data([0, 1, 255])),
        ])
      let tag = try graph.insert("Tag", ["name": .string("t\(number)")])
      try graph.addDestination(tag.id, to: "tags", of: project.id)
      let task = try graph.insert("Task", ["name": "a", "hours": 1.5, "project": project.id.key.reference])
      try graph.insert(
        "Task", ["name": "b", "project": project.id.key.reference, "parent": task.id.key.reference])
    }
    return graph
  }

  @Test func aSubtreeThatIsCutOutWithItsKeysHoldsTheSameValues() throws {
    let source = try projects()
    let target = try SQLiteGraph.temporary(model)
    let plan = try source.plan("Project", CloneRequest())
    let root = try source.object("Project", key: 2).id
    try source.reading {
      try target.clone(
        plan, roots: [root], from: source, SubtreeRequest(missing: .create, keepsKeys: true))
    }
    #expect(try target.count("Project") == 1 && target.count("Task") == 2 && target.count("Tag") == 1)
    let (there, here) = (try source.object("Project", key: 2), try target.object("Project", key: 2))
    for name in ["uuid", "name", "isOpen", "budget", "started", "picture"] {
      #expect(try here.value(name) == there.value(name), "\(name)")
    }
    #expect(try here.destinations("tasks").map { try $0.value("name") } == ["a", "b"])
    #expect(try here.destinations("tags").map { try $0.value("name") } == ["t1"])
  }

  @Test func aSubtreeThatIsClonedIntoAFileGetsNewValues() throws {
    let source = try projects()
    let target = try SQLiteGraph.temporary(model)
    let plan = try source.plan("Project", CloneRequest())
    let root = try source.object("Project", key: 2).id
    let result = try target.clone(plan, roots: [root], from: source, SubtreeRequest(missing: .create))
    let copy = try target.object("Project", key: result.roots[0].key)
    #expect(try copy.value("uuid") != .uuid(uuid))
    #expect(try copy.value("name") == "tab\t quote' \\ \u{1F600}")
  }

  @Test func aWholeDatabaseIsCopiedIntoAFile() throws {
    let source = try projects()
    let target = try SQLiteGraph.temporary(model)
    let request = CopyRequest(identifiedBy: ["Tag": ["name"], "Project": ["uuid"]])
    try source.reading { try target.copy(from: source, request) }
    #expect(try target.count("Project") == 2 && target.count("Task") == 4 && target.count("Tag") == 2)
    try source.reading { try target.copy(from: source, request) }
    #expect(try target.count("Project") == 2 && target.count("Tag") == 2)
  }

  @Test func aSessionThatIsLostAfterTheObjectsAreHereFailsNoCopy() throws {
    let source = try projects()
    let target = try SQLiteGraph.temporary(model)
    let other = try TestStores.shared.connect()
    try source.reading {
      let process = try #require(try source.connection.rows("SELECT pg_backend_pid()").first?.first)
      try target.copy(from: source)
      _ = try other.rows("SELECT pg_terminate_backend($process::int, 60000)", ["process": process])
    }
    #expect(try target.count("Project") == 2 && target.count("Task") == 4)
    #expect { try target.copy(from: source) } throws: { ($0 as? CloneError)?.code == .storeFailed }
    #expect(try target.count("Task") == 4)
  }

  /// A server that follows another one refuses temporary tables as one does that is set so.
  @Test func aTreeIsPlannedAndCutOutWhereTheServerIsOnlyRead() throws {
    let folders = """
      version: 1
      name: Folders
      store: {naming: snakeCase}
      entities:
        Folder:
          attributes: {name: String}
          relationships:
            parent: {destination: Folder, optional: true, inverse: parts}
            parts: {destination: Folder, toMany: true, inverse: parent, deleteRule: cascade}
            labels: {destination: Label, toMany: true, inverse: folders}
        Label:
          attributes: {name: String}
          relationships: {folders: {destination: Folder, toMany: true, inverse: labels}}
          uniquenessConstraints: [[name]]
      """
    let fixture = try DatabaseFixture(
      folders,
      """
      CREATE TABLE folder(id bigserial PRIMARY KEY, name text NOT NULL, parent_id bigint REFERENCES folder);
      CREATE TABLE label(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE);
      CREATE TABLE folder_label(folder_id bigint REFERENCES folder, label_id bigint REFERENCES label,
        PRIMARY KEY (folder_id, label_id));
      INSERT INTO folder(name, parent_id) SELECT 'f' || g, nullif(g / 2, 0) FROM generate_series(1, 15) g;
      INSERT INTO label(name) VALUES ('a'), ('b');
      INSERT INTO folder_label VALUES (2, 1), (4, 2), (5, 2), (3, 1)
      """)
    let model = fixture.graph.model
    let server = PostgresGraph(
      try PostgresConnection(fixture.database.location("options='-c default_transaction_read_only=on'")),
      model: model)
    let plan = try server.plan("Folder", CloneRequest())
    let root = try server.object("Folder", key: 2).id
    let preview = try server.preview(plan, roots: [root])
    #expect(preview == (try fixture.graph.preview(plan, roots: [root])))
    #expect(preview.cloned == ["Folder": 7] && preview.linked == ["Folder": 1, "Label": 2])
    let whole = try server.object("Folder", key: 1).id
    for keepsKeys in [false, true] {
      let file = try SQLiteGraph.temporary(model)
      try file.clone(
        plan, roots: [whole], from: server, SubtreeRequest(missing: .create, keepsKeys: keepsKeys))
      #expect(try file.count("Folder") == 15 && file.count("Label") == 2)
    }
    #expect { try Cloner().clone(object: server.object("Folder", key: 2)) } throws: {
      ($0 as? CloneError)?.code == .storeReadOnly
    }
  }

  @Test(
    arguments: ["id: {type: UUID, column: id, userInfo: {rebuild: uuid}}", "id: {type: String, column: id}"],
    [true, false])
  func aSubtreeWhoseKeysAreNoNumbersIsCloned(key: String, intoAFile: Bool) throws {
    let isUUID = key.contains("UUID")
    let generated = isUUID ? "" : "primaryKey: [{column: id, generate: none}]"
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Boards
        entities:
          Board:
            \(isUUID ? "primaryKey: [{column: id, generate: uuid}]" : generated)
            attributes: {\(key), name: String}
            relationships: {cards: {destination: Card, toMany: true, inverse: board, deleteRule: cascade}}
          Card:
            primaryKey: [{column: id, generate: uuid}]
            attributes: {name: String}
            relationships: {board: {destination: Board, inverse: cards}}
        """)
    let source = try TestStores.shared.make(model)
    let id: AttributeValue = isUUID ? .uuid(uuid) : "b1"
    let board = try source.insert("Board", ["id": id, "name": "b"])
    for name in ["x", "y"] {
      try source.insert("Card", ["name": .string(name), "board": board.id.key.reference])
    }
    let target: any CopyingGraph =
      intoAFile ? try SQLiteGraph.temporary(model) : try TestStores.shared.make(model)
    let plan = try source.plan("Board", CloneRequest(set: isUUID ? [:] : ["id": "b2"]))
    let result = try target.clone(
      plan, roots: [board.id], from: source, SubtreeRequest(missing: .create), options: TransferOptions())
    let copy = try target.object("Board", key: result.roots[0].key)
    #expect(copy.id.key != board.id.key)
    #expect(try copy.destinations("cards").map { try $0.value("name").description }.sorted() == ["x", "y"])
  }

  /// An object that is made for a link brings what it requires, however its key is written.
  @Test(
    arguments: [
      "bytea|\\x6231|Binary", "timestamptz|2020-01-01 10:00+00|Date", "timestamp|2020-01-01 10:00:00.5|Date",
      "boolean|t|Boolean", "inet|10.0.0.1|String", "numeric|1.50|Decimal", "text|b1|String",
    ], [false, true])
  func whatIsMadeKeepsItsReferencesWhateverItsKeyIs(key: String, keepsKeys: Bool) throws {
    let parts = key.split(separator: "|").map(String.init)
    let model = """
      version: 1
      name: Readings
      store: {naming: snakeCase}
      entities:
        Site:
          attributes: {name: String}
          relationships: {devices: {destination: Device, toMany: true, inverse: site}}
          uniquenessConstraints: [[name]]
        Device:
          primaryKey: [{column: id, generate: none}]
          attributes: {id: \(parts[2]), name: String}
          relationships:
            site: {destination: Site, inverse: devices}
            readings: {destination: Reading, toMany: true, inverse: device}
          uniquenessConstraints: [[name]]
        Reading:
          attributes: {name: String}
          relationships: {device: {destination: Device, optional: true, inverse: readings}}
      """
    let tables = """
      CREATE TABLE site(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE);
      CREATE TABLE device(
        id \(parts[0]) PRIMARY KEY, name text NOT NULL UNIQUE, site_id bigint NOT NULL REFERENCES site);
      CREATE TABLE reading(
        id bigserial PRIMARY KEY, name text NOT NULL, device_id \(parts[0]) REFERENCES device);
      """
    let rows = """
      INSERT INTO site(name) VALUES ('s');
      INSERT INTO device VALUES ('\(parts[1])', 'd', 1);
      INSERT INTO reading(name, device_id) VALUES ('r', '\(parts[1])');
      """
    let source = try DatabaseFixture(model, tables + rows)
    let target = try DatabaseFixture(model, tables)
    let plan = try source.graph.plan("Reading", CloneRequest())
    let root = try source.graph.object("Reading", key: 1).id
    try target.graph.clone(
      plan, roots: [root], from: source.graph, SubtreeRequest(missing: .create, keepsKeys: keepsKeys))
    let made = """
      SELECT r.name, d.name, s.name FROM reading r
        JOIN device d ON d.id = r.device_id JOIN site s ON s.id = d.site_id
      """
    #expect(try target.rows(made) == ["r|d|s"])
  }

  @Test(
    "A value without room is named by the object of the source and the table of the store",
    arguments: [false, true])
  func refusedValues(isFile: Bool) throws {
    let yaml = """
      version: 1
      name: Animals
      entities:
        Animal: {abstract: true, discriminator: {column: kind}, attributes: {name: String}}
        Dog: {parent: Animal}
      """
    let table = "CREATE TABLE animal(id bigserial PRIMARY KEY, kind text NOT NULL, name "
    let (server, target) = (
      try DatabaseFixture(yaml, table + "text NOT NULL)"),
      try DatabaseFixture(yaml, table + "varchar(3) NOT NULL)")
    )
    let file = try SQLiteGraph.temporary(server.graph.model)
    let source: any ObjectGraph = isFile ? file : server.graph
    for name in ["a", "long"] { _ = try source.insert("Dog", ["name": .string(name)]) }
    for name in ["b", "c", "d"] { _ = try target.graph.insert("Dog", ["name": .string(name)]) }
    let plan = try ClonePlan(model: source.model, entity: "Dog", request: CloneRequest())
    let error = #expect(throws: CloneError.self) {
      try target.graph.clone(
        plan, roots: Array(source.objectIDs("Dog").suffix(1)), from: source, SubtreeRequest())
    }
    #expect(error?.failures.first?.object?.key == 2)
    // Into a server from another one objects are named by their table until they are clones.
    let message =
      "'long' of \(isFile ? "Dog" : "Animal") 2 does not fit the column 'name' of the table 'animal'"
    #expect("\(error!)".hasPrefix(message), "\(error!)")
  }

  @Test func keysOfOidsGoOnBehindThoseThatAreThere() throws {
    let model = """
      version: 1
      name: Objects
      store: {naming: snakeCase}
      entities:
        Thing:
          primaryKey: [{column: id, generate: max}]
          attributes: {name: String}
          relationships: {parts: {destination: Part, toMany: true, inverse: thing, deleteRule: cascade}}
        Part:
          attributes: {name: String}
          relationships: {thing: {destination: Thing, inverse: parts}}
      """
    let tables = """
      CREATE TABLE thing(id oid PRIMARY KEY, name text NOT NULL);
      CREATE TABLE part(id bigserial PRIMARY KEY, name text NOT NULL, thing_id oid NOT NULL REFERENCES thing);
      """
    let source = try DatabaseFixture(
      model,
      tables + "INSERT INTO thing VALUES (5, 'a'), (6, 'b'); INSERT INTO part(name, thing_id) VALUES ('p', 5)"
    )
    let target = try DatabaseFixture(model, tables + "INSERT INTO thing VALUES (7, 'c')")
    let plan = try source.graph.plan("Thing", CloneRequest())
    let root = try source.graph.object("Thing", key: 5).id
    let things =
      "SELECT t.id, t.name, p.name FROM thing t LEFT JOIN part p ON p.thing_id = t.id ORDER BY t.id"
    let made = try target.graph.clone(plan, roots: [root], from: source.graph, SubtreeRequest())
    #expect(made.roots.map(\.key) == [8])
    #expect(try target.rows(things) == ["7|c|null", "8|a|p"])
    try target.connection.run("TRUNCATE thing, part; INSERT INTO thing VALUES (7, 'c')")
    try target.graph.copy(from: source.graph)
    #expect(try target.rows(things) == ["7|c|null", "8|a|p", "9|b|null"])
  }
}
