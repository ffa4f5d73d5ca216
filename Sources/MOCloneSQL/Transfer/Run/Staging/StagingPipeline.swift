import MOCloneEngine
import MOCloneModel

/// Stages rows in a thread of its own, while the caller's thread reads the next ones.
///
/// Until `finish` has returned nobody else may use the connection.
package final class StagingPipeline: ImportSink {
  private let pipeline: BatchPipeline<StagedBatch>
  private var counts: [Int64]
  /// Required properties that rows leave out, by entities.
  package private(set) var leftOut: [Int: Set<String>] = [:]

  package init(_ writer: any StagingSink, entities: Int) {
    pipeline = BatchPipeline((0..<3).map { _ in StagedBatch() }) { batch in
      defer { batch.clear() }
      try batch.write(to: writer)
    }
    counts = Array(repeating: 0, count: entities)
  }

  package func add(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws -> Int64 {
    try pipeline.open().add(entity, values, references, line: line)
    counts[entity] += 1
    return counts[entity]
  }

  package func leavesOut(_ property: String, of entity: Int) { leftOut[entity, default: []].insert(property) }

  package func joinRow(_ joinRows: Int, _ source: Int64, _ destination: Int64) throws {
    try pipeline.open().joinRow(joinRows, source, destination)
  }

  /// Waits until everything is staged, or after a failure until nothing is done any longer.
  ///
  /// - Throws: what a row could not be staged for.
  package func finish() throws { try pipeline.finish() }
}

extension BatchPipeline<StagedBatch> {
  /// The batch that has room for a row.
  fileprivate func open() throws -> StagedBatch {
    let batch = batch
    guard batch.isFull else { return batch }
    try handOver()
    return self.batch
  }
}
