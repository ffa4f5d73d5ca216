import Foundation
import MOCloneSQL
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct TransactionTests {
  private struct Stop: Error {}
  private let database: TestDatabase
  private let connection: PostgresConnection

  init() throws {
    database = try TestDatabase()
    connection = try database.connect()
    try connection.run("CREATE TABLE t(a int PRIMARY KEY, b int); INSERT INTO t VALUES (1, 0), (2, 0)")
  }

  private func count() throws -> [[StoredValue]] {
    try database.connect().rows("SELECT count(*) FROM t")
  }

  @Test func aTransactionIsCommittedAtItsEndAndTakenBackByAnError() throws {
    try connection.inTransaction {
      try connection.execute("INSERT INTO t VALUES (3)")
      #expect(try count() == [[.integer(2)]])
    }
    #expect(try count() == [[.integer(3)]])
    #expect(throws: Stop.self) {
      try connection.inTransaction {
        try connection.execute("DELETE FROM t")
        throw Stop()
      }
    }
    #expect(try count() == [[.integer(3)]])
    #expect(!connection.isInTransaction)
  }

  @Test func aSavepointTakesBackItsPartOnly() throws {
    func insert(_ number: Int) throws { _ = try connection.execute("INSERT INTO t VALUES (\(number))") }
    func insertTwice() throws {
      try connection.inTransaction {
        try insert(4)
        try connection.inTransaction { try insert(4) }
      }
    }
    // Without a macro: the compiler takes its closure and the next one for the same.
    func failing() -> PostgresError? {
      do {
        try insertTwice()
        return nil
      } catch { return error as? PostgresError }
    }
    var states: [String?] = []
    try connection.inTransaction {
      try insert(3)
      for _ in 0..<2 { states.append(failing()?.sqlState) }
      try connection.inTransaction { try insert(5) }
    }
    #expect(states == ["23505", "23505"])
    #expect(try connection.rows("SELECT a FROM t ORDER BY a") == [1, 2, 3, 5].map { [.integer($0)] })
  }

  @Test func aTransactionSeesOneState() throws {
    let other = try database.connect()
    try connection.inTransaction(readOnly: true) {
      _ = try connection.rows("SELECT 1 FROM t")
      try other.execute("INSERT INTO t VALUES (3)")
      #expect(try connection.rows("SELECT count(*) FROM t") == [[.integer(2)]])
    }
  }

  @Test func aReadOnlyTransactionRefusesToWrite() throws {
    let error = #expect(throws: PostgresError.self) {
      try connection.inTransaction(readOnly: true) { _ = try connection.execute("DELETE FROM t") }
    }
    #expect(error?.sqlState == "25006")
  }

  @Test func anErrorThatTheBodyIgnoresIsNotTakenForACommit() throws {
    #expect(throws: PostgresError.self) {
      try connection.inTransaction {
        try connection.execute("INSERT INTO t VALUES (3)")
        _ = try? connection.execute("INSERT INTO t VALUES (3)")
      }
    }
    #expect(try count() == [[.integer(2)]])
  }

  @Test func aConflictRunsTheBodyAgainWhereTheCallerAllowsIt() throws {
    let other = try database.connect()
    func update(retries: Int) throws -> Int {
      var runs = 0
      try connection.inTransaction(retries: retries) {
        runs += 1
        _ = try connection.rows("SELECT * FROM t")
        if runs == 1 { try other.execute("UPDATE t SET b = b + 1 WHERE a = 1") }
        try connection.execute("UPDATE t SET b = b + 10 WHERE a = 1")
      }
      return runs
    }
    #expect(throws: PostgresError.self) { try update(retries: 0) }
    #expect(try update(retries: 1) == 2)
    #expect(try connection.rows("SELECT b FROM t WHERE a = 1") == [[.integer(12)]])
    try connection.inTransaction {
      #expect(throws: PostgresError.self) { try update(retries: 1) }
    }
  }

  @Test func aDeferredConstraintFailsTheCommit() throws {
    try connection.run("CREATE TABLE u(a int REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
    let error = #expect(throws: PostgresError.self) {
      try connection.inTransaction { _ = try connection.execute("INSERT INTO u VALUES (7)") }
    }
    #expect(error?.sqlState == "23503")
    #expect(!connection.isInTransaction)
  }

  @Test func transactionsWorkWithoutPreparedStatements() throws {
    let connection = try PostgresConnection(database.location, ownsSession: false)
    try connection.inTransaction {
      _ = try connection.execute("INSERT INTO t VALUES ($a)", ["a": .integer(3)])
    }
    #expect(try count() == [[.integer(3)]])
  }

  // MARK: Cancellation and loss

  @Test func theCancellationOfATaskEndsItsStatement() async throws {
    let location = database.location
    let task = Task {
      let connection = try PostgresConnection(location)
      do {
        try connection.inTransaction {
          try connection.execute("DELETE FROM t")
          try connection.run("SELECT pg_sleep(60)")
        }
        return false
      } catch is CancellationError {
        // The connection goes on.
        return !connection.isInTransaction
      }
    }
    whenAStatementSleeps { task.cancel() }
    #expect(try await task.value)
    #expect(try count() == [[.integer(2)]])
  }

  @Test func aCancellerEndsAStatementFromAnotherThread() throws {
    let canceller = connection.canceller
    whenAStatementSleeps { canceller.cancel() }
    #expect(throws: CancellationError.self) { try connection.rows("SELECT pg_sleep(60)") }
    canceller.cancel()
    #expect(try connection.rows("SELECT 1") == [[.integer(1)]])
  }

  @Test func aTimeLimitOfTheServerIsAnErrorThatSaysSo() throws {
    try connection.run("SET statement_timeout = '50ms'")
    let error = #expect(throws: PostgresError.self) { try connection.rows("SELECT pg_sleep(60)") }
    #expect(error?.sqlState == "57014")
    #expect("\(PostgresErrors.translated(error!))".contains("statement_timeout"))
    try connection.run("SET lock_timeout = '50ms'; SET statement_timeout = 0")
    let other = try database.connect()
    try other.run("BEGIN; LOCK TABLE t")
    let locked = #expect(throws: PostgresError.self) { try connection.rows("SELECT * FROM t") }
    #expect((PostgresErrors.translated(locked!) as? CloneError)?.code == .storeBusy)
  }

  @Test func aServerProcessThatIsEndedIsALostConnection() throws {
    whenAStatementSleeps { [database] in
      try database.connect().run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND "
          + "query LIKE 'SELECT pg_sleep%'")
    }
    let error = #expect(throws: PostgresError.self) {
      try connection.inTransaction {
        try connection.execute("DELETE FROM t")
        _ = try connection.rows("SELECT pg_sleep(60)")
      }
    }
    #expect(error?.kind == .connection)
    #expect(error?.sqlState == "57P01")
    #expect(throws: PostgresError.self) { try connection.rows("SELECT 1") }
    #expect(try count() == [[.integer(2)]])
  }

  @Test func aConnectionThatIsLostDuringCommitIsToldAsLostWhereTheServerTookAllBack() throws {
    try connection.run(
      """
      CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER die AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()
      """)
    let error = #expect(throws: PostgresError.self) {
      try connection.inTransaction { _ = try connection.execute("INSERT INTO t VALUES (3)") }
    }
    #expect(error?.kind == .connection)
    #expect(try count() == [[.integer(2)]])
  }

  /// What was read is whole, and another store may have committed it by then.
  @Test func aSessionThatIsLostWhenATransactionEndsFailsOnlyWhatMayHaveWritten() throws {
    let (reads, writes) = (HeldTables(names: ["t"], mode: .reads), HeldTables(names: ["t"], mode: .writes))
    func rows(
      readOnly isReadOnly: Bool = false, _ tables: HeldTables?,
      _ more: (PostgresConnection) throws -> Void = { _ in }
    ) throws -> [[StoredValue]] {
      let session = try database.connect()
      return try session.inTransaction(readOnly: isReadOnly, holding: tables) {
        try session.inTransaction(readOnly: true) {
          let found = try session.rows("SELECT a FROM t ORDER BY a")
          try more(session)
          try end(session)
          return found
        }
      }
    }
    let all: [[StoredValue]] = [[.integer(1)], [.integer(2)]]
    #expect(try rows(readOnly: true, nil) == all)
    #expect(try rows(reads) == all)
    func makeTable(_ session: PostgresConnection) throws {
      try session.run("CREATE TEMPORARY TABLE u(a int)")
    }
    #expect(try rows(reads, makeTable) == all)
    let write = #expect(throws: PostgresError.self) { try rows(writes) }
    func delete(_ session: PostgresConnection) throws {
      try session.inTransaction { _ = try session.execute("DELETE FROM t") }
    }
    let hiddenWrite = #expect(throws: PostgresError.self) { try rows(reads, delete) }
    func readOn(_ session: PostgresConnection) throws {
      try end(session)
      _ = try session.rows("SELECT a FROM t")
    }
    let read = #expect(throws: PostgresError.self) { try rows(reads, readOn) }
    for error in [write, hiddenWrite, read] {
      #expect(error?.kind == .connection && error?.message.contains(where: \.isNewline) == false)
    }
    #expect(try count() == [[.integer(2)]])
  }

  /// Ends the process of the server that serves a connection, and waits until it is gone.
  private func end(_ session: PostgresConnection) throws {
    guard let process = try session.rows("SELECT pg_backend_pid()").first?.first else { return }
    _ = try connection.rows("SELECT pg_terminate_backend($process::int, 60000)", ["process": process])
  }

  @Test func whatIsSaidOfALostConnectionIsOneLineWithoutGuesses() {
    let said = """
      FATAL:  terminating connection due to administrator command
      server closed the connection unexpectedly
      \tThis probably means the server terminated abnormally
      \tbefore or while processing the request.

      """
    let line =
      "FATAL:  terminating connection due to administrator command; server closed the connection unexpectedly"
    #expect(PostgresError.line(said) == line)
  }

  @Test func aLostCommitIsLookedUp() throws {
    let lost = PostgresError(.connection, sqlState: "08006", message: "lost")
    var committed = ""
    var aborted = ""
    try connection.inTransaction {
      try connection.execute("DELETE FROM t WHERE a = 1")
      committed = try #require(try connection.transactionID())
    }
    _ = try? connection.inTransaction {
      try connection.execute("DELETE FROM t WHERE a = 2")
      aborted = try #require(try connection.transactionID())
      throw Stop()
    }
    try connection.checkCommitted(committed, after: lost)
    #expect(throws: lost) { try connection.checkCommitted(aborted, after: lost) }
    let nobody = try PostgresConnection(database.location)
    var number = ""
    try nobody.run("BEGIN; DELETE FROM t")
    number = try #require(try nobody.transactionID())
    let unknown = #expect(throws: PostgresError.self) {
      try connection.checkCommitted(number, after: lost, within: 2)
    }
    #expect(unknown?.kind == .commitUnknown(transaction: number))
    #expect("\(PostgresErrors.translated(unknown!))".contains("SELECT pg_xact_status('\(number)')"))
  }

  /// Does something as soon as a connection to the database sleeps; on a thread, because the tests that wait use up those of
  /// tasks.
  private func whenAStatementSleeps(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread { [database] in
      do {
        let connection = try database.connect()
        let sleeping =
          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND "
          + "query LIKE 'SELECT pg_sleep%'"
        while try connection.rows(sleeping) == [[.integer(0)]] { Thread.sleep(forTimeInterval: 0.01) }
        try body()
      } catch {
        Issue.record(error)
      }
    }
  }
}
