import CPostgreSQL
import Foundation
import MOCloneEngine
import MOCloneSQL

/// A connection to a PostgreSQL database.
///
/// One task uses it at a time; only `canceller` may be used from elsewhere. A statement ends early where the task that
/// waits for it is cancelled.
package final class PostgresConnection {
  package let location: PostgresLocation
  /// Ends the statement that runs, from any thread.
  package let canceller: PostgresCanceller
  /// Nil once it is closed, as libpq takes it.
  private(set) var handle: OpaquePointer?
  var isClosed: Bool { handle == nil }
  /// Whether the session is the connection's own until its end, so that statements stay prepared and settings made.
  private(set) var ownsSession: Bool
  /// Whether the connection is somebody else's, who finds it as it was after each call.
  let isBorrowed: Bool
  /// Whether the settings are made that an open transaction of somebody else's needs meanwhile.
  var hasSettings = false
  /// Whether the open transaction was begun to read, and nothing within it to write.
  var hasOnlyRead = false
  var statements = PreparedStatements()
  var schemas = KnownSchemas()
  /// How many savepoints are open.
  var savepoints = 0
  /// Who looks after the run under way.
  private var watch: RunWatch?
  /// Whether the rows of a statement are being read, so that no other one can be sent.
  private var isBusy = false

  /// Opens a connection.
  ///
  /// - Parameter ownsSession: `false` for poolers that give each transaction another session; nil finds it out.
  /// - Throws: `PostgresError` with what libpq says of the server, without the password.
  package init(_ location: PostgresLocation, ownsSession: Bool? = nil) throws {
    self.location = location
    self.ownsSession = false
    isBorrowed = false
    handle = try Self.open(location)
    canceller = PostgresCanceller(handle)
    // Notices would go to standard error.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    try checkVersion()
    if ownsSession != false { self.ownsSession = try takesSession() }
    PQsetnonblocking(handle, 1)
  }

  /// Makes the settings where the session is the one that answered when the connection was opened: a pooler has numbers of
  /// its own for its clients, and what is left in one of its sessions another client finds.
  private func takesSession() throws -> Bool {
    let answer = try rows(PostgresSettings.session(ofProcess: PQbackendPID(handle), location.lockTimeout))
    return answer.first?.first == .integer(1)
  }

  /// Takes a connection that somebody else has opened and will close.
  ///
  /// Its statements are not prepared: nothing may stay in a session of somebody else's.
  package init(borrowing handle: OpaquePointer) throws {
    guard PQstatus(handle) == CONNECTION_OK else {
      throw PostgresError(
        .connection, sqlState: "08003", message: "the connection that was given is closed")
    }
    try Self.checkMode(handle)
    self.handle = handle
    location = PostgresLocation(of: handle)
    ownsSession = false
    isBorrowed = true
    canceller = PostgresCanceller(handle)
    try checkVersion()
  }

  /// Each statement waits for its answer, or makes a pipeline of its own.
  private static func checkMode(_ handle: OpaquePointer?) throws {
    guard PQstatus(handle) == CONNECTION_OK, PQpipelineStatus(handle) != PQ_PIPELINE_OFF else { return }
    throw CloneError(
      .storeFailed, "the connection is in pipeline mode",
      help: "read the answers that are left, and leave the mode by 'PQexitPipelineMode'")
  }

  deinit { close() }

  /// Ends a session of the connection's own, in which nothing can be asked afterwards.
  func close() {
    if !isBorrowed { PQfinish(handle) }
    handle = nil
  }

  private func checkVersion() throws {
    guard serverVersion >= Self.oldestVersion else {
      throw PostgresError(
        .connection, sqlState: "0A000",
        message:
          "the server is PostgreSQL \(serverVersion / 10000), and \(Self.oldestVersion / 10000) or newer is needed"
      )
    }
  }

  private static func open(_ location: PostgresLocation) throws -> OpaquePointer {
    var options = location.options
    options["fallback_application_name"] = "moclone"
    options["client_encoding"] = "UTF8"
    if options["connect_timeout"] == nil, getenv("PGCONNECT_TIMEOUT") == nil, options["service"] == nil {
      options["connect_timeout"] = "10"
    }
    let pairs = options.map { (strdup($0.key), strdup($0.value)) }
    defer {
      for (keyword, value) in pairs {
        free(keyword)
        free(value)
      }
    }
    let keywords = pairs.map { UnsafePointer($0.0) } + [nil]
    let values = pairs.map { UnsafePointer($0.1) } + [nil]
    guard let handle = PQconnectdbParams(keywords, values, 0) else {
      throw PostgresError(.connection, sqlState: "08001", message: "out of memory")
    }
    guard PQstatus(handle) == CONNECTION_OK else {
      defer { PQfinish(handle) }
      throw failure(handle)
    }
    return handle
  }

  /// What libpq says of a connection that could not be opened, and what it knows of passwords.
  private static func failure(_ handle: OpaquePointer) -> PostgresError {
    let message = PostgresError.line(String(cString: PQerrorMessage(handle)))
    let usesPassword = PQconnectionNeedsPassword(handle) == 1 || PQconnectionUsedPassword(handle) == 1
    var error = PostgresError(.connection, sqlState: usesPassword ? "28P01" : "08001", message: message)
    if PQconnectionNeedsPassword(handle) == 1 {
      error.hint = "Set PGPASSWORD, or write the password to ~/.pgpass."
    } else if message.contains("FATAL"), isDatabaseMissing(handle) {
      error.sqlState = PostgresErrors.noDatabase
    }
    return error
  }

  /// libpq has no field for the state of a connection that the server refused, but writes it in place of the text, which is
  /// in the server's language: so the server is asked once more.
  private static func isDatabaseMissing(_ handle: OpaquePointer) -> Bool {
    PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
    PQreset(handle)
    return PQstatus(handle) != CONNECTION_OK
      && String(cString: PQerrorMessage(handle)).contains(PostgresErrors.noDatabase)
  }

  /// The first that tells the number of a transaction, and has not reached its end of life.
  private static let oldestVersion = 130000

  /// The version of the server, as in 150018.
  package var serverVersion: Int { Int(PQserverVersion(handle)) }

  // MARK: Statements

  /// Runs a statement whose parameters are named `$name`.
  ///
  /// - Returns: How many rows it wrote or selected; 0 for other statements.
  @discardableResult
  package func execute(_ sql: String, _ arguments: [String: StoredValue] = [:]) throws -> Int {
    try result(of: sql, arguments).count
  }

  /// The rows of a statement whose parameters are named `$name`.
  package func rows(_ sql: String, _ arguments: [String: StoredValue] = [:]) throws -> [[StoredValue]] {
    try result(of: sql, arguments).rows()
  }

  /// Runs statements without parameters, which `;` separates, in one round trip.
  ///
  /// Outside a transaction they are a transaction of their own.
  package func run(_ script: String) throws {
    try exchange(isCancellable: true) {
      try check(PQsendQuery(handle, script) == 1)
      try finish(script)
    }
  }

  private func result(of sql: String, _ arguments: [String: StoredValue]) throws -> PostgresResult {
    do {
      return try result(of: statement(sql, arguments: arguments))
    } catch let error as PostgresError where error.isStalePlan {
      // The tables were changed since the statement was prepared; a transaction has failed by that.
      guard PQtransactionStatus(handle) == PQTRANS_IDLE else { throw error }
      return try result(of: statement(sql, arguments: arguments))
    }
  }

  private func result(of statement: PostgresStatement) throws -> PostgresResult {
    try exchange(isCancellable: true) {
      try send(statement)
      return try finish(statement.text)
    }
  }

  /// Sends a statement; the answer is still to be read.
  ///
  /// - Parameter isPipelined: whether the answer to what prepares the statement is read later, too.
  /// - Returns: what prepares it, where that is sent along.
  @discardableResult
  func send(_ statement: PostgresStatement, inPipeline isPipelined: Bool = false) throws -> String? {
    let (sql, types) = (statement.sql, statement.arguments.types)
    switch ownsSession ? statements.way(of: sql, types) : .unprepared {
    case .unprepared:
      try check(
        statement.arguments.withLists {
          PQsendQueryParams(
            handle, statement.text, $0.count, $0.types, $0.values, $0.lengths, $0.formats, 0)
        } == 1)
    case .prepare(let name):
      try check(
        statement.arguments.withLists { PQsendPrepare(handle, name, statement.text, $0.count, $0.types) } == 1
      )
      if !isPipelined { try finish(statement.text) }
      statements.note(name, for: sql, types)
      try sendPrepared(statement, name: name)
      return name
    case .prepared(let name): try sendPrepared(statement, name: name)
    }
    return nil
  }

  private func sendPrepared(_ statement: PostgresStatement, name: String) throws {
    try check(
      statement.arguments.withLists {
        PQsendQueryPrepared(handle, name, $0.count, $0.values, $0.lengths, $0.formats, 0)
      } == 1)
  }

  func statement(_ sql: String, arguments: [String: StoredValue]) throws -> PostgresStatement {
    try deallocateDropped()
    return try PostgresStatement(sql, parameters: statements.parameters(of: sql), arguments: arguments)
  }

  private func deallocateDropped() throws {
    guard !statements.dropped.isEmpty, !isBusy, PQtransactionStatus(handle) != PQTRANS_INERROR else { return }
    try run(statements.takeDropped().map { "DEALLOCATE \($0)" }.joined(separator: "; "))
  }

  // MARK: The exchange with the server

  /// Does something during which no other statement can be sent, and tells a cancelled statement from one that failed.
  func exchange<Result>(isCancellable: Bool, body: () throws -> Result) throws -> Result {
    guard !isBusy else {
      throw PostgresError(
        sqlState: "55006", message: "a statement cannot be sent while the rows of another one are read")
    }
    try Self.checkMode(handle)
    if isCancellable { try Cancellation.check() }
    self.isCancellable = isCancellable
    isBusy = true
    let wasNonblocking = PQisnonblocking(handle)
    PQsetnonblocking(handle, 1)
    defer {
      isBusy = false
      if wasNonblocking == 0 { PQsetnonblocking(handle, 0) }
    }
    canceller.begin()
    let result = Swift.Result { try body() }
    let wasCancelled = canceller.end()
    if case .failure(let error as PostgresError) = result {
      if error.isStalePlan { statements.forgetAll() }
      if wasCancelled, error.sqlState == "57014" { throw CancellationError() }
    }
    return try result.get()
  }

  /// Whether the cancellation of the task ends the statement that runs.
  private var isCancellable = true

  /// Reads the answers to a statement to their end.
  ///
  /// - Throws: The first error.
  @discardableResult
  func finish(_ statement: String) throws -> PostgresResult {
    var last: PostgresResult?
    var failure: PostgresError?
    while let result = try next() {
      if result.isFailure { failure = failure ?? PostgresError(result, statement: statement) }
      last = result
      guard ![PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(result.status) else {
        // Where the server waits for rows, it would answer to their end once more after a cancellation.
        try drain(ending: result.status != PGRES_COPY_IN)
        throw PostgresError(
          sqlState: "42601", message: "COPY from or to the client is run by 'copyIn' and 'stream'")
      }
    }
    if let failure { throw failure }
    guard let last else { throw lost() }
    return last
  }

  /// The next answer to what was sent; nil after the last one.
  func next() throws -> PostgresResult? {
    try flush()
    while PQisBusy(handle) == 1 {
      wait(for: POLLIN)
      // What libpq knows of a lost connection is in the next result.
      if PQconsumeInput(handle) == 0 { break }
    }
    return PQgetResult(handle).map(PostgresResult.init)
  }

  /// Sends what libpq keeps; the server may have to be read from meanwhile.
  func flush() throws {
    while true {
      switch PQflush(handle) {
      case 0: return
      case 1:
        wait(for: POLLIN | POLLOUT)
        if PQconsumeInput(handle) == 0 { return }
      // The answers tell why.
      default: return
      }
    }
  }

  /// Has a watch end the statements of a body.
  func watched<Result>(by watch: RunWatch, _ body: () throws -> Result) rethrows -> Result {
    let outer = self.watch
    self.watch = watch
    defer { self.watch = outer }
    return try body()
  }

  /// Waits for the server, and sees every now and then whether the task was cancelled.
  func wait(for events: Int32) {
    while true {
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
      guard descriptor.fd >= 0, poll(&descriptor, 1, Self.slice) == 0 else { return }
      if isCancellable, Cancellation.isCancelled || watch?.look() == false { canceller.cancel() }
    }
  }

  /// Milliseconds.
  private static let slice: Int32 = 50

  func check(_ isSent: Bool) throws {
    guard isSent else { throw lost() }
  }

  /// The error that libpq noted with the connection.
  func lost() -> PostgresError {
    let message = PostgresError.line(String(cString: PQerrorMessage(handle)))
    let isLost = PQstatus(handle) != CONNECTION_OK
    return PostgresError(
      isLost ? .connection : .statement, sqlState: isLost ? "08006" : "XX000",
      message: message.isEmpty ? "the connection to the server was lost" : message)
  }
}

extension PostgresError {
  /// Whether a prepared statement no longer fits its tables.
  fileprivate var isStalePlan: Bool { sqlState == "0A000" && origin == "RevalidateCachedQuery" }
}

/// A statement as it is sent: its text with numbered parameters, and their values.
struct PostgresStatement {
  /// As it was written.
  let sql: String
  let text: String
  let arguments: PostgresArguments

  init(_ sql: String, parameters: NamedParameters, arguments: [String: StoredValue]) throws {
    self.sql = sql
    text = try parameters.text.withoutZero()
    self.arguments = try PostgresArguments(
      parameters.names.map { name in
        guard let value = arguments[name] else {
          throw PostgresError(
            sqlState: "42P02", message: "the parameter '$\(name)' of a statement has no value")
        }
        return value
      })
  }
}
