import CPostgreSQL
import Foundation
import MOCloneEngine
import MOCloneSQL

extension PostgresConnection {
  /// Runs `COPY ... FROM STDIN` with rows in text format.
  ///
  /// - Throws: The server's error; then no row is written.
  func copyIn(_ sql: String, rows: [UInt8]) throws {
    try exchange(isCancellable: true) {
      try beginCopy(sql, status: PGRES_COPY_IN)
      do {
        try put(rows)
        try endCopy(nil)
      } catch {
        try? endCopy("the rows could not be written")
        let answer = Result { try finish(sql) }
        // Where the server ended the COPY, its error is the cause.
        if case .failure(let cause as PostgresError) = answer, cause.sqlState != "57014" { throw cause }
        throw error
      }
      try finish(sql)
    }
  }

  private func copyRows(_ sql: String, read: (UnsafeRawBufferPointer) throws -> Void) throws {
    try exchange(isCancellable: true) {
      try beginCopy(sql, status: PGRES_COPY_OUT)
      do {
        while let row = try nextCopyRow() {
          defer { PQfreemem(row.baseAddress) }
          try Cancellation.check()
          try read(UnsafeRawBufferPointer(row))
        }
      } catch {
        canceller.cancel()
        try skipCopy()
        try drain(ending: false)
        throw error
      }
      try finish(sql)
    }
  }

  /// Reads the rows of a query one by one by COPY, in flat memory.
  package func stream(_ sql: String, body: ([StoredValue]) throws -> Void) throws {
    let types = try exchange(isCancellable: true) {
      try send(statement("SELECT * FROM (\(sql)) s LIMIT 0", arguments: [:]))
      return try finish(sql).types
    }
    let kinds = types.map(CopyText.Kind.init)
    var values: [StoredValue] = []
    try copyRows("COPY (\(sql)) TO STDOUT") { row in
      try CopyText.read(row, kinds, into: &values)
      try body(values)
    }
  }

  private func beginCopy(_ sql: String, status: ExecStatusType) throws {
    try check(PQsendQuery(handle, sql.withoutZero()) == 1)
    guard let result = try next() else { throw lost() }
    if result.isFailure {
      try drain(ending: false)
      throw PostgresError(result, statement: sql)
    }
    guard result.status == status else {
      try drain(ending: true)
      throw PostgresError(
        sqlState: "42601", message: "the statement is not the COPY that is expected: \(sql)")
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

  /// The next row, which the caller frees; nil after the last one.
  private func nextCopyRow() throws -> UnsafeMutableBufferPointer<CChar>? {
    while true {
      var row: UnsafeMutablePointer<CChar>?
      let length = PQgetCopyData(handle, &row, 1)
      if length > 0 { return UnsafeMutableBufferPointer(start: row, count: Int(length)) }
      if length < 0 { return nil }
      wait(for: POLLIN)
      if PQconsumeInput(handle) == 0 { throw lost() }
    }
  }

  /// Sends the rows of a COPY.
  private func put(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { bytes in
      let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
      while true {
        switch PQputCopyData(handle, start, Int32(bytes.count)) {
        case 1: return try flush()
        case 0: try flush()
        default: throw lost()
        }
      }
    }
  }

  private func endCopy(_ failure: String?) throws {
    while true {
      switch PQputCopyEnd(handle, failure) {
      case 1: return
      case 0: try flush()
      default: throw lost()
      }
    }
  }
}
