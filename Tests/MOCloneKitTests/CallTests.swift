import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Calls that could be misread are refused in words, and none of them hangs or ends the program.
struct CallTests {
  private static let model = """
    version: 1
    entities:
      Note:
        attributes: {name: String}
        relationships: {memos: {destination: Memo, toMany: true, inverse: note}}
      Memo:
        attributes: {text: String}
        relationships: {note: {destination: Note, inverse: memos}}
    """
  private let model: ObjectModel

  init() throws {
    model = try ObjectModel(yaml: Self.model)
  }

  private func fill(_ writer: any DatabaseWriter) throws {
    try writer.write { db in
      try SchemaWriter(model).create(in: db)
      try db.execute(
        sql: "INSERT INTO note VALUES (1, 'a'); INSERT INTO memo VALUES (1, 'm', 1), (2, 'n', 1)")
    }
  }

  /// A queue in memory, a queue and a pool on files.
  private func withWriters(_ body: (any DatabaseWriter) throws -> Void) throws {
    let folder = try TemporaryFolder()
    let writers: [any DatabaseWriter] = [
      try DatabaseQueue(), try DatabaseQueue(path: folder.file("queue.sqlite").path),
      try DatabasePool(path: folder.file("pool.sqlite").path),
    ]
    for writer in writers {
      try fill(writer)
      try body(writer)
      try writer.close()
    }
  }

  private func notes(_ writer: any DatabaseWriter) throws -> Int {
    try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note")! }
  }

  // MARK: Plans

  @Test func aPlanIsFollowedWithTheValuesOfEachCall() throws {
    for graph in [MemoryGraph(model: model) as any ObjectGraph, try SQLiteGraph.temporary(model)] {
      let note = try graph.insert("Note", ["name": "a"])
      try graph.insert("Memo", ["text": "m", "note": note.id.key.reference])
      let plan = try ClonePlan(model: model, entity: "Note", request: CloneRequest(exclude: ["memos"]))
      let cloner = Cloner(plan: plan)
      let result = try cloner.clone(object: note, request: CloneRequest(count: 2, set: ["name": "b"]))
      #expect(try result.roots.map { try graph.value("name", of: $0) } == ["b", "b"])
      #expect(result.cloned == ["Note": 2])
      #expect(try cloner.clone(object: note).value("name") == "a")
    }
  }

  @Test func aPlanCannotBeContradicted() throws {
    let graph = MemoryGraph(model: model)
    let note = try graph.insert("Note", ["name": "a"])
    let memo = try graph.insert("Memo", ["text": "m", "note": note.id.key.reference])
    let cloner = Cloner(plan: try ClonePlan(model: model, entity: "Note"))
    let calls: [() throws -> Void] = [
      { try cloner.clone(object: note, excludedRelationshipNames: ["memos"]) },
      { try cloner.clone(object: note, request: CloneRequest(exclude: ["memos"])) },
      { try cloner.clone(object: note, config: AnnotationKeys(exclude: "leaveOut")) },
      { try cloner.clone(object: memo) },
    ]
    for call in calls {
      let error = try #require(throws: CloneError.self) { try call() }
      #expect("\(error)".contains("the cloner follows a plan"))
    }
    #expect(try graph.count("Note") == 1 && graph.count("Memo") == 1)
  }

  // MARK: Pending clones

  @Test func aPendingCloneLeavesTheAppsConnectionFree() throws {
    try withWriters { writer in
      let graph = SQLiteGraph(writer, model: model)
      let copy = try Cloner().clone(object: graph.object("Note", key: 1), saveBeforeReturn: false)
      #expect(try copy.value("name") == "a" && graph.count("Note") == 2)
      #expect(try notes(writer) == 1)
      try graph.save()
      #expect(try notes(writer) == 2 && graph.count("Memo") == 4)
    }
  }

  @Test func anotherGraphNamesThePendingOne() throws {
    try withWriters { writer in
      let graph = SQLiteGraph(writer, model: model)
      try Cloner().clone(object: graph.object("Note", key: 1), saveBeforeReturn: false)
      let other = SQLiteGraph(writer, model: model)
      if try isFile(writer) {
        let error = try #require(throws: CloneError.self) { try other.insert("Note", ["name": "b"]) }
        #expect(error.code == .storeBusy && "\(error)".contains("is pending in another graph"))
        #expect(error.underlying is DatabaseError)
        try graph.rollback()
      }
      try other.insert("Note", ["name": "b"])
      #expect(try notes(writer) == 2)
    }
  }

