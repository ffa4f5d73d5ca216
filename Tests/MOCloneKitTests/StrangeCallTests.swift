import Foundation
import GRDB
import MOCloneKit
import MOCloneSQL
import Testing

/// Calls that an app can make by mistake, and that would otherwise do something else than they say.
@Suite("Calls with consequences")
struct StrangeCallTests {
  private static let model = """
    version: 1
    name: Folders
    store: {naming: snakeCase}
    entities:
      Folder:
        attributes: {name: String, made: {type: Date, userInfo: {rebuild: now}}}
        relationships:
          parent: {destination: Folder, optional: true, inverse: children}
          children: {destination: Folder, toMany: true, inverse: parent, deleteRule: cascade}
          files: {destination: File, toMany: true, inverse: folder, deleteRule: cascade}
      File:
        attributes: {name: String}
        relationships: {folder: {destination: Folder, inverse: files}}
    """

  private func store() throws -> (queue: DatabaseQueue, graph: SQLiteGraph) {
    let queue = try DatabaseQueue()
    let model = try ObjectModel(yaml: Self.model)
    let graph = SQLiteGraph(queue, model: model)
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let root = try graph.insert("Folder", ["name": "root", "made": "2024-01-31T10:00:00Z"])
    try graph.insert("File", ["name": "a", "folder": root.id.key.reference])
    return (queue, graph)
  }

  private struct Folder: FetchableRecord, TableRecord, EncodableRecord {
    static let databaseTableName = "folder"
    var id: Int64
    init(row: Row) throws {
      id = row["id"]
      if id > 1 { throw RecordError() }
    }
    func encode(to container: inout PersistenceContainer) { container["id"] = id }
  }

  private struct RecordError: Error {}

  @Test("A copy that cannot be read as a record is taken back")
  func unreadableRecord() throws {
    let (queue, graph) = try store()
    try queue.write { db in
      let folder = try #require(try Folder.fetchOne(db))
      #expect(throws: RecordError.self) { try Cloner(model: graph.model).clone(folder, in: db) }
    }
    #expect(try graph.objectIDs("Folder").count == 1)
  }

