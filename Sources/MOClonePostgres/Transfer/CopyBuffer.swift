import MOCloneSQL

/// Rows for one table, sent by COPY whenever enough have come together: a connection serves one COPY at a time.
final class CopyBuffer {
  private let connection: PostgresConnection
  private let sql: String
  private let columns: [String]
  private var bytes: [UInt8] = []
  private var isRowEmpty = true

  /// - Parameters:
  ///   - table: as SQL writes it.
  ///   - columns: as SQL writes them, in the order of a row's values.
  init(_ connection: PostgresConnection, into table: String, columns: [String]) {
    self.connection = connection
    self.columns = columns
    sql = "COPY \(table)(\(columns.list)) FROM STDIN"
  }

  func add(_ value: StoredValue) throws {
    separate()
    try CopyText.append(value, to: &bytes)
  }

  func add(_ text: UnsafeBufferPointer<UInt8>) throws {
    separate()
    try CopyText.append(text, to: &bytes)
  }

  private func separate() {
    if !isRowEmpty { bytes.append(UInt8(ascii: "\t")) }
    isRowEmpty = false
  }

  func endRow() throws {
    bytes.append(UInt8(ascii: "\n"))
    isRowEmpty = true
    if bytes.count >= Self.capacity { try finish() }
  }

  func finish() throws {
    guard !bytes.isEmpty else { return }
    try connection.copyIn(sql, rows: bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// The row that the server has refused; nil where the error is not about a row, whatever row the server was at.
  func refused(by error: any Error) -> RefusedRow? {
    guard let error = error as? PostgresError,
      let place = error.context?.firstMatch(
        of: /^COPY [^\n]*?, line (\d+)(?:, column ([^\n]+?): ")?/.anchorsMatchLineEndings()),
      error.isOfRows || place.2 != nil && error.isOfValues, let line = Int(place.1)
    else { return nil }
    let rows = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: line, omittingEmptySubsequences: false)
    guard rows.indices.contains(line - 1),
      let fields = try? rows[line - 1].withUnsafeBytes({ try CopyText.fields($0) })
    else { return nil }
    let column = place.2.flatMap { name in
      columns.firstIndex { $0 == name || $0 == Dialect.postgres.name(String(name)) }
    }
    return RefusedRow(fields: fields, column: column, reason: error.message)
  }

  private static let capacity = 1 << 18
}

extension CopyBuffer: RowWriting {
  func write(_ values: ArraySlice<StoredValue>) throws {
    for value in values { try add(value) }
    try endRow()
  }
}
