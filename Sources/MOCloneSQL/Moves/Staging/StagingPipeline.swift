import Dispatch
import MOCloneEngine
import MOCloneModel

/// Stages rows in a thread of its own, while the caller's thread reads the next ones.
///
/// Until `finish` has returned nobody else may use the connection.
package final class StagingPipeline: ImportSink {
  private static let batches = 3

  private let worker: StagingWorker
  private let queue = DispatchQueue(label: "moclone.staging")
  private let free = DispatchSemaphore(value: batches)
  private var spare = (0..<batches).map { _ in StagedBatch() }
  private var batch: StagedBatch
  private var counts: [Int64]
  /// Required properties that rows leave out, by entities.
  package private(set) var leftOut: [Int: Set<String>] = [:]

  package init(_ writer: any StagingSink, entities: Int) {
    worker = StagingWorker(writer)
    counts = Array(repeating: 0, count: entities)
    free.wait()
    batch = spare.removeFirst()
  }

  package func add(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws -> Int64 {
    if batch.isFull { try handOver() }
    batch.add(entity, values, references, line: line)
    counts[entity] += 1
    return counts[entity]
  }

  package func leavesOut(_ property: String, of entity: Int) { leftOut[entity, default: []].insert(property) }

  package func pair(_ pairs: Int, _ source: Int64, _ destination: Int64) throws {
    if batch.isFull { try handOver() }
    batch.pair(pairs, source, destination)
  }

  /// Waits until everything is staged, or after a failure until nothing is done any longer.
  ///
  /// - Throws: what a row could not be staged for.
  package func finish() throws {
    send()
    queue.sync {}
    try worker.check()
  }

  private func handOver() throws {
    send()
    free.wait()
    try worker.check()
    batch = spare.removeFirst()
  }

  /// Batches come back in the order in which they went.
  private func send() {
    spare.append(batch)
    queue.async { [worker, batch, free] in
      worker.write(batch)
      free.signal()
    }
  }
}

/// The thread's side: it has the connection to itself while the other side only reads.
private final class StagingWorker: @unchecked Sendable {
  private let writer: any StagingSink
  private let failure = Locked<(any Error)?>(nil)

  init(_ writer: any StagingSink) {
    self.writer = writer
  }

  func write(_ batch: StagedBatch) {
    defer { batch.clear() }
    guard failure.withLock({ $0 == nil }) else { return }
    do {
      try batch.write(to: writer)
    } catch {
      failure.withLock { $0 = error }
    }
  }

  func check() throws {
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
