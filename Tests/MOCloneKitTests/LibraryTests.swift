import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// The examples of the README and of the documentation, as they are there.
struct LibraryTests {
  private let url = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../Models/HealthNotes.yml").standardized

  private let folder: TemporaryFolder
  private var path: String { folder.file("notes.sqlite").path }

  init() throws { folder = try TemporaryFolder() }

  /// A store on disk with note 42 and its two items.
  @discardableResult
  private func makeStore(_ model: ObjectModel) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in
      try SchemaWriter(model).create(in: db)
      try SQLiteGraph.with(db, model: model) { graph in
        let note = try graph.insert(
          "Note", key: 42,
          ["id": .uuid(UUID()), "name": "Breakfast", "createDate": .date(Date(timeIntervalSince1970: 0))])
        for name in ["Oats", "Milk"] {
          let item = try graph.insert("Item", ["name": .string(name), "noteID": note.value("id")])
          try note.add(item, to: "items")
        }
      }
    }
    return queue
  }

  @Test func aGraphOnAPath() throws {
    let model = try ObjectModel(contentsOf: url)
    try makeStore(model)
    let graph = try SQLiteGraph(path: path, model: model)
    let note = try graph.object("Note", key: 42)
    let copy = try Cloner().clone(object: note)
    let same = try Cloner.clone(object: note)
    let made = try Cloner().clone(object: note, request: CloneRequest(count: 3, set: ["name": "Copy"]))
    #expect(copy.id == ObjectID("Note", key: 43))
    #expect(same.id == ObjectID("Note", key: 44))
    #expect(made.roots.map(\.key) == [45, 46, 47])
    #expect(made.cloned == ["Note": 3, "Item": 6])
    #expect(try graph.object("Note", key: 46).value("name") == "Copy")
  }

  @Test func insideTheCallersTransaction() throws {
    let model = try ObjectModel(contentsOf: url)
    let dbQueue = try makeStore(model)
    let ids = try dbQueue.write { db in try Cloner().clone("Note", key: 42, in: db, model: model).roots }
    #expect(ids == [ObjectID("Note", key: 43)])
    #expect(
      try dbQueue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM item WHERE note_id = 43") } == 2)
  }

  @Test func asyncOverAWriter() async throws {
    let model = try ObjectModel(contentsOf: url)
    let writer: any DatabaseWriter = try makeStore(model)
    let later = try await Cloner().clone("Note", key: 42, in: writer, model: model)
    #expect(later.roots == [ObjectID("Note", key: 43)])
    let elsewhere = await Task.detached { later.cloned }.value
    #expect(elsewhere == ["Note": 1, "Item": 2])
  }

  @Test func aCancelledTaskLeavesNothing() async throws {
    let model = try ObjectModel(contentsOf: url)
    let writer = try makeStore(model)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Cloner().clone("Note", key: 42, in: writer, model: model)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == 1)
  }

  @Test func exclusionsOfTheRootAndOfTheWholeChain() throws {
    let model = try ObjectModel(contentsOf: url)
    let graph = SQLiteGraph(try makeStore(model), model: model)
    let note = try graph.object("Note", key: 42)
    let bare = try Cloner().clone(object: note, excludedRelationshipNames: ["items"])
    #expect(try bare.destinations("items").isEmpty)
    let item = try note.destinations("items")[0]
    try item.add(graph.insert("ItemData", ["createDate": .date(Date()), "item": 1]), to: "datas")
    let rootOnly = try Cloner().clone(object: note, excludedRelationshipNames: ["datas"])
    #expect(try rootOnly.destinations("items")[0].destinations("datas").count == 1)
    let passed = try Cloner().clone(
      object: note, excludedRelationshipNames: ["datas"], passingExclusionList: true)
    #expect(try passed.destinations("items")[0].destinations("datas").isEmpty)
  }

  @Test func aPendingCloneOnAWriter() throws {
    let model = try ObjectModel(contentsOf: url)
    let queue = try makeStore(model)
    let graph = SQLiteGraph(queue, model: model)
    let note = try graph.object("Note", key: 42)
    try Cloner().clone(object: note, saveBeforeReturn: false)
    #expect(try graph.count("Note") == 2)
    try graph.rollback()
    #expect(try graph.count("Note") == 1)
    try Cloner().clone(object: note, saveBeforeReturn: false)
    try graph.save()
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == 2)
  }

  @Test func aPlanMadeOnce() throws {
    let model = try ObjectModel(contentsOf: url)
    let graph = SQLiteGraph(try makeStore(model), model: model)
    let plan = try ClonePlan(model: model, entity: "Note", request: CloneRequest(exclude: ["items"]))
    let cloner = Cloner(plan: plan)
    for _ in 0..<3 { try cloner.clone(object: graph.object("Note", key: 42)) }
    #expect(try graph.count("Note") == 4)
    #expect(try graph.count("Item") == 2)
  }

  @Test func aGraphUsedAfterItsTransactionThrows() throws {
    let model = try ObjectModel(contentsOf: url)
    let queue = try makeStore(model)
    let late = try queue.write { db in try SQLiteGraph.with(db, model: model) { $0 } }
    #expect(throws: CloneError.self) { try late.count("Note") }
  }

  @Test func injectedValues() throws {
    let model = try ObjectModel(contentsOf: url)
    let uuid = UUID(uuidString: "00000000-0000-4000-8000-000000000007")!
    let instant = Date(timeIntervalSince1970: 1_700_000_000)
    let cloner = Cloner(generator: ValueGenerator(now: { instant }, uuid: { uuid }))
    for graph in [SQLiteGraph(try makeStore(model), model: model)] {
      let copy = try cloner.clone(object: graph.object("Note", key: 42))
      #expect(try copy.value("id") == .uuid(uuid))
      #expect(try copy.value("createDate") == .date(instant))
      #expect(try copy.destinations("items")[1].value("noteID") == .uuid(uuid))
    }
  }
}
