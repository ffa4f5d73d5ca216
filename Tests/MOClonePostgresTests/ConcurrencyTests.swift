import Foundation
import MOCloneKit
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

/// Clones beside each other and beside writers, each by a connection of its own.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct ConcurrencyTests {
  private let database: TestDatabase
  private let model: ObjectModel

  init() throws {
    database = try TestDatabase()
    model = try ObjectModel(
      yaml: """
        version: 1
        name: Notes
        entities:
          Note:
            attributes:
              uuid: {type: UUID, userInfo: {rebuild: uuid}}
              name: String
            relationships:
              items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}
            uniquenessConstraints: [[uuid]]
          Item:
            attributes: {name: String}
            relationships:
              note: {destination: Note, inverse: items}
        """)
    let graph = PostgresGraph(try database.connect(), model: model)
    try graph.createTables()
    let note = try graph.insert("Note", ["uuid": .uuid(UUID()), "name": "n"])
    for number in 1...4 {
      try graph.insert("Item", ["name": .string("i\(number)"), "note": note.id.key.reference])
    }
  }

  private func graph() throws -> PostgresGraph { PostgresGraph(try database.connect(), model: model) }

  /// The numbers of items that notes have, and how many notes have each.
  private func sizes() throws -> [Int: Int] {
    let rows = try database.connect().rows(
      "SELECT n.id, (SELECT count(*) FROM item i WHERE i.note_id = n.id) FROM note n")
    return Dictionary(grouping: rows) { $0[1].number }.mapValues(\.count)
  }

  @Test("An import and a sync read their rows again after a conflict, once", arguments: [1, 2])
  func conflicts(count: Int) throws {
    let graph = try self.graph()
    let connection = try database.connect()
    try connection.run(
      """
      CREATE SEQUENCE tries;
      CREATE FUNCTION meet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('tries') <= \(count) THEN RAISE EXCEPTION 'on purpose' USING ERRCODE = '40001'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER meeting AFTER INSERT ON note FOR EACH STATEMENT EXECUTE FUNCTION meet();
      """)
    let mapping = try ImportMapping(yaml: "{entity: Note, attributes: {uuid: '@uuid', name: '@name'}}")
    let request = SyncRequest(entity: "Note", overwriting: ["name"], deletes: false)
    let folder = try TemporaryFolder()
    func file() throws -> String {
      try folder.write("uuid,name\n\(UUID()),x\n\(UUID()),y\n".utf8, to: "notes.csv").path
    }
    let runs: [() throws -> Void] = [
      { _ = try graph.importFile(file(), mapping: mapping) },
      { _ = try graph.sync(request, fromFile: file()) },
      { _ = try graph.sync(request, from: [["uuid": .uuid(UUID()), "name": "x"]]) },
    ]
    for run in runs {
      try connection.run("ALTER SEQUENCE tries RESTART; DELETE FROM note WHERE name IN ('x', 'y')")
      if count == 1 {
        try run()
      } else {
        let error = #expect(throws: CloneError.self) { try run() }
        #expect(error?.code == .storeBusy)
      }
      let found = try connection.rows("SELECT count(*) > 1 FROM note")[0][0].number
      #expect(found == (count == 1 ? 1 : 0))
    }
  }

  @Test func anIdentityThatAnotherSessionInsertsMeanwhileEndsACopyAndNothingIsKept() throws {
    let uuid = UUID()
    let source = MemoryGraph(model: model)
    try source.insert("Note", ["uuid": .uuid(UUID()), "name": "first"])
    try source.insert("Note", ["uuid": .uuid(uuid), "name": "second"])
    let target = try graph()
    let database = database
    var options = TransferOptions()
    options.progress = { progress in
      // What this inserts is not seen by the copy, which has looked at the notes already.
      guard progress.phase == .writing else { return }
      try? database.connect().run(
        "INSERT INTO note(uuid, name) VALUES ('\(uuid)', 'theirs') ON CONFLICT DO NOTHING"
      )
    }
    let error = #expect(throws: CloneError.self) { try target.copy(from: source, options: options) }
    #expect(error?.code == .uniqueValue, "\(String(describing: error))")
    let names = try database.connect().rows("SELECT name FROM note ORDER BY id").map { $0[0].string }
    #expect(names == ["n", "theirs"])
    #expect(try target.copy(from: source).created == ["Note": 1])
  }

  @Test func eightClientsCloneAtOnceAndNoneFails() async throws {
    let roots = try await withThrowingTaskGroup(of: [ObjectKey].self) { group in
      for _ in 0..<8 {
        group.addTask {
          let graph = try graph()
          let note = try graph.object("Note", key: 1)
          return try (0..<10).map { _ in try Cloner().clone(object: note).id.key }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(roots).count == 80)
    #expect(try sizes() == [4: 81])
  }

  @Test func aCloneSeesOneStateWhileAWriterChangesTheSubtree() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let writer = try database.connect()
        while !Task.isCancelled {
          // Two at a time, so that a note never has an odd number of items.
          try writer.execute("INSERT INTO item(name, note_id) VALUES ('a', 1), ('b', 1)")
          try writer.execute("DELETE FROM item WHERE note_id = 1 AND name IN ('a', 'b')")
        }
      }
      let graph = try graph()
      let note = try graph.object("Note", key: 1)
      for _ in 0..<60 { try Cloner().clone(object: note) }
      group.cancelAll()
      try? await group.waitForAll()
    }
    try database.connect().execute("DELETE FROM item WHERE note_id = 1 AND name IN ('a', 'b')")
    #expect(try sizes().keys.allSatisfy { $0 % 2 == 0 })
  }

  @Test func aServerProcessThatEndsDuringACloneLeavesNothing() throws {
    let connection = try database.connect()
    try connection.run(
      """
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
      CREATE TRIGGER fails BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION fail()
      """)
    let graph = try graph()
    let note = try graph.object("Note", key: 1)
    #expect(throws: CloneError.self) { try Cloner().clone(object: note) }
    #expect(try sizes() == [4: 1])
  }

  @Test func aCloneThatWaitsTooLongForALockLeavesNothing() throws {
    let other = try database.connect()
    try other.run("BEGIN; LOCK TABLE item IN EXCLUSIVE MODE")
    let connection = try database.connect()
    try connection.run("SET lock_timeout = '50ms'")
    let graph = PostgresGraph(connection, model: model)
    let note = try graph.object("Note", key: 1)
    #expect { try Cloner().clone(object: note) } throws: { ($0 as? CloneError)?.code == .storeBusy }
    try other.run("ROLLBACK")
    #expect(try sizes() == [4: 1])
    try Cloner().clone(object: note)
    #expect(try sizes() == [4: 2])
  }

  @Test func aCancelledCloneDoesNotWaitForALockOnATable() async throws {
    let other = try database.connect()
    try other.run("BEGIN; LOCK TABLE item IN ACCESS EXCLUSIVE MODE")
    let task = Task { [database, model] in
      let connection = try database.connect()
      do {
        try Cloner().clone("Note", keys: [1], in: PostgresGraph(connection, model: model))
        return false
      } catch is CancellationError { return !connection.isInTransaction }
    }
    try await untilAStatementWaits()
    task.cancel()
    // The tables are still locked.
    #expect(try await task.value)
    try other.run("ROLLBACK")
    #expect(try sizes() == [4: 1])
  }

  @Test func anAsyncFormRunsOnAGraphOfItsOwn() async throws {
    let cloned = try await PostgresGraph.perform(at: database.location, model: model) { graph in
      try Cloner().clone("Note", keys: [1], in: graph).cloned
    }
    #expect(cloned == ["Note": 1, "Item": 4])
    #expect(try sizes() == [4: 2])
    await #expect(throws: CloneError.self) {
      try await PostgresGraph.perform(at: database.location, model: model, isReadOnly: true) {
        try Cloner().clone("Note", keys: [1], in: $0).cloned
      }
    }
    #expect(try sizes() == [4: 2])
  }

  @Test func theCancellationOfAnAsyncFormEndsAStatementThatWaits() async throws {
    let other = try database.connect()
    try other.run("BEGIN; LOCK TABLE item IN ACCESS EXCLUSIVE MODE")
    let task = Task { [database, model] in
      try await PostgresGraph.perform(at: database.location, model: model) {
        try Cloner().clone("Note", keys: [1], in: $0).cloned
      }
    }
    try await untilAStatementWaits()
    task.cancel()
    // The tables are still locked.
    await #expect(throws: CancellationError.self) { try await task.value }
    try other.run("ROLLBACK")
    #expect(try sizes() == [4: 1])
  }

  private func untilAStatementWaits() async throws {
    let waiting = """
      SELECT count(*) FROM pg_locks WHERE NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """
    while try database.connect().rows(waiting)[0][0].number == 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  @Test func clonesThatArePendingComeWithTheirSaving() throws {
    let graph = try graph()
    let note = try graph.object("Note", key: 1)
    try Cloner().clone(object: note, saveBeforeReturn: false)
    #expect(try sizes() == [4: 1])
    try graph.rollback()
    try Cloner().clone(object: note, saveBeforeReturn: false)
    try graph.save()
    #expect(try sizes() == [4: 2])
  }
}
