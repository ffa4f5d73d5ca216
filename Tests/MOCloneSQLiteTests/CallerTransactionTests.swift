import GRDB
import MOCloneKit
import Testing

/// Clones in a transaction that the caller opened.
@Suite struct CallerTransactionTests {
  private func store(_ deferred: String = "") throws -> StoreFixture {
    try StoreFixture(DeferredKeyTests.ring, DeferredKeyTests.ringTables(deferred))
  }

  @Test func aFailedCloneLeavesTheTransactionAlive() throws {
    let store = try store()
    try store.execute("CREATE UNIQUE INDEX u ON member(name)")
    try store.writer.write { db in
      try db.execute(sql: "UPDATE team SET name = 'earlier'")
      #expect(throws: CloneError.self) { try Cloner().clone("Team", key: 1, in: db, model: store.model) }
      #expect(db.isInsideTransaction)
      try db.execute(sql: "UPDATE member SET name = 'later' WHERE id = 1")
    }
    #expect(try store.rows("SELECT name FROM team") == ["earlier"])
    #expect(try store.rows("SELECT name FROM member ORDER BY id") == ["later", "b"])
  }

  @Test func nestedSavepoints() throws {
    let store = try store()
    try store.writer.writeWithoutTransaction { db in
      try db.execute(sql: "SAVEPOINT a; UPDATE team SET name = 'u'; SAVEPOINT b")
      try Cloner().clone("Team", key: 1, in: db, model: store.model)
      try db.execute(sql: "ROLLBACK TO b; RELEASE b")
      try Cloner().clone("Team", key: 1, in: db, model: store.model)
      #expect(db.isInsideTransaction)
      try db.execute(sql: "RELEASE a")
      #expect(!db.isInsideTransaction)
    }
    #expect(try store.rows("SELECT * FROM team") == ["1|u|2", "2|u|4"])
  }

  @Test func settingsOfTheConnectionStay() throws {
    let store = try store()
    let names = [
      "foreign_keys", "defer_foreign_keys", "recursive_triggers", "cache_size", "synchronous", "temp_store",
      "journal_mode", "trusted_schema", "case_sensitive_like", "query_only", "busy_timeout", "locking_mode",
    ]
    func settings(_ db: Database) throws -> [String] {
      try names.map { try db.texts("PRAGMA \($0)").joined() }
    }
    try store.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA recursive_triggers = ON; PRAGMA cache_size = 123; PRAGMA temp_store = FILE")
      let before = try settings(db)
      try db.inTransaction {
        try Cloner().clone("Team", key: 1, in: db, model: store.model)
        #expect(try settings(db) == before)
        return .commit
      }
      #expect(try settings(db) == before)
    }
    #expect(try store.rows("PRAGMA cache_size") == ["123"])
  }

  @Test func temporaryTablesAreEmptiedAndKept() throws {
    let store = try store()
    try store.writer.write { db in
      let tables = "SELECT name FROM temp.sqlite_schema WHERE type = 'table'"
      for count in 1...2 {
        try Cloner().clone("Team", key: 1, in: db, model: store.model, request: CloneRequest(count: count))
      }
      let names = try db.texts(tables)
      #expect(!names.isEmpty)
      for name in names {
        #expect(name.hasPrefix("moclone_"))
        #expect(try db.texts("SELECT count(*) FROM temp.\"\(name)\"") == ["0"])
      }
      let drops = try db.statements { try Cloner().clone("Team", key: 1, in: $0, model: store.model) }
      #expect(!drops.contains { $0.uppercased().contains("DROP ") })
      #expect(try db.texts(tables) == names)
    }
  }

  @Test func aCursorOfTheCallerStaysOpen() throws {
    let store = try store()
    try store.writer.write { db in
      let cursor = try Row.fetchCursor(db, sql: "SELECT id FROM member ORDER BY id")
      #expect(try cursor.next()?[0] == 1)
      try Cloner().clone("Team", key: 1, in: db, model: store.model)
      #expect(try cursor.next()?[0] == 2)
      try Cloner().clone("Team", key: 1, in: db, model: store.model)
    }
    #expect(try store.rows("SELECT count(*) FROM team") == ["3"])
  }

  @Test func aConnectionWithoutForeignKeys() throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let store = try StoreFixture(
      DeferredKeyTests.ring, DeferredKeyTests.ringTables(), in: DatabaseQueue(configuration: configuration))
    try store.clone("Team", 1)
    #expect(try store.rows("PRAGMA foreign_keys") == ["0"])
    #expect(try store.rows("SELECT count(*) FROM member") == ["4"])
  }

  @Test func aTransactionThatTheCallerRollsBack() throws {
    let store = try store()
    let before = try store.contents()
    try store.writer.writeWithoutTransaction { db in
      for _ in 0..<2 {
        try db.inTransaction {
          try Cloner().clone("Team", key: 1, in: db, model: store.model)
          return .rollback
        }
      }
    }
    #expect(try store.contents() == before)
    #expect(try store.clone("Team", 1).root.key == 2)
  }

  @Test func aTableThatChangesBetweenTwoClones() throws {
    let store = try store()
    try store.writer.writeWithoutTransaction { db in
      try Cloner().clone("Team", key: 1, in: db, model: store.model)
      try db.execute(sql: "ALTER TABLE team ADD COLUMN extra TEXT; UPDATE team SET extra = 'e'")
      try Cloner().clone("Team", key: 1, in: db, model: store.model)
    }
    #expect(try store.rows("SELECT extra FROM team") == ["e", "e", "e"])
  }

  @Test func plansOfOneConnectionDoNotMix() throws {
    let store = try store()
    try store.writer.write { db in
      for request in [
        CloneRequest(exclude: ["Member.leads"]), CloneRequest(count: 2), CloneRequest(set: ["name": "x"]),
        CloneRequest(exclude: ["Member.name"]), CloneRequest(),
      ] {
        let result = try? Cloner().clone("Team", key: 1, in: db, model: store.model, request: request)
        #expect(result?.cloned["Team"] == request.count, "\(request)")
      }
    }
    #expect(try store.rows("SELECT count(*) FROM team WHERE name = 'x'") == ["1"])
  }

}

extension Database {
  /// The statements that run within a closure, in their order.
  func statements(_ body: (Database) throws -> Void) throws -> [String] {
    let seen = Recorder()
    trace { event in
      if case .statement(let statement) = event { seen.add(statement.sql) }
    }
    defer { trace(nil) }
    try body(self)
    return seen.all
  }
}

/// What a trace notes; it is called on the thread of the connection only.
private final class Recorder {
  private(set) var all: [String] = []

  func add(_ sql: String) { all.append(sql) }
}
