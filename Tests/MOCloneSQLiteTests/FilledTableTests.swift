import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Tables that get so many rows that their indexes are made behind them.
@Suite struct FilledTableTests {
  private let model = try! ObjectModel(
    yaml: """
      version: 1
      name: Folders
      store: {naming: snakeCase}
      entities:
        Note:
          attributes: {name: String, code: String?}
          relationships: {folder: {destination: Folder, inverse: notes}}
        Folder:
          attributes: {name: String}
          relationships:
            parent: {destination: Folder, optional: true, inverse: parts}
            parts: {destination: Folder, toMany: true, inverse: parent, deleteRule: cascade}
            notes: {destination: Note, toMany: true, inverse: folder, deleteRule: cascade}
      """)
  private static let tables = """
    CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES folder);
    CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT, folder_id INTEGER NOT NULL REFERENCES folder);
    CREATE INDEX by_parent ON folder(parent_id);
    CREATE INDEX by_folder ON note(folder_id);
    CREATE INDEX by_name ON note(name COLLATE NOCASE DESC) WHERE code IS NOT NULL;
    CREATE INDEX by_length ON note(length(name));
    CREATE UNIQUE INDEX by_code ON note(code);
    """

  private func store(_ rows: String = "") throws -> (queue: DatabaseQueue, graph: SQLiteGraph) {
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: Self.tables + rows) }
    return (queue, SQLiteGraph(queue, model: model))
  }

  private func source() throws -> SQLiteGraph {
    try store(
      """
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
      INSERT INTO folder SELECT i, 'f' || i, nullif(i / 2, 0) FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
      INSERT INTO note SELECT i, 'n' || i, iif(i % 3, 'c' || i, NULL), i FROM n;
      """
    ).graph
  }

  private func indexes(_ queue: DatabaseQueue) throws -> [Row] {
    try queue.read { db in
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
      #expect(try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty)
      return try Row.fetchAll(
        db, sql: "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name")
    }
  }

  @Test("A copy and a tree that is cut out leave every index as it was", arguments: [false, true])
  func indexesStay(isSubtree: Bool) throws {
    let (queue, graph) = try store()
    let before = try indexes(queue)
    let source = try source()
    if isSubtree {
      let plan = try source.plan("Folder", CloneRequest())
      let root = try source.object("Folder", key: 1).id
      try graph.clone(plan, roots: [root], from: source, SubtreeRequest(keepsKeys: true))
    } else {
      try graph.copy(from: source)
    }
    #expect(try graph.count("Note") == 12_000 && graph.count("Folder") == 12_000)
    #expect(try indexes(queue) == before)
  }

  @Test("A copy that a unique value stops leaves rows and indexes as they were")
  func afterAFailure() throws {
    let (queue, graph) = try store(
      "INSERT INTO folder VALUES (1, 'own', NULL); INSERT INTO note VALUES (1, 'own', 'c11999', 1);")
    let before = try indexes(queue)
    #expect(throws: CloneError.self) { try graph.copy(from: source()) }
    #expect(try graph.count("Note") == 1 && graph.count("Folder") == 1)
    #expect(try indexes(queue) == before)
  }

  @Test("A store that holds more than it gets keeps its indexes' statistics")
  func statisticsOfALargeTableStay() throws {
    let (queue, graph) = try store()
    try graph.copy(from: source())
    try graph.copy(from: store("INSERT INTO folder VALUES (1, 'f', NULL)").graph)
    try queue.write { try $0.execute(sql: "ANALYZE") }
    let statistics = "SELECT count(*) FROM sqlite_stat1"
    let before = try queue.read { try Int.fetchOne($0, sql: statistics) }
    try graph.copy(
      from: store("INSERT INTO folder VALUES (1, 'g', NULL); INSERT INTO note VALUES (1, 'n', NULL, 1)").graph
    )
    #expect(try queue.read { try Int.fetchOne($0, sql: statistics) } == before)
  }
}
