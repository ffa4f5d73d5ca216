import CPostgreSQL
import MOCloneEngine
import MOCloneSQL

extension PostgresConnection {
  /// Reads the rows of a statement one by one, in flat memory.
  ///
  /// No other statement can be run by the connection meanwhile. An error of the body ends the statement.
  package func each(
    _ sql: String, _ arguments: [String: StoredValue] = [:], _ body: ([StoredValue]) throws -> Void
  ) throws {
    let statement = try statement(sql, arguments: arguments)
    try exchange(isCancellable: true, statement.text) {
      try send(statement)
      PQsetSingleRowMode(handle)
      var failure: PostgresError?
      while let result = try next() {
        if result.isFailure { failure = failure ?? PostgresError(result, statement: statement.text) }
        do {
          for row in try result.rows() {
            try Cancellation.check()
            try body(row)
          }
        } catch {
          try drain(ending: true)
          throw error
        }
      }
      if let failure { throw failure }
    }
  }

  /// Reads what is left of the answers, so that the next statement can be sent.
  func drain(ending isEnding: Bool) throws {
    if isEnding, PQtransactionStatus(handle) == PQTRANS_ACTIVE { canceller.cancel() }
    while let result = try next() {
      if result.status == PGRES_COPY_IN { PQputCopyEnd(handle, "the rows could not be written") }
      if result.status == PGRES_COPY_OUT || result.status == PGRES_COPY_BOTH { try skipCopy() }
    }
  }

  private func skipCopy() throws {
    while let row = try nextCopyRow() { PQfreemem(row.baseAddress) }
  }
}
