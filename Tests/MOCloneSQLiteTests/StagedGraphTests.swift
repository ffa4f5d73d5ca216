import Foundation
import GRDB
import MOCloneKit
import MOCloneTesting
import Synchronization
import Testing

/// Objects of a graph in memory that come into a store.
@Suite struct StagedGraphTests {
  private static let model = """
    entities:
      Team:
        attributes: {name: String?}
        relationships: {members: {destination: Member, toMany: true, ordered: true, inverse: team}}
        uniquenessConstraints: [[name]]
      Member:
        attributes: {name: String?, fee: Decimal?}
        relationships: {team: {destination: Team, inverse: members}}
        uniquenessConstraints: [[name]]
    """
  private static let tables = """
    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE member(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, fee NUMERIC, team_id_order INTEGER,
      team_id INTEGER NOT NULL REFERENCES team(id) DEFERRABLE);
    """

  private func store(_ rows: String = "") throws -> StoreFixture {
    try StoreFixture(Self.model, Self.tables + rows)
  }

  private func source(_ model: ObjectModel, members: Int = 3) throws -> MemoryGraph {
    let graph = MemoryGraph(model: model)
    let team = try graph.insert("Team", ["name": "t"])
    for number in 0..<members {
      try graph.insert("Member", ["name": .string("m\(number)"), "fee": 7, "team": team.id.key.parts[0]])
    }
    return graph
  }

  // MARK: Transactions

