import CPostgreSQL
import MOCloneSQL

extension PostgresConnection {
  /// Runs statements in one round trip.
  ///
  /// Outside a transaction they are a transaction of their own. None runs after one that failed.
  ///
  /// - Returns: How many rows each wrote or selected.
  /// - Throws: The error of the first that failed.
  @discardableResult
  package func pipeline(_ statements: [(sql: String, arguments: [String: StoredValue])]) throws -> [Int] {
    var counts: [Int] = []
    try pipeline(statements) { counts.append($0.count) }
    return counts
  }

  /// Runs statements in one round trip.
  ///
  /// - Parameters:
  ///   - flushed: the places of the statements whose answers the server sends before it goes on: they are known where the
  ///     connection is lost later, and the server notices that nobody is there.
  ///   - body: takes the answers in the order of the statements, up to the first that failed.
  func pipeline(
    _ statements: [(sql: String, arguments: [String: StoredValue])], flushed: Range<Int> = 0..<0,
    body: (PostgresResult) throws -> Void
  ) throws {
    guard !statements.isEmpty else { return }
    let statements = try statements.map { try statement($0.sql, arguments: $0.arguments) }
    try exchange(isCancellable: true) {
      try check(PQenterPipelineMode(handle) == 1)
      defer { PQexitPipelineMode(handle) }
      let sent = try statements.enumerated().map { place, statement in
        let preparation = try send(statement, inPipeline: true)
        if flushed.contains(place) { try check(PQsendFlushRequest(handle) == 1) }
        return (statement: statement, preparation: preparation)
      }
      try check(PQpipelineSync(handle) == 1)
      try read(answersTo: sent, body)
    }
  }

  private func read(
    answersTo sent: [(statement: PostgresStatement, preparation: String?)],
    _ body: (PostgresResult) throws -> Void
  ) throws {
    var failure: PostgresError?
    var refusal: (any Error)?
    for (statement, preparation) in sent {
      if preparation != nil, try self.answer(to: statement, &failure) == nil {
        statements.unnote(statement.sql, types: statement.arguments.types)
      }
      guard let answer = try answer(to: statement, &failure), failure == nil, refusal == nil else { continue }
      do { try body(answer) } catch { refusal = error }
    }
    try readEnd(&failure)
    if let error = failure ?? refusal { throw error }
  }

  /// The end of a pipeline commits what began with it, which can fail.
  private func readEnd(_ failure: inout PostgresError?) throws {
    var pauses = 0
    // What failed is followed by a pause, and a lost connection by nothing else.
    while pauses < 2 {
      guard let answer = try next() else {
        pauses += 1
        continue
      }
      if answer.status == PGRES_PIPELINE_SYNC { return }
      if answer.isFailure { failure = failure ?? PostgresError(answer, statement: "COMMIT") }
    }
    failure = failure ?? lost()
  }

  /// The answer to one statement; nil where it failed or was left out.
  private func answer(
    to statement: PostgresStatement, _ failure: inout PostgresError?
  ) throws -> PostgresResult? {
    var answer: PostgresResult?
    while let result = try next() {
      if result.isFailure {
        failure = failure ?? PostgresError(result, statement: statement.text)
      } else if result.status != PGRES_PIPELINE_ABORTED {
        answer = result
      }
    }
    if answer == nil, failure == nil { failure = lost() }
    return answer
  }
}