  @Test("A cloner follows the model of its plan, whatever varies")
  func planOfAnotherModel() throws {
    let (_, graph) = try store()
    let light = try ObjectModel(
      yaml: Self.model.replacing(
        "inverse: folder, deleteRule: cascade}", with: "inverse: folder, userInfo: {exclude: ''}}"))
    let cloner = Cloner(plan: try ClonePlan(model: light, entity: "Folder"))
    #expect(try cloner.clone("Folder", keys: [1], in: graph).cloned == ["Folder": 1])
    #expect(
      try cloner.clone("Folder", keys: [1], in: graph, request: CloneRequest(count: 2)).cloned == [
        "Folder": 2
      ])
  }

  @Test("A graph is not copied into its own database")
  func ownDatabase() throws {
    let (queue, graph) = try store()
    let error = #expect(throws: CloneError.self) {
      try graph.copy(from: SQLiteGraph(queue, model: graph.model))
    }
    #expect(error?.code == .invalidValue)
    #expect(try graph.objectIDs("File").count == 1)
  }

  @Test("What a transaction holds, of 'atomically' or of the caller's, is not taken back by the graph")
  func rollback() throws {
    let (queue, graph) = try store()
    func check(_ graph: SQLiteGraph) throws {
      try Cloner().clone("Folder", keys: [1], in: graph, saveBeforeReturn: false)
      let error = try #require(throws: CloneError.self) { try graph.rollback() }
      #expect(error.code == .invalidValue && "\(error)".contains("of 'atomically', or of the caller's"))
    }
    try graph.atomically { try check(graph) }
    try queue.write { db in
      try SQLiteGraph.with(db, model: graph.model) { try check($0) }
    }
  }

  @Test("Objects of another graph are no objects of this one")
  func otherGraph() throws {
    let (queue, graph) = try store()
    let memory = MemoryGraph(model: graph.model)
    let other = try memory.insert("Folder", ["name": "root", "made": "2024-01-31T10:00:00Z"])
    let own = try graph.object("Folder", key: 1)
    #expect(throws: CloneError.self) { try graph.delete(other) }
    #expect(throws: CloneError.self) { try own.add(other, to: "children") }
    #expect(throws: CloneError.self) { try other.set(own, for: "parent") }
    let (_, second) = try store()
    #expect(throws: CloneError.self) { try second.delete(own) }
    try queue.write { db in
      try SQLiteGraph.with(db, model: graph.model) { try $0.delete(own) }
    }
    #expect(try (graph.objectIDs("Folder").count, second.objectIDs("Folder").count) == (0, 1))
  }

  @Test("A deletion leaves foreign keys as the caller had them")
  func foreignKeys() throws {
    let (queue, graph) = try store()
    try queue.write { db in
      try SQLiteGraph.with(db, model: graph.model) { try $0.delete($0.object("File", key: 1)) }
      #expect(try Int.fetchOne(db, sql: "PRAGMA defer_foreign_keys") == 0)
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO file (name, folder_id) VALUES ('orphan', 99)")
      }
    }
  }

  @Test(
    "Work on a pool does not keep reads from going on, and ends where its task is cancelled",
    .timeLimit(.minutes(1)))
  func perform() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let pool = try DatabasePool(path: folder.appendingPathComponent("a.sqlite").path)
    let model = try ObjectModel(yaml: Self.model)
    let graph = SQLiteGraph(pool, model: model)
    try await pool.write { try SchemaWriter(model).create(in: $0) }
    try graph.insert("Folder", ["name": "root", "made": "2024-01-31T10:00:00Z"])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          _ = try await SQLiteGraph.perform(on: pool, model: model) {
            try Cloner().clone("Folder", keys: [1], in: $0).cloned
          }
        }
        group.addTask { _ = try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM folder") } }
      }
      try await group.waitForAll()
    }
    #expect(try graph.objectIDs("Folder").count == 21)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let cancelled = Task {
      try await SQLiteGraph.perform(on: pool, model: model) { graph in
        while true {
          try Cloner().clone("Folder", keys: [1], in: graph)
          start.yield()
        }
      }
    }
    for await _ in started { break }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }
}

/// Keys and names in other words than the store's.
struct StrangeKeyTests {
  private static let yaml = """
    version: 1
    store: {naming: snakeCase}
    entities:
      Badge:
        primaryKey: [id]
        attributes: {id: {type: UUID, userInfo: {rebuild: uuid}}, name: String}
        uniquenessConstraints: [[name]]
    """
  private static let key = "A0000000-0000-4000-8000-00000000000A"

  private func store() throws -> (queue: DatabaseQueue, graph: SQLiteGraph) {
    let (queue, model) = (try DatabaseQueue(), try ObjectModel(yaml: Self.yaml))
    try queue.write { try SchemaWriter(model).create(in: $0) }
    return (queue, SQLiteGraph(queue, model: model))
  }

  @Test func aKeyIsWrittenAsTheAttributeThatItIs() throws {
    let (queue, graph) = try store()
    let key = ObjectKey(Self.key.lowercased())
    let badge = try graph.insert("Badge", key: key, ["name": "a"])
    #expect(badge.id.key.uuid?.uuidString == Self.key)
    #expect(try queue.read { try String.fetchAll($0, sql: "SELECT id FROM badge") } == [Self.key])
    #expect(throws: CloneError.self) { try graph.insert("Badge", key: key, ["name": "b"]) }
    #expect(throws: CloneError.self) { try graph.insert("Badge", key: "garbage", ["name": "b"]) }
    #expect(try graph.count("Badge") == 1)
  }

  @Test func clonesAreLookedUpByTheUUIDHoweverItIsWritten() throws {
    let (queue, graph) = try store()
    try queue.write {
      try $0.execute(sql: "INSERT INTO badge VALUES (?, 'a')", arguments: [Self.key.lowercased()])
    }
    let uuid = try #require(UUID(uuidString: Self.key))
    let result = try Cloner(keepsMapping: true).clone(
      "Badge", keys: [ObjectKey(uuid)], in: graph, request: CloneRequest(set: ["name": "b"]))
    #expect(result[ObjectID("Badge", key: ObjectKey(uuid))] == result.roots)
    #expect(result[ObjectID("Badge", key: ObjectKey(UUID()))].isEmpty)
  }

