import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Clones that wait for `save()` or `rollback()`, and clones in tasks.
@Suite struct PendingTests {
  private static let rows = """
    CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES folder(id));
    INSERT INTO folder VALUES (1, 'a', NULL), (2, 'b', 1);
    """

  /// Runs a body on a queue or a pool in a folder of its own.
  private func withStore(pool: Bool, _ body: (StoreFixture) throws -> Void) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sqlite").path
    let writer: any DatabaseWriter = try pool ? DatabasePool(path: path) : DatabaseQueue(path: path)
    try body(StoreFixture(SharedModel.tree(), Self.rows, in: writer))
    try writer.close()
  }

  @Test(arguments: [false, true])
  func aPendingCloneIsSavedOrRolledBack(pool: Bool) throws {
    try withStore(pool: pool) { store in
      let graph = SQLiteGraph(store.writer, model: store.model)
      let copy = try Cloner().clone(object: graph.object("Folder", key: 1), saveBeforeReturn: false)
      #expect(try copy.value("name") == "a")
      #expect(try graph.count("Folder") == 4)
      if pool { #expect(try store.rows("SELECT count(*) FROM folder") == ["2"]) }
      try graph.rollback()
      #expect(try store.rows("SELECT count(*) FROM folder") == ["2"])
      try Cloner().clone(object: graph.object("Folder", key: 1), saveBeforeReturn: false)
      try Cloner().clone(object: graph.object("Folder", key: 2), saveBeforeReturn: false)
      try graph.save()
      #expect(try store.rows("SELECT count(*) FROM folder") == ["5"])
    }
  }

  @Test(arguments: [false, true])
  func aPendingCloneIsMadeAndSavedInAClosureOfTheWriter(pool: Bool) throws {
    func check(_ store: StoreFixture) throws {
      let graph = SQLiteGraph(store.writer, model: store.model)
      try store.writer.writeWithoutTransaction { _ in
        try Cloner().clone(object: graph.object("Folder", key: 1), saveBeforeReturn: false)
        try graph.save()
      }
      #expect(try store.rows("SELECT count(*) FROM folder") == ["4"])
    }
    try withStore(pool: pool, check)
    try check(StoreFixture(SharedModel.tree(), Self.rows))
  }

  /// The connection of a pending clone is opened with what the writer was configured with.
  @Test func aFunctionThatWasAddedLaterIsNamedWithItsPlace() throws {
    let store = try StoreFixture(SharedModel.tree(), Self.rows)
    try store.writer.writeWithoutTransaction { db in
      db.add(function: DatabaseFunction("late", argumentCount: 1, pure: true) { $0[0] })
      try db.execute(
        sql: "CREATE TRIGGER t AFTER INSERT ON folder BEGIN SELECT late(NEW.name); END")
    }
    let graph = SQLiteGraph(store.writer, model: store.model)
    try Cloner().clone(object: graph.object("Folder", key: 1))
    let error = #expect(throws: CloneError.self) {
      try Cloner().clone(object: graph.object("Folder", key: 1), saveBeforeReturn: false)
    }
    #expect(error?.failures.first?.message.contains("'Configuration.prepareDatabase'") == true)
  }

  @Test(arguments: [false, true])
  func aFailedCloneLeavesWhatIsPending(pool: Bool) throws {
    try withStore(pool: pool) { store in
      let graph = SQLiteGraph(store.writer, model: store.model)
      try Cloner().clone(object: graph.object("Folder", key: 1), saveBeforeReturn: false)
      #expect(throws: CloneError.self) {
        try Cloner().clone("Folder", keys: [99], in: graph, saveBeforeReturn: false)
      }
      #expect(throws: CloneError.self) {
        try Cloner().clone(
          object: graph.object("Folder", key: 1), request: CloneRequest(set: ["parent": 99]),
          saveBeforeReturn: false)
      }
      try graph.save()
      #expect(try store.rows("SELECT count(*) FROM folder") == ["4"])
    }
  }

  @Test(arguments: [false, true])
  func aGraphThatIsLetGoRollsBack(pool: Bool) throws {
    try withStore(pool: pool) { store in
      do {
        let graph = SQLiteGraph(store.writer, model: store.model)
        try Cloner().clone(object: graph.object("Folder", key: 1), saveBeforeReturn: false)
      }
      #expect(try store.rows("SELECT count(*) FROM folder") == ["2"])
    }
  }

  @Test(arguments: [false, true])
  func aFirstPendingCloneThatFailsHoldsNoLock(pool: Bool) throws {
    try withStore(pool: pool) { store in
      let graph = SQLiteGraph(store.writer, model: store.model)
      #expect(throws: CloneError.self) {
        try Cloner().clone(
          object: graph.object("Folder", key: 1), request: CloneRequest(set: ["parent": 99]),
          saveBeforeReturn: false)
      }
      try graph.rollback()
      try store.execute("UPDATE folder SET name = 'c'")
    }
  }

  @Test func inACallersTransactionTheParameterHasNoEffect() throws {
    let store = try StoreFixture(SharedModel.tree(), Self.rows)
    _ = try store.writer.write { db in
      try SQLiteGraph.with(db, model: store.model) { graph in
        try Cloner().clone(object: graph.object("Folder", key: 1), saveBeforeReturn: false)
      }
    }
    #expect(try store.rows("SELECT count(*) FROM folder") == ["4"])
  }

  @Test func anAsyncCloneReturnsItsResult() async throws {
    let store = try StoreFixture(SharedModel.tree(), Self.rows)
    let result = try await Cloner().clone("Folder", key: 1, in: store.writer, model: store.model)
    #expect(result.root.key == 3)
  }

  @Test func aCancelledCloneLeavesNothing() async throws {
    let store = try StoreFixture(
      SharedModel.tree(),
      Self.rows + "INSERT INTO folder VALUES (3, 'c', 2)")
    let before = try store.contents()
    // Cancelled from within its own progress, so that it is surely under way.
    let cancelling = Cloner(progress: { _ in withUnsafeCurrentTask { $0?.cancel() } })
    let task = Task {
      try await cancelling.clone("Folder", key: 1, in: store.writer, model: store.model)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try store.contents() == before)
    let first = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Cloner().clone("Folder", key: 1, in: store.writer, model: store.model)
    }
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(try store.clone("Folder", 1).cloned == ["Folder": 3])
  }
}