  /// Another connection cannot lock a database in memory, so the change is found when the clone is saved.
  @Test func aDatabaseInMemoryThatChangedMeanwhileIsNotWrittenOver() throws {
    let queue = try DatabaseQueue()
    try fill(queue)
    let graph = SQLiteGraph(queue, model: model)
    try Cloner().clone(object: graph.object("Note", key: 1), saveBeforeReturn: false)
    try queue.write { try $0.execute(sql: "UPDATE note SET name = 'changed'") }
    let error = try #require(throws: CloneError.self) { try graph.save() }
    #expect(error.code == .storeBusy)
    #expect(try queue.read { try String.fetchAll($0, sql: "SELECT name FROM note") } == ["changed"])
    try Cloner().clone(object: graph.object("Note", key: 1))
    #expect(try notes(queue) == 2)
  }

  /// Another connection of a database in memory that several share, and a change of a pragma.
  @Test func aSharedDatabaseInMemoryThatChangedMeanwhileIsNotWrittenOver() throws {
    for sql in ["UPDATE note SET name = 'changed'", "PRAGMA user_version = 7"] {
      let name = UUID().uuidString
      let (queue, other) = (try DatabaseQueue(named: name), try DatabaseQueue(named: name))
      try fill(queue)
      let graph = SQLiteGraph(queue, model: model)
      try Cloner().clone(object: graph.object("Note", key: 1), saveBeforeReturn: false)
      try other.writeWithoutTransaction { try $0.execute(sql: sql) }
      let error = try #require(throws: CloneError.self) { try graph.save() }
      #expect(error.code == .storeBusy)
      #expect(try notes(queue) == 1)
    }
  }

