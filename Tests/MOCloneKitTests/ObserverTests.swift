import Foundation
import GRDB
import MOCloneKit
import Testing

/// What GRDB's transaction observers are told of a clone.
struct ObserverTests {
  private final class Counter: TransactionObserver {
    private(set) var events: [String: Int] = [:]
    private(set) var commits = 0

    /// All of them where nil.
    let table: String?

    init(table: String?) { self.table = table }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
      table == nil || eventKind.tableName == table
    }
    func databaseDidChange(with event: DatabaseEvent) {
      events["\(event.databaseName).\(event.tableName)", default: 0] += 1
    }
    func databaseDidCommit(_ db: Database) { commits += 1 }
    func databaseDidRollback(_ db: Database) {}
  }

  /// The events of a clone of a note with so many memos, by database and table.
  private func events(memos: Int, of table: String? = nil) throws -> (events: [String: Int], commits: Int) {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Note:
            relationships: {memos: {destination: Memo, toMany: true, inverse: note}}
          Memo:
            attributes: {text: String}
            relationships:
              note:  {destination: Note, inverse: memos}
              items: {destination: Item, toMany: true, inverse: memo}
          Item:
            relationships: {memo: {destination: Memo, inverse: items}}
        """)
    let queue = try DatabaseQueue()
    try queue.write { db in
      try SchemaWriter(model).create(in: db)
      try db.execute(
        sql: """
          INSERT INTO note VALUES (1);
          INSERT INTO memo (text, note_id) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(memos))
            SELECT i, 1 FROM n;
          INSERT INTO item (memo_id) SELECT id FROM memo;
          """)
    }
    let graph = SQLiteGraph(queue, model: model)
    try Cloner().clone("Note", keys: [1], in: graph)
    let counter = Counter(table: table)
    queue.add(transactionObserver: counter)
    try Cloner().clone("Note", keys: [1], in: graph)
    return (counter.events, counter.commits)
  }

  @Test func ofASmallCloneTheyHearItsRowsOnly() throws {
    let heard = try events(memos: 3)
    #expect(heard.events == ["main.note": 1, "main.memo": 3, "main.item": 3])
    #expect(heard.commits == 1)
  }

  /// A large one lies in temporary tables meanwhile, of which SQLite tells observers that ask for everything.
  @Test func ofALargeCloneTheyHearItsRowsAndTemporaryTables() throws {
    let heard = try events(memos: 1000)
    let own = heard.events.filter { $0.key.hasPrefix("main.") }
    #expect(own == ["main.note": 1, "main.memo": 1000, "main.item": 1000])
    #expect(heard.events.keys.allSatisfy { $0.hasPrefix("main.") || $0.hasPrefix("temp.moclone_map_") })
    #expect(heard.commits == 1)
  }

  @Test func observersOfATableHearOfNoTemporaryOne() throws {
    #expect(try events(memos: 1000, of: "memo").events == ["main.memo": 1000])
  }
}
