/// Knows the last rows of one kind by their bytes, so that what many rows share is added once; what it has forgotten is
/// joined by the graph.
final class RowCache {
  private static let most = 1 << 16
  private static let mostBytes = 4 << 20
  private let table: RowTable
  private var hash: UInt64 = 0

  /// - Parameter fields: the values that a row is told by.
  init(_ fields: [Int]) {
    table = RowTable(fields)
  }

  /// The number of the same row, where it is known.
  func find(_ record: Record) -> Int64? {
    hash = table.hash(record)
    return table.find(hash, record)
  }

  /// Enters the row that was looked for last.
  func enter(_ number: Int64, _ record: Record) {
    if table.count == Self.most || table.used > Self.mostBytes {
      table.clear()
    }
    table.enter(number, hash, record)
  }
}

extension Field.Kind {
  var mark: UInt64 {
    switch self {
    case .absent: 0
    case .null: 1
    case .text: 2
    case .literal: 3
    }
  }
}
