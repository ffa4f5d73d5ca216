import CPostgreSQL
import Foundation
import MOCloneEngine
import MOCloneSQL

extension PostgresConnection {
  /// Whether a transaction is open.
  package var isInTransaction: Bool { !isClosed && PQtransactionStatus(handle) != PQTRANS_IDLE }

  /// Runs a body in a transaction that sees one state of the database, or in a savepoint where a transaction is open; an
  /// error takes all back.
  ///
  /// - Parameters:
  ///   - tables: what nobody alters from before the transaction sees anything until it ends; nothing for an open one.
  ///     Where it holds them for reading, its end changes nothing, so that a session that is lost by then is no failure.
  ///   - retries: how often the body may run again after a deadlock or a conflict with another transaction; never in a
  ///     savepoint, because such errors end the whole transaction.
  /// - Throws: The error of the body or of the commit.
  @discardableResult
  package func inTransaction<Result>(
    readOnly isReadOnly: Bool = false, holding tables: HeldTables? = nil, retries: Int = 0,
    _ body: () throws -> Result
  ) throws -> Result {
    let onlyReads = isReadOnly || tables?.mode == .reads
    guard !isInTransaction else {
      if !onlyReads { hasOnlyRead = false }
      return try inSavepoint(onlyReads: onlyReads, body)
    }
    var retries = retries
    while true {
      do {
        try begin(readOnly: isReadOnly, holding: tables)
        hasOnlyRead = onlyReads
        hasSettings = true
        defer { hasSettings = false }
        return try committing(body)
      } catch let error as PostgresError where error.isConflict && retries > 0 {
        retries -= 1
      }
    }
  }

  /// Begins a transaction, with the settings where a pooler may have given it a session of its own.
  func begin(readOnly isReadOnly: Bool = false, holding tables: HeldTables? = nil) throws {
    // What the role or the database says of read-only transactions is for it to say.
    try control("BEGIN ISOLATION LEVEL REPEATABLE READ\(isReadOnly ? " READ ONLY" : "")")
    do {
      if !ownsSession { try control(PostgresSettings.local(isBorrowed: isBorrowed, location.lockTimeout)) }
      if let tables { try hold(tables) }
    } catch {
      if isInTransaction { _ = try? control("ROLLBACK") }
      throw error
    }
  }

  /// Commits the transaction that a body is a part of; an error takes it back.
  ///
  /// - Throws: The error of the body or of the commit, also where somebody else has ended the transaction or made it fail.
  func committing<Result>(_ body: () throws -> Result) throws -> Result {
    let result: Result
    do {
      result = try body()
      if [PQTRANS_INERROR, PQTRANS_IDLE].contains(PQtransactionStatus(handle)) { throw Self.hiddenFailure }
      try commit()
    } catch {
      if isInTransaction { _ = try? control("ROLLBACK") }
      throw error
    }
    return result
  }

  private func commit() throws {
    guard !hasOnlyRead else { return try endReading("COMMIT") }
    let transaction = try transactionID()
    do {
      // The server answers a COMMIT after an error with ROLLBACK, and no error.
      guard try control("COMMIT") == "COMMIT" else { throw Self.hiddenFailure }
    } catch let error as PostgresError where error.kind == .connection {
      guard let transaction else { throw error }
      try checkCommitted(transaction, after: error)
    }
  }

  /// Ends what has only read. Its result is whole, and another store may have committed it by now: a session that is lost
  /// changes nothing of that.
  private func endReading(_ sql: String) throws {
    do { try control(sql) } catch {
      if PQstatus(handle) == CONNECTION_OK { throw error }
    }
  }

  /// What gives the open transaction its number.
  static let transactionNumber = "pg_catalog.pg_current_xact_id()::text"
  static let transactionStatement = "SELECT \(transactionNumber)"

  /// The number of the open transaction; nil as long as it has written nothing.
  func transactionID() throws -> String? {
    let rows = try exchange(isCancellable: false) {
      try send(statement("SELECT pg_current_xact_id_if_assigned()::text", arguments: [:]))
      return try finish("").rows()
    }
    guard case .text(let number) = rows.first?.first else { return nil }
    return number
  }

  /// Asks by another connection whether a transaction was committed, and throws where it was not or where nobody knows.
  func checkCommitted(_ transaction: String, after error: PostgresError, within inquiries: Int = 20) throws {
    for _ in 0..<inquiries {
      switch Self.status(of: transaction, location) {
      case "committed": return
      case "aborted": throw error
      default: break
      }
      // The server has not noticed yet that the connection is lost, or starts anew.
      Thread.sleep(forTimeInterval: Self.pause)
    }
    var unknown = error
    unknown.kind = .commitUnknown(transaction: transaction)
    throw unknown
  }

