/// Writes rows in a thread of its own, while the caller's thread reads the next ones.
final class PipelinedRows: RowWriting {
  /// Long enough that handing a batch over costs nothing.
  private static let most = 1 << 13

  /// Filled by one thread, then handed over to the other, and back: never in the hands of both.
  private final class Batch: @unchecked Sendable {
    var values: [StoredValue] = []
  }

  private let pipeline: BatchPipeline<Batch>

  /// - Parameter width: how many values a row has.
  init(_ rows: any RowWriting, width: Int) {
    pipeline = BatchPipeline((0..<3).map { _ in Batch() }) { batch in
      for first in stride(from: 0, to: batch.values.count, by: width) {
        try rows.write(batch.values[first..<first + width])
      }
      batch.values.removeAll(keepingCapacity: true)
    }
  }

  func write(_ values: ArraySlice<StoredValue>) throws {
    pipeline.batch.values += values
    if pipeline.batch.values.count >= Self.most { try pipeline.handOver() }
  }

  func finish() throws { try pipeline.finish() }
}