  @Test func clonesAreLookedUpByTheTextOfAUUID() throws {
    let (_, graph) = try store()
    try graph.insert("Badge", key: ObjectKey(Self.key), ["name": "a"])
    let result = try Cloner(keepsMapping: true).clone(
      "Badge", keys: [ObjectKey(Self.key)], in: graph, request: CloneRequest(set: ["name": "b"]))
    #expect(result[ObjectID("Badge", key: ObjectKey(Self.key))] == result.roots)
    #expect(result[ObjectID("Badge", key: ObjectKey(Self.key.lowercased()))] == result.roots)
  }

  /// Calls take a key in other forms than the store's, and the name of a base.
  @Test func clonesAreLookedUpByWhateverFindsTheOriginal() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Drawing:
            relationships:
              shapes: {destination: Shape, toMany: true, inverse: drawing}
              lines:  {destination: Line, toMany: true, inverse: drawing}
          Shape:
            abstract: true
            discriminator: {column: kind}
            relationships: {drawing: {destination: Drawing, inverse: shapes}}
          Circle: {parent: Shape, discriminator: {value: circle}}
          Line:
            primaryKey: [drawing_id, number]
            attributes: {number: Integer 64}
            relationships: {drawing: {destination: Drawing, inverse: lines}}
        """)
    let queue = try DatabaseQueue()
    try queue.write { db in
      try SchemaWriter(model).create(in: db)
      try db.execute(
        sql: """
          INSERT INTO drawing VALUES (1);
          INSERT INTO shape (id, kind, drawing_id) VALUES (5, 'circle', 1);
          INSERT INTO line (drawing_id, number) VALUES (1, 2);
          """)
    }
    let result = try Cloner(keepsMapping: true)
      .clone("Drawing", keys: ["1"], in: SQLiteGraph(queue, model: model))
    func clones(_ entity: String, _ keys: ObjectKey...) -> Set<[ObjectID]> {
      Set(keys.map { result[ObjectID(entity, key: $0)] })
    }
    #expect(clones("Drawing", 1, "1", "1.0") == [[ObjectID("Drawing", key: 2)]])
    #expect(
      clones("Line", [1, 2], "1,2", ObjectKey(text: "1,2"), ["1", 2]) == [[ObjectID("Line", key: [2, 2])]])
    #expect(clones("Circle", 5, "5") == [[ObjectID("Circle", key: 6)]])
    #expect(clones("Shape", 5, "5") == [[ObjectID("Circle", key: 6)]])
    #expect(clones("Line", 1, "1,3", "1") == [[]])
    #expect(clones("Shape", 6, "five") == [[]])
  }

  @Test func aMisspeltNameIsAnErrorWhateverIsFound() throws {
    let (_, graph) = try store()
    try graph.findOrCreate("Badge", ["name": "a"])
    #expect(throws: CloneError.self) { try graph.findOrCreate("Badge", ["name": "a", "nmae": "b"]) }
  }
}

/// Calls of graphs whose models differ, and closures that do more than they may.
struct StrangeGraphTests {
  private static func model(_ attributes: String, _ more: String = "") throws -> ObjectModel {
    try ObjectModel(yaml: "version: 1\nentities:\n  Note: {attributes: {\(attributes)}}\n\(more)")
  }

  private static func graphs(_ model: ObjectModel) throws -> [any ObjectGraph & CopyingGraph & TransferGraph]
  {
    let queue = try DatabaseQueue()
    try queue.write { try SchemaWriter(model).create(in: $0) }
    return [MemoryGraph(model: model), SQLiteGraph(queue, model: model)]
  }

  private struct Failure: Error {}

  @Test(
    "Stores of different models are not copied into each other",
    arguments: [
      ("name: String", ""), ("name: Integer 64, more: 'String?'", ""),
      ("name: String, more: 'String?', other: 'String?'", ""),
      ("name: String, more: 'String?'", "  Tag: {attributes: {name: String}}\n"),
    ])
  func otherModels(attributes: String, entities: String) throws {
    let (own, other) = (try Self.model("name: String, more: 'String?'"), try Self.model(attributes, entities))
    for source in try Self.graphs(own) {
      try source.insert("Note", ["name": "n", "more": "important"])
      for target in try Self.graphs(other) {
        let error = #expect(throws: CloneError.self) { try target.copy(from: source) }
        #expect(error?.code == .storeMismatch)
        #expect(throws: CloneError.self) {
          try target.seed(from: source, identifiedBy: [:], options: TransferOptions())
        }
        #expect(try target.count("Note") == 0)
      }
    }
  }

  @Test("Stores whose models differ in annotations only are copied")
  func otherAnnotations() throws {
    let models = try [
      Self.model("name: String?"),
      Self.model("name: {type: String, optional: true, userInfo: {exclude: ''}}"),
    ]
    let (source, target) = (try Self.graphs(models[0])[1], try Self.graphs(models[1])[1])
    try source.insert("Note", ["name": "n"])
    #expect(try target.copy(from: source).created == ["Note": 1])
    #expect(try target.value("name", of: target.objectIDs("Note")[0]) == "n")
  }

  @Test("A plan that names what a graph has not is refused")
  func otherPlan() throws {
    let plan = try ClonePlan(model: Self.model("name: String, more: 'String?'"), entity: "Note")
    let far = try ClonePlan(
      model: Self.model("name: String", "  Tag: {attributes: {name: String}}\n"), entity: "Tag")
    for graph in try Self.graphs(Self.model("name: String")) {
      let note = try graph.insert("Note", ["name": "n"])
      for plan in [plan, far] {
        let error = #expect(throws: CloneError.self) {
          try graph.run(plan, roots: [note.id], options: CloneOptions(), saves: true)
        }
        #expect([.storeMismatch, .unknownEntity].contains(error?.code))
      }
      #expect(try graph.count("Note") == 1)
    }
  }

  @Test("What a closure did before a clone in it is taken back with the clone")
  func atomically() throws {
    for graph in try Self.graphs(Self.model("name: String")) {
      let note = try graph.insert("Note", ["name": "n"])
      try graph.save()
      #expect(throws: Failure.self) {
        try graph.atomically {
          try graph.insert("Note", ["name": "junk"])
          try Cloner().clone(object: note)
          throw Failure()
        }
      }
      #expect(try graph.count("Note") == 1)
      #expect(throws: Failure.self) {
        try graph.runOnce("defaults") {
          try Cloner().clone(object: note)
          throw Failure()
        }
      }
      #expect(try graph.count("Note") == 1)
      _ = try graph.atomically { try Cloner().clone(object: note) }
      try graph.rollback()
      #expect(try graph.count("Note") == 2)
    }
  }

  @Test("A save that is taken back saves nothing")
  func savesTakenBack() throws {
    let graph = MemoryGraph(model: try Self.model("name: String"))
    try graph.insert("Note", ["name": "a"])
    try graph.save()
    try graph.atomically {
      try graph.insert("Note", ["name": "b"])
      try? graph.atomically {
        try graph.save()
        throw Failure()
      }
    }
    try graph.rollback()
    #expect(try graph.count("Note") == 1)
  }

  @Test("A closure that chooses a survivor may not delete one")
  func choice() throws {
    for graph in try Self.graphs(Self.model("name: String")) {
      for _ in 0..<2 { try graph.insert("Note", ["name": "n"]) }
      let request = DedupeRequest(
        entities: ["Note"], identifiedBy: ["Note": ["name"]],
        keep: .chosen { objects in
          try objects[0].graph.delete(objects[1])
          return objects[0]
        })
      let error = #expect(throws: CloneError.self) { try graph.dedupe(request) }
      #expect(error?.code == .invalidValue)
      #expect(try graph.count("Note") == 2)
    }
  }

  @Test("Events end with the operation, whoever holds the run", .timeLimit(.minutes(1)))
  func events() async throws {
    let model = try Self.model("name: String")
    let (options, events) = TransferOptions().events()
    let observer = Progress(totalUnitCount: -1)
    let count = Task { await events.reduce(0) { count, _ in count + 1 } }
    let queue = try DatabaseQueue()
    try await queue.write { try SchemaWriter(model).create(in: $0) }
    let report = try await SQLiteGraph.perform(on: queue, model: model) { graph in
      try graph.sync(
        SyncRequest(entity: "Note", identifiedBy: ["Note": ["name"]]), from: [["name": "a"]],
        options: options.observed(by: observer))
    }
    #expect(report.created == ["Note": 1])
    #expect(await count.value > 0)
    #expect(observer.isFinished)
    withExtendedLifetime(options) {}
    let refused: [(MemoryGraph, TransferOptions) throws -> Void] = [
      { _ = try $0.sync(SyncRequest(entity: "Nothing"), from: [], options: $1) },
      { _ = try $0.sync(entity: "Nothing", from: ["a": [:]], options: $1) },
      { _ = try $0.sync(entity: "Note", from: ["a": [:]], identifiedBy: ["nothing"], options: $1) },
      { _ = try $0.copy(from: MemoryGraph(model: model), CopyRequest(entities: ["Nothing"]), options: $1) },
      { _ = try $0.clone("Nothing", roots: [], from: MemoryGraph(model: model), options: $1) },
    ]
    for operation in refused {
      let (failing, none) = TransferOptions().events()
      #expect(throws: CloneError.self) { try operation(MemoryGraph(model: model), failing) }
      for await _ in none {}
      withExtendedLifetime(failing) {}
    }
    // A run that no operation was given.
    let unused = TransferOptions().events().events
    for await _ in unused {}
  }

  @Test("What a clone would hold is found where a queue only reads, which then writes nothing still")
  func previewWithinARead() throws {
    let (queue, model) = (try DatabaseQueue(), try Self.model("name: String"))
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let note = try SQLiteGraph(queue, model: model).insert("Note", ["name": "n"]).id
    let plan = try ClonePlan(model: model, entity: "Note")
    try queue.read { db in
      let found = try SQLiteGraph.with(db, model: model) { try $0.preview(plan, roots: [note]) }
      #expect(found.cloned == ["Note": 1])
      #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM note") }
    }
  }

  @Test("A value given to a clone keeps the limits of its attribute")
  func limits() throws {
    for graph in try Self.graphs(Self.model("name: {type: String, max: 3, pattern: '[a-z]+'}")) {
      let note = try graph.insert("Note", ["name": "abc"])
      for name in ["abcd", "A"] {
        let error = #expect(throws: CloneError.self) {
          try Cloner().clone(object: note, request: CloneRequest(set: ["name": .string(name)]))
        }
        #expect(error?.code == .invalidValue)
      }
      try Cloner().clone(object: note, request: CloneRequest(set: ["name": "x"]))
      #expect(try graph.count("Note") == 2)
    }
  }

  @Test("A decimal that cannot be read again is not written")
  func longDecimal() throws {
    for graph in try Self.graphs(Self.model("name: Decimal")) {
      let note = try graph.insert(
        "Note", ["name": .decimal(Decimal(sign: .plus, exponent: 20, significand: 1))])
      #expect(
        try graph.value("name", of: note.id) == .decimal(Decimal(sign: .plus, exponent: 20, significand: 1)))
      guard graph is SQLiteGraph else { continue }
      #expect(throws: CloneError.self) {
        try graph.insert("Note", ["name": .decimal(Decimal(sign: .plus, exponent: 40, significand: 1))])
      }
    }
  }

  @Test("Nothing is loaded from the network, and no file is taken for it")
  func remote() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yml")
    try "version: 1\nentities: {Note: {attributes: {name: String}}}".write(
      to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(throws: Never.self) { try ObjectModel(contentsOf: file) }
    let url = try #require(URL(string: "https://example.com\(file.path)"))
    #expect(throws: ModelError.self) { try ObjectModel(contentsOf: url) }
    let mapping = try ImportMapping(yaml: "entity: Note\nattributes: {name: name}")
    #expect(throws: CloneError.self) {
      try MemoryGraph(model: Self.model("name: String")).importFile(at: url, mapping: mapping)
    }
  }
}
