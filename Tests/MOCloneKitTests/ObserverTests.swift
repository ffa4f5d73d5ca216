import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// What GRDB's transaction observers are told of a clone.
struct ObserverTests {
  private final class Counter: TransactionObserver {
    private(set) var events: [String: Int] = [:]
    /// Changes of which no event tells.
    private(set) var others = 0
    private(set) var commits = 0

    /// All of them where nil.
    let table: String?

    init(table: String?) { self.table = table }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
      table == nil || eventKind.tableName == table
    }
    func databaseDidChange() { others += 1 }
    func databaseDidChange(with event: DatabaseEvent) {
      events["\(event.databaseName).\(event.tableName)", default: 0] += 1
    }
    func databaseDidCommit(_ db: Database) { commits += 1 }
    func databaseDidRollback(_ db: Database) {}
  }

  /// What is heard of a clone of a note with so many memos.
  private func events(
    memos: Int, of table: String? = nil, in queue: DatabaseQueue? = nil, saves: Bool = true
  ) throws -> Counter {
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
    return try events(
      ofCloning: "Note", of: table, model: model, in: queue ?? DatabaseQueue(), saves: saves,
      rows: """
        INSERT INTO note VALUES (1);
        INSERT INTO memo (text, note_id) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(memos))
          SELECT i, 1 FROM n;
        INSERT INTO item (memo_id) SELECT id FROM memo;
        """)
  }

  /// What is heard of the second clone on a connection, by database and table.
  private func events(
    ofCloning entity: String, of table: String? = nil, model: ObjectModel, in queue: DatabaseQueue,
    saves: Bool = true, rows: String
  ) throws -> Counter {
    try queue.write { db in
      try SchemaWriter(model).create(in: db)
      try db.execute(sql: rows)
    }
    let graph = SQLiteGraph(queue, model: model)
    try Cloner().clone(entity, keys: [1], in: graph)
    let counter = Counter(table: table)
    queue.add(transactionObserver: counter)
    try Cloner().clone(entity, keys: [1], in: graph, saveBeforeReturn: saves)
    try graph.save()
    return counter
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

  /// A tree of tasks, and that of a project whose tasks are reached from the project, too.
  @Test(arguments: [("Task", 400, 2), ("Project", 401, 10)])
  func ofATreeTheyHearOfAFewTemporaryRowsForAnObject(entity: String, objects: Int, limit: Int) throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Project:
            relationships: {tasks: {destination: Task, toMany: true, inverse: project}}
          Task:
            relationships:
              project:  {destination: Project, optional: true, inverse: tasks}
              children: {destination: Task, toMany: true, inverse: parent}
              parent:   {destination: Task, optional: true, inverse: children}
        """)
    let heard = try events(
      ofCloning: entity, model: model, in: DatabaseQueue(),
      rows: """
        INSERT INTO project VALUES (1);
        INSERT INTO task (id, project_id, parent_id)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT i, 1, nullif(i / 2, 0) FROM n;
        """)
    let own = heard.events.filter { $0.key.hasPrefix("main.") }.values.reduce(0, +)
    let temporary = heard.events.filter { $0.key.hasPrefix("temp.moclone_") }.values.reduce(0, +)
    #expect(own == objects && temporary > 0 && temporary <= limit * objects)
    #expect(heard.events.values.reduce(0, +) == own + temporary)
  }

  /// A key that holds the owner's is known once the owner has its own, so a small clone takes temporary tables, too.
  @Test func ofAKeyThatHoldsItsOwnersTheyHearOfThreeTemporaryRows() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Project:
            relationships: {lines: {destination: Line, toMany: true, inverse: project}}
          Line:
            primaryKey: [project_id, number]
            attributes: {number: Integer 64}
            relationships: {project: {destination: Project, inverse: lines}}
        """)
    let heard = try events(
      ofCloning: "Project", model: model, in: DatabaseQueue(),
      rows: """
        INSERT INTO project VALUES (1);
        INSERT INTO line (project_id, number) VALUES (1, 1), (1, 2), (1, 3);
        """)
    #expect(heard.events.filter { $0.key.hasPrefix("main.") } == ["main.project": 1, "main.line": 3])
    let temporary = heard.events.filter { $0.key.hasPrefix("temp.moclone_") }.values
    // Each of the lines, and two of the project.
    #expect(temporary.max() == 9 && temporary.reduce(0, +) <= 3 * 4)
  }

  @Test func ofASavedCloneTheyHearNoRowButThatSomethingChanged() throws {
    let folder = try TemporaryFolder()
    for path in [":memory:", folder.file("store.sqlite").path] {
      let heard = try events(memos: 3, of: "memo", in: DatabaseQueue(path: path), saves: false)
      #expect(heard.events.isEmpty && heard.others == 1 && heard.commits == 1)
    }
  }

  @Test func observersOfATableHearOfNoTemporaryOne() throws {
    #expect(try events(memos: 1000, of: "memo").events == ["main.memo": 1000])
  }
}
