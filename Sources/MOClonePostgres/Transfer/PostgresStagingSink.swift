import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Writes the rows of an import into their temporary tables.
final class PostgresStagingSink: StagingSink {
  private final class Rows {
    let stream: RowStream
    let staged: StagedRows
    let buffer: CopyBuffer
    let codings: [ValueCoding]
    var count = 0
    /// The masks of all rows together.
    var absent: [Int64]

    init(_ connection: PostgresConnection, stream: RowStream, staged: StagedRows) {
      (self.stream, self.staged) = (stream, staged)
      buffer = CopyBuffer(connection, into: staged.table.sql, columns: staged.content)
      codings = staged.columns.map(ValueCoding.init)
      absent = staged.masks.map { _ in 0 }
    }
  }

  private let rows: [Rows]
  private let joinRows: [CopyBuffer]
  private let mapping: SchemaMapping
  var leftOut: [Int: Set<String>] = [:]

  init(_ connection: PostgresConnection, in layout: TransferLayout) {
    mapping = layout.mapping
    rows = layout.streams.compactMap { stream in
      stream.staged.map { Rows(connection, stream: stream, staged: $0) }
    }
    joinRows = layout.joinRows.map {
      CopyBuffer(connection, into: layout.staged($0).sql, columns: ["source", "destination"])
    }
  }

  func count(_ entity: Int) -> Int { rows[entity].count }

  func absent(_ entity: Int) -> [Int64] { rows[entity].absent }

  func add(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws -> Int64 {
    let row = rows[entity]
    row.count += 1
    try naming(row) { try write(values, references: references, to: row, line: line) }
    return Int64(row.count)
  }

  private func write(
    _ values: UnsafeBufferPointer<StagedValue>, references: UnsafeBufferPointer<Int64>, to row: Rows,
    line: Int
  ) throws {
    try row.buffer.add(.integer(Int64(line)))
    var masks = [Int64](repeating: 0, count: (values.count + 59) / 60)
    for (i, value) in values.enumerated() {
      if case .absent = value { masks[i / 60] |= 1 << (i % 60) }
      do { try add(value, row.codings[i], to: row.buffer) } catch let error as PostgresError {
        throw refusal(error, error.message, of: row, number: row.count, line: line, column: i)
      }
    }
    for reference in references { try row.buffer.add(reference == 0 ? .null : .integer(reference)) }
    for _ in references.count..<row.staged.referenceCount { try row.buffer.add(.null) }
    for (i, mask) in masks.enumerated() {
      row.absent[i] |= mask
      try row.buffer.add(.integer(mask))
    }
    try row.buffer.add(.integer(Int64(row.count)))
    try row.buffer.endRow()
  }

  /// Says which row the server has refused, where it has refused one.
  private func naming(_ row: Rows, body: () throws -> Void) throws {
    do { try body() } catch {
      guard let refused = row.buffer.refused(by: error), let line = refused.fields.first??.number,
        let number = refused.fields.last??.number
      else { throw error }
      // The line stands before the values.
      let column = refused.column.flatMap { row.codings.indices.contains($0 - 1) ? $0 - 1 : nil }
      throw refusal(
        error, refused.reason, of: row, number: number, line: line, column: column,
        value: column.flatMap { refused.fields[1 + $0] })
    }
  }

  /// A value that the type of its column does not take, which the server finds or libpq cannot even send.
  private func refusal(
    _ error: any Error, _ reason: String, of row: Rows, number: Int, line: Int, column: Int?,
    value: String? = nil
  ) -> CloneError {
    let entity = row.stream.entities[0]
    let staged = column.map { row.staged.columns[$0] }
    var failure = CloneError.Failure.untaken(
      value, of: entity, by: staged?.schema, of: row.stream.table.schema.name, reason)
    failure.entity = entity
    failure.property = row.stream.name(of: staged?.attribute, mapping) ?? staged?.schema.name
    failure.row = ImportPlan.Row(entity: row.stream.index, number: Int64(number), line: line)
    return CloneError([failure], underlying: error)
  }

  private func add(_ value: StagedValue, _ coding: ValueCoding, to buffer: CopyBuffer) throws {
    switch value {
    case .absent, .null: try buffer.add(.null)
    case .integer(let number): try buffer.add(.integer(number))
    case .double(let number): try buffer.add(.real(number))
    case .text(let bytes): try buffer.add(bytes)
    case .longDate(let text): try buffer.add(coding.encode(longDate: text))
    case .value(let value): try buffer.add(coding.encode(value))
    }
  }

  func leavesOut(_ property: String, of entity: Int) { leftOut[entity, default: []].insert(property) }

  func joinRow(_ joinRows: Int, _ source: Int64, _ destination: Int64) throws {
    try self.joinRows[joinRows].write([.integer(source), .integer(destination)])
  }

  func finish() throws {
    for row in rows { try naming(row) { try row.buffer.finish() } }
    for joinRows in joinRows { try joinRows.finish() }
  }
}

extension String {
  fileprivate var number: Int? { Int(self) }
}
