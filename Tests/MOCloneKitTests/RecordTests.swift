import Foundation
import GRDB
import MOCloneKit
import Testing

private struct Project: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var uuid: UUID
  var name: String

  static let databaseTableName = "project"
  static let tasks = hasMany(Task.self)

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Task: Codable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var title: String
  var projectId: Int64

  static let databaseTableName = "task"

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Seat: Codable, FetchableRecord, PersistableRecord {
  var row: Int
  var number: String

  static let databaseTableName = "seat"
}

/// Records of GRDB are cloned as they are: no entity is named, no key is made.
struct RecordTests {
  private let model: ObjectModel
  private let queue: DatabaseQueue
  private var cloner: Cloner { Cloner(model: model) }

  init() throws {
    model = try ObjectModel(
      yaml: """
        version: 1
        store: {naming: grdb}
        entities:
          Project:
            attributes:
              uuid: {type: UUID, userInfo: {rebuild: uuid}}
              name: String
            relationships:
              tasks: {destination: Task, toMany: true, inverse: project}
          Task:
            attributes: {title: String}
            relationships:
              project: {destination: Project, inverse: tasks}
          Seat:
            primaryKey: [row, number]
            attributes: {row: Integer 64, number: String}
        """)
    queue = try DatabaseQueue()
    try queue.write { db in
      try SchemaWriter(model).create(in: db)
      var project = Project(uuid: UUID(), name: "House")
      try project.insert(db)
      for title in ["plan", "build"] {
        var task = Task(title: title, projectId: project.id!)
        try task.insert(db)
      }
    }
  }

  @Test func aRecordIsClonedAndItsCopyReturned() throws {
    try queue.write { db in
      let project = try #require(try Project.fetchOne(db, key: 1))
      let copy = try cloner.clone(project, in: db)
      #expect(copy.id == 2 && copy.name == "House" && copy.uuid != project.uuid)
      let tasks = try copy.request(for: Project.tasks).order(Column("id")).fetchAll(db)
      #expect(tasks.map(\.title) == ["plan", "build"] && tasks.allSatisfy { $0.projectId == 2 })
      let named = try cloner.clone(
        project, in: db, request: CloneRequest(set: ["name": "Copy of \(project.name)"]))
      #expect(named.name == "Copy of House")
    }
  }

  @Test func keysOfAnyTypeAreClonedAllOrNone() throws {
    try queue.write { db in
      #expect(try cloner.clone([1, 1], as: Project.self, in: db).map(\.id) == [2, 3])
      #expect(try cloner.clone([Int64](), as: Project.self, in: db).isEmpty)
      let error = try #require(throws: CloneError.self) {
        try cloner.clone([1, 9], as: Project.self, in: db)
      }
      #expect(error.code == .noSuchObject)
      #expect(try Project.fetchCount(db) == 3)
    }
  }

  @Test func aRecordIsClonedInATransactionOfItsOwn() async throws {
    let project = try await queue.read { try Project.fetchOne($0, key: 1)! }
    let copy = try await cloner.clone(project, in: queue)
    #expect(copy.id == 2)
    #expect(try await queue.read { try Task.fetchCount($0) } == 4)
  }

  /// As the README has them.
  @Test func recordsAreClonedInBothWaysInOneAsyncFunction() async throws {
    let (cloner, dbQueue) = (cloner, queue)
    let project = try await dbQueue.read { try Project.fetchOne($0, key: 1)! }
    let copied = try await dbQueue.write { db in try cloner.clone(project, in: db) }
    let later = try await cloner.clone(project, in: dbQueue)
    #expect([copied.id, later.id] == [2, 3])
  }

  @Test func whatHasNoKeyTableOrModelIsNamed() throws {
    try queue.write { db in
      let new = Project(uuid: UUID(), name: "new")
      let unsaved = try #require(throws: CloneError.self) { try cloner.clone(new, in: db) }
      #expect("\(unsaved)".contains("key column 'id'; insert it first"))
      let project = try Project.fetchOne(db, key: 1)!
      let bare = try #require(throws: CloneError.self) { try Cloner().clone(project, in: db) }
      #expect("\(bare)".contains("Cloner(model:)"))
      let other = try ObjectModel(yaml: "version: 1\nentities: {Note: {attributes: {name: String}}}")
      let strange = try #require(throws: CloneError.self) { try Cloner(model: other).clone(project, in: db) }
      #expect("\(strange)".contains("the model has no entity with the table 'project'"))
    }
  }

  @Test func aMissingRecordIsNamedByItsUUID() throws {
    struct Badge: Codable, FetchableRecord, PersistableRecord {
      var id: UUID
    }
    let model = try ObjectModel(
      yaml: """
        version: 1
        store: {naming: grdb, uuids: blob}
        entities:
          Badge: {primaryKey: {column: id, generate: uuid}}
        """)
    let badge = Badge(id: UUID())
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE badge (id BLOB NOT NULL PRIMARY KEY)")
      let error = try #require(throws: CloneError.self) { try Cloner(model: model).clone(badge, in: db) }
      #expect(error.code == .noSuchObject && "\(error)".contains("'\(badge.id)'"))
      try badge.insert(db)
      #expect(try Cloner(model: model).clone(badge, in: db).id != badge.id)
    }
  }

  /// The model's key needs no unique index in the database.
  @Test func aKeyWithoutAnIndexIsFound() throws {
    try queue.write { db in
      try db.execute(sql: "DROP TABLE seat; CREATE TABLE seat (row INTEGER NOT NULL, number TEXT NOT NULL)")
      try Seat(row: 1, number: "a").insert(db)
      let copy = try cloner.clone(
        Seat(row: 1, number: "a"), in: db, request: CloneRequest(set: ["row": 2]))
      #expect(copy.row == 2 && copy.number == "a")
    }
  }

  @Test func aCompositeKeyIsTakenFromTheRecord() throws {
    try queue.write { db in
      try Seat(row: 1, number: "a").insert(db)
      let copy = try cloner.clone(
        Seat(row: 1, number: "a"), in: db, request: CloneRequest(set: ["row": 2]))
      #expect(copy.row == 2 && copy.number == "a")
    }
  }

  @Test func keysAreMadeOfSwiftValuesAndReadBack() {
    let uuid = UUID()
    #expect(ObjectKey(7).rowID == 7 && ObjectKey(Int64(7)) == 7 && ObjectKey("a").rowID == nil)
    #expect(ObjectKey(uuid).uuid == uuid && ObjectKey(uuid.uuidString.lowercased()).uuid == uuid)
    #expect(ObjectKey(withUnsafeBytes(of: uuid.uuid) { Data($0) }).uuid == uuid)
    #expect(ObjectKey([7, "a"] as [any AttributeValueConvertible]) == [7, "a"])
    #expect(AttributeValue(Int?.none) == .null && AttributeValue("a" + "b") == "ab")
  }

  @Test func keysAreArgumentsAndColumnsOfGRDB() throws {
    try queue.read { db in
      let key = ObjectKey(Int64(1))
      let name = try String.fetchOne(db, sql: "SELECT name FROM project WHERE id = ?", arguments: [key])
      #expect(name == "House")
      #expect(try ObjectKey.fetchOne(db, sql: "SELECT id FROM project") == key)
      #expect(ObjectKey.fromDatabaseValue(.null) == nil)
      #expect(ObjectKey([7, "a"] as [any AttributeValueConvertible]).databaseValue == "7,a".databaseValue)
    }
  }

  @Test func keysAreClonedInATransactionOfTheirOwn() async throws {
    let copies = try await cloner.clone([1], as: Project.self, in: queue)
    #expect(copies.map(\.id) == [2])
  }

  @Test func aCallThatReturnsOneRecordMakesOne() throws {
    try queue.write { db in
      let project = try #require(try Project.fetchOne(db, key: 1))
      #expect(throws: CloneError.self) {
        try cloner.clone(project, in: db, request: CloneRequest(count: 3))
      }
      #expect(try Project.fetchCount(db) == 1)
      #expect(try cloner.clone([1], as: Project.self, in: db, request: CloneRequest(count: 3)).count == 3)
    }
  }

  @Test func clonesAreLookedUpByTheirOriginals() throws {
    let graph = SQLiteGraph(queue, model: model)
    let result = try Cloner(keepsMapping: true).clone(
      "Project", keys: [1], in: graph, request: CloneRequest(count: 2))
    #expect(result[ObjectID("Project", key: 1)] == result.roots)
    #expect(result[ObjectID("Task", key: 2)].count == 2)
    #expect(result[ObjectID("Task", key: 99)].isEmpty)
  }
}