  @Test func aCallersTransactionGoesOnAndKeepsItsSettings() throws {
    let store = try store()
    let source = try source(store.model)
    try store.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = ON")
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO team VALUES (5, 'earlier')")
        try SQLiteGraph.with(db, model: store.model) { graph in
          let planned = try graph.copy(from: source, options: TransferOptions(isDryRun: true))
          #expect(planned.created == ["Team": 1, "Member": 3])
          #expect(try graph.count("Member") == 0)
          #expect(try graph.copy(from: source).created == planned.created)
          let again = try graph.copy(from: source, CopyRequest(entities: ["Member"], limit: 1))
          #expect(again.found == ["Team": 1, "Member": 1])
        }
        #expect(try db.texts("PRAGMA defer_foreign_keys") == ["0"])
        return .commit
      }
      let names = try db.texts("SELECT name FROM sqlite_temp_schema WHERE type = 'table'")
      #expect(names.allSatisfy { $0.hasPrefix("moclone_") })
      for name in names { #expect(try db.texts("SELECT count(*) FROM temp.\"\(name)\"") == ["0"], "\(name)") }
    }
    #expect(try store.rows("SELECT id, name FROM team") == ["5|earlier", "6|t"])
    #expect(try store.rows("SELECT name, team_id_order, team_id FROM member").count == 3)
  }

  @Test func whatWaitsForARowInTheCallersTransactionIsTheCallers() throws {
    let store = try store()
    let source = try source(store.model)
    try store.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = ON")
      try db.inTransaction {
        try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
        try db.execute(sql: "INSERT INTO member VALUES (1, 'x', 1, 1, 9)")
        try SQLiteGraph.with(db, model: store.model) { _ = try $0.copy(from: source) }
        try db.execute(sql: "INSERT INTO team VALUES (9, 'later')")
        return .commit
      }
    }
    #expect(try store.rows("SELECT count(*) FROM member") == ["4"])
  }

  @Test func anotherStoreIsCopiedInACallersTransaction() throws {
    let store = try store()
    let source = try self.store(
      "INSERT INTO team VALUES (3, 't'); INSERT INTO member VALUES (1, 'a', 1.5, 2, 3), (2, 'b', NULL, 1, 3);"
    )
    try store.writer.write { db in
      try SQLiteGraph.with(db, model: store.model) { graph in
        let planned = try graph.copy(from: source.graph, options: TransferOptions(isDryRun: true))
        #expect(planned.created == ["Team": 1, "Member": 2])
        #expect(try graph.copy(from: source.graph).created == planned.created)
        #expect(try graph.copy(from: source.graph).found == planned.created)
      }
    }
    let rows = try store.rows(
      "SELECT name, coalesce(fee, '-'), team_id_order FROM member ORDER BY team_id_order")
    #expect(rows == ["b|-|1", "a|1.5|2"], "\(rows)")
  }

  @Test func columnsThatOnlyTheStoresKnowComeAlongInACallersTransactionToo() throws {
    let column = "ALTER TABLE team ADD COLUMN motto TEXT;"
    let store = try store(column)
    let source = try self.store(column + "INSERT INTO team VALUES (3, 't', 'on');")
    try store.writer.write { db in
      try SQLiteGraph.with(db, model: store.model) { _ = try $0.copy(from: source.graph) }
    }
    #expect(try store.graph.copy(from: source.graph).found == ["Team": 1])
    #expect(try store.rows("SELECT motto FROM team") == ["on"])
  }

  // MARK: Long work

  @Test func aCopyThatIsCancelledWhileItReadsLeavesNothing() throws {
    let store = try store()
    let source = try source(store.model, members: 3000)
    let phases = Mutex<[TransferProgress.Phase]>([])
    var options = TransferOptions()
    options.progress = { progress in phases.withLock { $0.append(progress.phase) } }
    options.isCancelled = { phases.withLock { $0.count > 2 } }
    #expect(throws: CancellationError.self) { try store.graph.copy(from: source, options: options) }
    #expect(phases.withLock { Set($0) } == [.reading])
    #expect(try store.rows("SELECT count(*) FROM team") == ["0"])
    let report = try store.graph.copy(from: source)
    #expect(report.created == ["Team": 1, "Member": 3000])
  }

  @Test func asManyStatementsForThousandsOfObjectsAsForAFew() throws {
    let counts = try [40, 4000].map { members -> Int in
      let store = try store()
      let source = try source(store.model, members: members)
      let statements = Mutex<[String]>([])
      store.writer.writeWithoutTransaction { db in
        db.trace { event in
          guard case .statement(let statement) = event else { return }
          // What runs for each object, and where the owner of a list knows its order.
          let isStaging = ["VALUES (:p0", "WHERE \"id\" = :p"].contains { statement.sql.contains($0) }
          if !isStaging { statements.withLock { $0.append(statement.sql) } }
        }
      }
      try store.graph.copy(from: source)
      return statements.withLock { $0.count }
    }
    #expect(counts[0] == counts[1])
    #expect(counts[0] < 100)
  }

  // MARK: Values and keys

  @Test func valuesAreComparedAndKeptAsTheStoresColumnsDo() throws {
    let store = try store(
      "INSERT INTO team VALUES (1, 't'); INSERT INTO member VALUES (4, 'M1', '7.0', 1, 1);")
    let source = try source(store.model)
    let report = try store.graph.copy(from: source)
    #expect(report.found == ["Team": 1, "Member": 1])
    try source.insert(
      "Member", ["name": "long", "fee": .decimal(Decimal(string: "12345678901234567890.5")!), "team": 1])
    #expect { try store.graph.copy(from: source) } throws: { ($0 as? CloneError)?.code == .storeMismatch }
    #expect(try store.rows("SELECT count(*) FROM member") == ["3"])
  }

  @Test func keysThatTheStoreCannotHoldAreRefused() throws {
    let store = try StoreFixture(
      """
      entities:
        Shelf:
          primaryKey: {column: id, generate: uuid}
          attributes: {name: String?}
          relationships: {books: {destination: Book, toMany: true, inverse: shelf}}
        Book:
          primaryKey: [shelf_id, place]
          attributes: {place: {type: Integer 32, column: place}}
          relationships: {shelf: {destination: Shelf, inverse: books}}
      """,
      """
      CREATE TABLE shelf(id TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE book(shelf_id TEXT NOT NULL REFERENCES shelf(id), place INTEGER NOT NULL,
        PRIMARY KEY(shelf_id, place));
      """)
    let source = MemoryGraph(model: store.model)
    let shelf = try source.insert("Shelf", ["name": "s"])
    let plan = try ClonePlan(model: store.model, entity: "Shelf")
    let request = SubtreeRequest(keepsKeys: true)
    func refusal(_ body: () throws -> Void) -> DiagnosticCode? {
      do { try body() } catch { return (error as? CloneError)?.code }
      return nil
    }
    #expect(
      refusal { _ = try store.graph.clone(plan, roots: [shelf.id], from: source, request) } == .invalidKey)
    for _ in 0..<2 { try source.insert("Book", ["place": 1, "shelf": shelf.id.key.parts[0]]) }
    #expect(refusal { _ = try store.graph.copy(from: source) } == .uniqueValue)
    try source.delete(source.objects("Book")[1])
    let report = try store.graph.copy(from: source)
    #expect(report.created == ["Shelf": 1, "Book": 1])
    #expect(try store.rows("SELECT count(*) FROM book JOIN shelf ON shelf.id = shelf_id") == ["1"])
  }
}

extension StoreFixture {
  fileprivate var graph: SQLiteGraph { SQLiteGraph(writer, model: model) }
}
