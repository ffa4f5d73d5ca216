import CPostgreSQL
import Foundation
import MOCloneEngine
import MOCloneSQL

extension PostgresConnection {
  /// Runs `COPY ... FROM STDIN` in text format.
  ///
  /// - Returns: How many rows were written.
  /// - Throws: The server's error, or that of `write`; then no row is written.
  @discardableResult
  package func copyIn(_ sql: String, write: (PostgresCopyWriter) throws -> Void) throws -> Int {
    try exchange(isCancellable: true, sql) {
      try beginCopy(sql, status: PGRES_COPY_IN)
      let writer = PostgresCopyWriter(self)
      do {
        try write(writer)
        try writer.flush()
        try endCopy(nil)
      } catch {
        try? endCopy("the rows could not be written")
        let answer = Result { try finish(sql) }
        // Where the server ended the COPY, its error is the cause.
        if case .failure(let cause as PostgresError) = answer, cause.sqlState != "57014" { throw cause }
        throw error
      }
      return try finish(sql).count
    }
  }

  /// Runs `COPY ... TO STDOUT` in text format, and reads its rows one by one in flat memory.
  ///
  /// - Parameter read: takes the fields of a row as the server writes them; nil represents null.
  package func copyOut(_ sql: String, read: ([String?]) throws -> Void) throws {
    try copyRows(sql) { try read(CopyText.fields($0)) }
  }

  private func copyRows(_ sql: String, read: (UnsafeRawBufferPointer) throws -> Void) throws {
    try exchange(isCancellable: true, sql) {
      try beginCopy(sql, status: PGRES_COPY_OUT)
      do {
        while let row = try nextCopyRow() {
          defer { PQfreemem(row.baseAddress) }
          try Cancellation.check()
          try read(UnsafeRawBufferPointer(row))
        }
      } catch {
        canceller.cancel()
        while let row = try nextCopyRow() { PQfreemem(row.baseAddress) }
        try drain(ending: false)
        throw error
      }
      try finish(sql)
    }
  }

  /// Reads the rows of a query one by one by COPY, in flat memory.
  package func stream(_ sql: String, body: ([StoredValue]) throws -> Void) throws {
    let types = try exchange(isCancellable: true, sql) {
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

  /// The next row, which the caller frees; nil after the last one.
  func nextCopyRow() throws -> UnsafeMutableBufferPointer<CChar>? {
    while true {
      var row: UnsafeMutablePointer<CChar>?
      let length = PQgetCopyData(handle, &row, 1)
      if length > 0 { return UnsafeMutableBufferPointer(start: row, count: Int(length)) }
      if length < 0 { return nil }
      wait(for: POLLIN)
      if PQconsumeInput(handle) == 0 { throw lost() }
    }
  }

  /// Sends a piece of a COPY.
  fileprivate func put(_ bytes: [UInt8]) throws {
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

/// Writes the rows of a COPY.
package final class PostgresCopyWriter {
  private let connection: PostgresConnection
  private var buffer: [UInt8] = []

  init(_ connection: PostgresConnection) {
    self.connection = connection
    buffer.reserveCapacity(2 * Self.piece)
  }

  /// Writes a row.
  package func write(_ row: [StoredValue]) throws {
    for (place, value) in row.enumerated() {
      if place > 0 { buffer.append(UInt8(ascii: "\t")) }
      try CopyText.append(value, to: &buffer)
    }
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.piece { try flush() }
  }

  /// Sends rows that are written already.
  func write(_ rows: [UInt8]) throws {
    try flush()
    try connection.put(rows)
  }

  func flush() throws {
    guard !buffer.isEmpty else { return }
    try Cancellation.check()
    try connection.put(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private static let piece = 64 * 1024
}
