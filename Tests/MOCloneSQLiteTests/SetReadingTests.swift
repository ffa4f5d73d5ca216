import GRDB
import MOCloneKit
import Synchronization
import TestSupport
import Testing

@Suite("Objects that are read by sets")
struct SetReadingTests {
  private func store() throws -> StoreFixture {
    try StoreFixture(
      SharedModel.notes,
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id INTEGER);
      INSERT INTO note VALUES (1, 'n');
      INSERT INTO item VALUES (1, 'i', '01');
      """)
  }

  private let notes = [ObjectID("Note", key: 1)]

  @Test("How columns compare is read once for all sets of a transaction")
  func once() throws {
    let store = try store()
    let graph = SQLiteGraph(store.writer, model: store.model)
    let readings = Mutex(0)
    store.writer.writeWithoutTransaction { db in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        if statement.sql.contains("pragma_table_list") { readings.withLock { $0 += 1 } }
      }
    }
    let sets = try graph.reading { try (1...3).map { _ in try graph.destinations("items", ofAll: notes) } }
    #expect(sets == Array(repeating: [[ObjectID("Item", key: 1)]], count: 3))
    #expect(readings.withLock { $0 } == 1)
  }

  @Test("A table that changes within a transaction is compared by its new columns, and by the old ones again")
  func change() throws {
    let store = try store()
    try store.writer.write { db in
      try SQLiteGraph.with(db, model: store.model) { graph in
        #expect(try graph.destinations("items", ofAll: notes) == [[ObjectID("Item", key: 1)]])
        try db.inSavepoint {
          try db.execute(
            sql: """
              DROP TABLE item;
              CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, note_id TEXT);
              INSERT INTO item VALUES (1, 'i', '01'), (2, 'j', '1');
              """)
          #expect(try graph.destinations("items", of: notes[0]) == [ObjectID("Item", key: 2)])
          #expect(try graph.destinations("items", ofAll: notes) == [[ObjectID("Item", key: 2)]])
          return .rollback
        }
        #expect(try graph.destinations("items", ofAll: notes) == [[ObjectID("Item", key: 1)]])
      }
    }
  }
}