  /// What a new connection is told of a transaction; nil where it is told nothing.
  private static func status(of transaction: String, _ location: PostgresLocation) -> String? {
    do {
      return try PostgresConnection(location).rows(
        "SELECT pg_xact_status($number::xid8)", ["number": .text(transaction)]
      ).first?.first?.string
    } catch let error as PostgresError where error.sqlState == "22023" {
      // A server that has crashed knows nothing of what it had not written down yet.
      return "aborted"
    } catch { return nil }
  }

  /// Seconds between two inquiries.
  private static let pause = 0.25

  /// Runs statements in a transaction of their own, or in a savepoint of the open one, in one round trip.
  ///
  /// Each sees what others have committed before it, unless the role or the database says otherwise.
  ///
  /// - Parameter statements: the first one selects the number of the transaction, which is looked up where the connection is
  ///   lost.
  /// - Returns: the rows of each.
  package func transact(
    _ statements: [(sql: String, arguments: [String: StoredValue])]
  ) throws -> [[[StoredValue]]] {
    let isOwn = !isInTransaction
    if !isOwn { hasOnlyRead = false }
    let savepoint = savepoint(savepoints + 1)
    var answers: [[[StoredValue]]] = []
    do {
      // A pipeline is a transaction by itself.
      try pipeline(
        isOwn ? statements : [(savepoint.begin, [:])] + statements + [(savepoint.end, [:])],
        flushed: isOwn ? statements.indices : 0..<0
      ) { answers.append(try $0.rows()) }
    } catch {
      let number = isOwn ? answers.first?.first?.first?.string : nil
      try settle(error, isOwn: isOwn, transaction: number, rollback: savepoint.rollback)
    }
    guard answers.count >= statements.count else {
      throw PostgresError(
        .connection, sqlState: "08006",
        message: "the transaction was committed, but its answer did not arrive")
    }
    return Array(isOwn ? answers[...] : answers.dropFirst().prefix(statements.count))
  }

  /// Takes back what a failed pipeline has left; returns where its transaction was committed all the same.
  private func settle(_ error: any Error, isOwn: Bool, transaction: String?, rollback: String) throws {
    guard let lost = error as? PostgresError, lost.kind == .connection, isOwn else {
      if isInTransaction { _ = try? control(isOwn ? "ROLLBACK" : rollback) }
      throw error
    }
    guard let transaction else {
      var unknown = lost
      unknown.kind = .commitUnknown(transaction: nil)
      throw unknown
    }
    try checkCommitted(transaction, after: lost)
  }

  private static let hiddenFailure = PostgresError(
    sqlState: "25P02",
    message: "a statement of the transaction failed and its error was ignored, or the transaction was "
      + "taken back; nothing was changed"
  )

  private func inSavepoint<Result>(onlyReads: Bool, _ body: () throws -> Result) throws -> Result {
    savepoints += 1
    defer { savepoints -= 1 }
    let savepoint = savepoint(savepoints)
    try control(savepoint.begin)
    do {
      let result = try isBorrowed && !hasSettings ? withSettings(body) : body()
      if onlyReads { try endReading(savepoint.end) } else { try control(savepoint.end) }
      return result
    } catch {
      if isInTransaction { _ = try? control(savepoint.rollback) }
      throw error
    }
  }

  /// Runs a body in a transaction of somebody else's, which has its own settings again afterwards; an error takes them
  /// back with the savepoint.
  private func withSettings<Result>(_ body: () throws -> Result) throws -> Result {
    let restoring = try rows(PostgresSettings.restoring).first?.first?.string ?? ""
    try control(PostgresSettings.local(isBorrowed: true))
    hasSettings = true
    defer { hasSettings = false }
    let result = try body()
    try control("SELECT \(restoring)")
    return result
  }

  private func savepoint(_ number: Int) -> (begin: String, end: String, rollback: String) {
    let name = "SAVEPOINT moclone_\(number)"
    return (name, "RELEASE \(name)", "ROLLBACK TO \(name); RELEASE \(name)")
  }

  /// Begins or ends a transaction or savepoint, also where the task is cancelled.
  ///
  /// - Returns: The tag of the command.
  @discardableResult
  func control(_ sql: String) throws -> String {
    try exchange(isCancellable: false) {
      try check(PQsendQuery(handle, sql) == 1)
      return try finish(sql).tag
    }
  }
}

extension PostgresError: ConflictReporting {
  /// Whether the transaction may succeed when it runs again: a deadlock, or what another transaction wrote meanwhile.
  package var isConflict: Bool { ["40001", "40P01"].contains(sqlState) }
}
