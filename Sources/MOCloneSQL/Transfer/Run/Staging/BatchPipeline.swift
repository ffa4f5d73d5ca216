import Dispatch
import MOCloneEngine
import MOCloneModel

/// Has a thread of its own take the batches that the caller's thread fills, in their order.
///
/// Until `finish` has returned, or the pipeline is gone, nobody else may use what batches are written to.
final class BatchPipeline<Batch: Sendable> {
  private let worker: Worker
  private let queue = DispatchQueue(label: "moclone.staging")
  private let free = DispatchSemaphore(value: 0)
  private var spare: [Batch]
  /// The batch that is filled now.
  private(set) var batch: Batch

  /// - Parameters:
  ///   - batches: all that there are, two or more.
  ///   - write: writes a batch and empties it, in the other thread.
  init(_ batches: [Batch], write: @escaping (Batch) throws -> Void) {
    worker = Worker(write)
    spare = Array(batches.dropFirst())
    batch = batches[0]
    for _ in spare { free.signal() }
  }

  deinit { queue.sync {} }

  /// Hands the batch over, and waits for an empty one.
  ///
  /// - Throws: what an earlier batch could not be written for.
  func handOver() throws {
    send()
    free.wait()
    try worker.check()
    batch = spare.removeFirst()
  }

  /// Waits until everything is written, or after a failure until nothing is done any longer.
  ///
  /// - Throws: what a batch could not be written for.
  func finish() throws {
    try handOver()
    queue.sync {}
    try worker.check()
  }

  /// Batches come back in the order in which they went.
  private func send() {
    spare.append(batch)
    queue.async { [worker, batch, free] in
      worker.take(batch)
      free.signal()
    }
  }

  /// The thread's side: it has what it writes to for itself while the other side only fills batches.
  private final class Worker: @unchecked Sendable {
    private let write: (Batch) throws -> Void
    private let failure = Locked<(any Error)?>(nil)

    init(_ write: @escaping (Batch) throws -> Void) {
      self.write = write
    }

    func take(_ batch: Batch) {
      guard failure.withLock({ $0 == nil }) else { return }
      do { try write(batch) } catch {
        failure.withLock { $0 = error }
      }
    }

    func check() throws {
      if let error = failure.withLock({ $0 }) { throw error }
    }
  }
}
