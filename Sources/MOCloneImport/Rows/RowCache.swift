/// Knows the last rows of one kind by their bytes, so that what many rows share is added once; what it has forgotten is
/// joined by the graph.
final class RowCache {
  private static let most = 1 << 16
  private static let mostBytes = 4 << 20
  private let fields: [Int]
  private var table = RowTable(capacity: 1 << 8)
  private var hash: UInt64 = 0

  /// - Parameter fields: the values that a row is told by.
  init(_ fields: [Int]) {
    self.fields = fields
  }

  /// The number of the same row, where it is known.
  func find(_ record: Record) -> Int64? {
    let hash = Self.hash(record, fields)
    self.hash = hash
    return table.find(hash, record, fields)
  }

  /// Enters the row that was looked for last.
  func enter(_ number: Int64, _ record: Record) {
    if table.count == Self.most || table.used > Self.mostBytes {
      table = RowTable(capacity: 1 << 8)
    }
    table.enter(number, hash, record, fields)
  }

  /// Eight bytes at a time.
  private static func hash(_ record: Record, _ fields: [Int]) -> UInt64 {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
    func mix(_ word: UInt64) {
      hash = (hash ^ word) &* 0xBF58_476D_1CE4_E5B9
      hash ^= hash >> 29
    }
    for number in fields {
      let field = record.fields[number]
      mix(UInt64(field.count) << 2 | field.kind.mark)
      let bytes = UnsafeRawBufferPointer(field.bytes)
      var i = 0
      while i + 8 <= bytes.count {
        mix(bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
        i += 8
      }
      var rest: UInt64 = 0
      while i < bytes.count {
        rest = rest << 8 | UInt64(bytes[i])
        i += 1
      }
      mix(rest)
    }
    return hash ^ (hash >> 32)
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