/// Records of a table that several entities share.
struct SubEntityRecordTests {
  private struct Song: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "thing"
    var id: Int64
    var kind = "Song"
    var title: String
    var length = 0
  }

  @Test("A plan for a sub-entity clones its records, and refuses those of a sibling")
  func plans() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Media
        store: {naming: grdb}
        entities:
          Thing: {abstract: true, discriminator: {column: kind}, attributes: {title: String}}
          Song: {parent: Thing, attributes: {length: {type: Integer 64, default: 0}}}
          Movie: {parent: Thing, attributes: {director: {type: String, optional: true}}}
        """)
    let queue = try DatabaseQueue()
    try queue.write { db in
      try SchemaWriter(model).create(in: db)
      try Song(id: 1, title: "s").insert(db)
      try db.execute(sql: "INSERT INTO thing(id, kind, title) VALUES (2, 'Movie', 'm')")
    }
    let plan = try ClonePlan(model: model, entity: "Song", request: CloneRequest(set: ["length": 7]))
    let cloner = Cloner(plan: plan)
    let lengths = try queue.write { db in
      try [cloner.clone(Song.find(db, key: 1), in: db).length]
        + cloner.clone([1], as: Song.self, in: db).map(\.length)
    }
    #expect(lengths == [7, 7])
    let error = #expect(throws: CloneError.self) {
      try queue.write { db in try cloner.clone([2], as: Song.self, in: db) }
    }
    #expect(error?.failures.first?.message.contains("the plan is for Song, but the object is Movie") == true)
    let graph = SQLiteGraph(queue, model: model)
    #expect(try cloner.clone("Thing", keys: [1], in: graph).cloned == ["Song": 1])
  }
}

/// Calls that ask for nothing.
struct EmptyCallTests {
  @Test func noKeysAreClonedToNothingInBothGraphs() throws {
    let model = try ObjectModel(yaml: "version: 1\nentities: {Note: {attributes: {name: String}}}")
    let queue = try DatabaseQueue()
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let graphs: [any ObjectGraph] = [MemoryGraph(model: model), SQLiteGraph(queue, model: model)]
    for graph in graphs {
      let result = try Cloner().clone("Note", keys: [], in: graph)
      #expect(result == CloneResult())
    }
  }

  @Test func anErrorWithoutFailuresHasACode() {
    #expect(CloneError([]).code == .storeFailed)
  }
}
