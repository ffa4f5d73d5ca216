import MOCloneEngine

/// Rows on their way from the thread that reads them to the one that stages them, with texts of their own.
///
/// Filled by one thread, then handed over to the other by a queue, and back by a semaphore: never in the hands of both,
/// which is why it may pass between them.
final class StagedBatch: @unchecked Sendable {
  /// One value, so that a row costs one check that nobody else has it.
  private var content = BatchContent()

  var isFull: Bool { content.isFull }

  func add(
    _ entity: Int, _ row: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) {
    content.add(entity, row, references, line: line)
  }

  func joinRow(_ joinRows: Int, _ source: Int64, _ destination: Int64) {
    content.steps.append(.joinRow(joinRows, source: source, destination: destination))
  }

  /// Gives everything to a sink, in its order.
  func write(to sink: any StagingSink) throws { try content.write(to: sink) }

  func clear() { content.clear() }

  deinit { content.end() }
}

private struct BatchContent {
  private static let most = 1 << 11
  private static let room = 1 << 18

  enum Step {
    case row(entity: Int, values: Int, references: Int, line: Int)
    case joinRow(Int, source: Int64, destination: Int64)
  }

  var steps: [Step] = []
  private var values: [StagedValue] = []
  private var references: [Int64] = []
  private let texts: UnsafeMutablePointer<UInt8>
  private var used = 0
  /// Texts that are longer than all the room.
  private var long: [UnsafeMutableBufferPointer<UInt8>] = []

  init() {
    texts = .allocate(capacity: Self.room)
    steps.reserveCapacity(Self.most)
  }

  mutating func end() {
    clear()
    texts.deallocate()
  }

  var isFull: Bool { steps.count >= Self.most || used * 2 > Self.room || !long.isEmpty }

  mutating func add(
    _ entity: Int, _ row: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) {
    for value in row { values.append(kept(value)) }
    self.references.append(contentsOf: references)
    steps.append(.row(entity: entity, values: row.count, references: references.count, line: line))
  }

  /// The value with a copy of its text.
  private mutating func kept(_ value: StagedValue) -> StagedValue {
    guard case .text(let text) = value, let start = text.baseAddress else { return value }
    let place: UnsafeMutablePointer<UInt8>
    if used + text.count <= Self.room {
      place = texts + used
      used += text.count
    } else {
      long.append(.allocate(capacity: text.count))
      place = long[long.count - 1].baseAddress!
    }
    place.update(from: start, count: text.count)
    return .text(UnsafeBufferPointer(start: place, count: text.count))
  }

  func write(to sink: any StagingSink) throws {
    var (value, reference) = (0, 0)
    try values.withUnsafeBufferPointer { values in
      try references.withUnsafeBufferPointer { references in
        for step in steps {
          switch step {
          case .row(let entity, let valueCount, let referenceCount, let line):
            try sink.addLater(
              entity, UnsafeBufferPointer(rebasing: values[value..<value + valueCount]),
              UnsafeBufferPointer(rebasing: references[reference..<reference + referenceCount]), line: line)
            value += valueCount
            reference += referenceCount
          case .joinRow(let joinRows, let source, let destination):
            try sink.joinRow(joinRows, source, destination)
          }
        }
        try sink.flush()
      }
    }
  }

  mutating func clear() {
    steps.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    references.removeAll(keepingCapacity: true)
    for text in long { text.deallocate() }
    long = []
    used = 0
  }
}