  /// No other connection may read such a store.
  @Test func aSourceThatItsConnectionHoldsForItselfIsBusy() throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
    let queue = try DatabaseQueue(path: folder.file("queue.sqlite").path, configuration: configuration)
    try fill(queue)
    let (source, target) = (SQLiteGraph(queue, model: model), try SQLiteGraph.temporary(model))
    let error = try #require(throws: CloneError.self) {
      try target.copy(from: source, CopyRequest(entities: ["Note"]))
    }
    #expect(error.code == .storeBusy && error.underlying is DatabaseError)
  }

  @Test func aGraphThatIsLetGoInAClosureOfItsWriterTakesItsCloneBack() throws {
    try withWriters { writer in
      var graph: SQLiteGraph? = SQLiteGraph(writer, model: model)
      try Cloner().clone("Note", keys: [1], in: graph!, saveBeforeReturn: false)
      try writer.read { _ in graph = nil }
      try SQLiteGraph(writer, model: model).insert("Note", ["name": "b"])
      #expect(try notes(writer) == 2)
    }
  }

  /// A reader of a file without WAL keeps a commit waiting; nothing is lost by that.
  @Test func aSaveThatFindsTheStoreBusyCanBeRepeated() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("queue.sqlite").path
    let queue = try DatabaseQueue(path: path)
    try fill(queue)
    let reader = try DatabaseQueue(path: path)
    let graph = SQLiteGraph(queue, model: model)
    try Cloner().clone(object: graph.object("Note", key: 1), saveBeforeReturn: false)
    try reader.read { db in
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM note")
      let error = try #require(throws: CloneError.self) { try graph.save() }
      #expect(error.code == .storeBusy)
    }
    #expect(try graph.count("Note") == 2)
    try graph.save()
    #expect(try notes(queue) == 2)
    try graph.save()
    #expect(try notes(queue) == 2)
  }

  @Test func observersHearOfASavedClone() throws {
    try withWriters { writer in
      let counts = Locked<[Int]>([])
      let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT count(*) FROM note")! }
      let cancellable = observation.start(in: writer, scheduling: .async(onQueue: .global())) { _ in
      } onChange: { count in
        counts.withLock { $0.append(count) }
      }
      let graph = SQLiteGraph(writer, model: model)
      try Cloner().clone(object: graph.object("Note", key: 1), saveBeforeReturn: false)
      try graph.save()
      for _ in 0..<200 where counts.withLock({ $0.last }) != 2 {
        Thread.sleep(forTimeInterval: 0.01)
      }
      #expect(counts.withLock { $0.last } == 2)
      cancellable.cancel()
    }
  }

  private func isFile(_ writer: any DatabaseWriter) throws -> Bool { writer.path != ":memory:" }

  @Test func aGraphThatIsClosedLeavesTheAppsWriterOpen() throws {
    try withWriters { writer in
      let graph = SQLiteGraph(writer, model: model)
      try Cloner().clone(object: graph.object("Note", key: 1), saveBeforeReturn: false)
      try graph.close()
      let error = try #require(throws: CloneError.self) { try graph.count("Note") }
      #expect(error.code == .graphEnded && "\(error)".contains("this graph is closed"))
      #expect(try notes(writer) == 1)
    }
  }

  // MARK: Closures

  @Test func aGraphInAClosureOfItsOwnWriterIsAnError() throws {
    try withWriters { writer in
      let graph = SQLiteGraph(writer, model: model)
      let calls: [() throws -> Void] = [
        { try writer.write { _ in _ = try graph.count("Note") } },
        { try writer.write { _ in _ = try Cloner().clone("Note", keys: [1], in: graph) } },
        { try writer.read { _ in _ = try graph.count("Note") } },
        { try writer.read { _ in _ = try graph.object("Note", key: 1) } },
        {
          try writer.write { _ in
            _ = try Cloner().clone("Note", keys: [1], in: graph, saveBeforeReturn: false)
          }
        },
      ]
      for call in calls {
        let error = try #require(throws: CloneError.self) { try call() }
        #expect("\(error)".contains("inside a closure of its own writer"))
      }
      #expect(try notes(writer) == 1)
      _ = try writer.write { db in try Cloner().clone("Note", key: 1, in: db, model: model) }
      #expect(try notes(writer) == 2)
    }
  }

  @Test func whatAClosureOfSeveralCallsReturnsNeedNotBeUsed() throws {
    for graph in [MemoryGraph(model: model) as any ObjectGraph, try SQLiteGraph.temporary(model)] {
      let note = try graph.insert("Note", ["name": "a"])
      try graph.atomically { try Cloner().clone(object: note) }
      #expect(try graph.count("Note") == 2)
    }
  }

  // MARK: Transient attributes

  @Test func aTransientAttributeIsNullAndCannotBeGivenInBothGraphs() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Note: {attributes: {name: String, shown: {type: String, optional: true, transient: true}}}
        """)
    for graph in [MemoryGraph(model: model) as any ObjectGraph, try SQLiteGraph.temporary(model)] {
      let error = try #require(throws: CloneError.self) {
        try graph.insert("Note", ["name": "a", "shown": "b"])
      }
      #expect(error.code == .invalidValue && error.failures[0].property == "shown")
      let note = try graph.insert("Note", ["name": "a"])
      #expect(try note.value("shown") == .null)
      #expect(try graph.count("Note") == 1)
    }
  }

  // MARK: Generators

  @Test func aGeneratorThatRepeatsAUniqueValueIsNamedInBothGraphs() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Note:
            attributes: {code: {type: UUID, userInfo: {rebuild: uuid}}}
            uniquenessConstraints: [[code]]
        """)
    for graph in [MemoryGraph(model: model) as any ObjectGraph, try SQLiteGraph.temporary(model)] {
      let note = try graph.insert("Note", ["code": .uuid(UUID())])
      let generator = ValueGenerator.fixed()
      for _ in 1...2 { try Cloner(generator: generator).clone(object: note) }
      let error = try #require(throws: CloneError.self) {
        try Cloner(generator: .fixed()).clone(object: note)
      }
      #expect(error.code == .uniqueValue && "\(error)".contains("give all cloners of a store one generator"))
      #expect(!"\(error)".contains("annotate"))
      #expect(try graph.count("Note") == 3)
    }
  }

  // MARK: Progress

  @Test func progressHasATotalInBothGraphs() throws {
    for graph in [MemoryGraph(model: model) as any ObjectGraph, try SQLiteGraph.temporary(model)] {
      let note = try graph.insert("Note", ["name": "a"])
      for _ in 0..<3 { try graph.insert("Memo", ["text": "m", "note": note.id.key.reference]) }
      for copies in [1, 2] {
        let events = Locked<[CloneProgress]>([])
        let cloner = Cloner(progress: { event in events.withLock { $0.append(event) } })
        try cloner.clone(object: note, request: CloneRequest(count: copies))
        let writing = events.withLock { $0.filter { $0.phase == .write } }
        #expect(!writing.isEmpty && writing.allSatisfy { $0.total == 4 * copies && $0.objects <= 4 * copies })
      }
    }
  }

  // MARK: The model and the migrations

  @Test func aModelIsCheckedAgainstMigrationsInOneLine() throws {
    let queue = try DatabaseQueue()
    try fill(queue)
    try SQLiteGraph(queue, model: model).validate()
    try queue.write {
      try $0.execute(
        sql: "CREATE TABLE attachment (id INTEGER PRIMARY KEY, note_id INTEGER REFERENCES note(id))")
    }
    let drift = try #require(throws: ModelError.self) { try SQLiteGraph(queue, model: model).validate() }
    #expect(drift.diagnostics.contains { $0.code == .unknownReference && $0.severity == .error })
    try SQLiteGraph(queue, model: model).validate(ignoring: ["attachment"])
  }

  @Test func aColumnThatAMigrationForgotIsAnError() throws {
    let queue = try DatabaseQueue()
    try queue.write {
      try $0.execute(
        sql:
          "CREATE TABLE note (id INTEGER PRIMARY KEY); CREATE TABLE memo (id INTEGER PRIMARY KEY, text TEXT NOT NULL, "
          + "note_id INTEGER NOT NULL REFERENCES note(id))")
    }
    let error = try #require(throws: ModelError.self) { try SQLiteGraph(queue, model: model).validate() }
    #expect(error.diagnostics.contains { $0.code == .storeMismatch })
  }
}
