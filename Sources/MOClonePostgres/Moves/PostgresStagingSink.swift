import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Writes the rows of an import into their temporary tables.
final class PostgresStagingSink: StagingSink {
  private struct Rows {
    var buffer: CopyBuffer
    var codings: [ValueCoding]
    var references: Int
    var count = 0
  }

  private var rows: [Rows] = []
  private var pairs: [CopyBuffer] = []
  var leftOut: [Int: Set<String>] = [:]

  init(_ connection: PostgresConnection, _ layout: TransferLayout) {
    rows = layout.streams.compactMap { stream in
      stream.staged.map { staged in
        Rows(
          buffer: CopyBuffer(connection, into: staged.table.sql, staged.content),
          codings: staged.columns.map(ValueCoding.init), references: staged.referenceCount)
      }
    }
    pairs = layout.pairs.map {
      CopyBuffer(connection, into: layout.staged($0).sql, ["source", "destination"])
    }
  }

  func count(_ entity: Int) -> Int { rows[entity].count }

  func add(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws -> Int64 {
    rows[entity].count += 1
    let (row, number) = (rows[entity], Int64(rows[entity].count))
    try row.buffer.add(.integer(Int64(line)))
    var masks = [Int64](repeating: 0, count: (values.count + 59) / 60)
    for (i, value) in values.enumerated() {
      if case .absent = value { masks[i / 60] |= 1 << (i % 60) }
      try add(value, row.codings[i], to: row.buffer)
    }
    for reference in references { try row.buffer.add(reference == 0 ? .null : .integer(reference)) }
    for _ in references.count..<row.references { try row.buffer.add(.null) }
    for mask in masks { try row.buffer.add(.integer(mask)) }
    try row.buffer.add(.integer(number))
    try row.buffer.endRow()
    return number
  }

  private func add(_ value: StagedValue, _ coding: ValueCoding, to buffer: CopyBuffer) throws {
    switch value {
    case .absent, .null: try buffer.add(.null)
    case .integer(let number): try buffer.add(.integer(number))
    case .double(let number): try buffer.add(.real(number))
    case .text(let bytes): try buffer.add(bytes)
    case .value(let value): try buffer.add(coding.encode(value))
    }
  }

  func leavesOut(_ property: String, of entity: Int) { leftOut[entity, default: []].insert(property) }

  func pair(_ pairs: Int, _ source: Int64, _ destination: Int64) throws {
    try self.pairs[pairs].write([.integer(source), .integer(destination)])
  }

  func finish() throws {
    for row in rows { try row.buffer.flush() }
    for pairs in pairs { try pairs.flush() }
  }
}
