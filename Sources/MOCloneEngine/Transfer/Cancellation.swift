import Foundation
import MOCloneModel

/// Whether the work of a thread is to end: that of its task, or that of the task which waits for it.
package enum Cancellation {
  /// Asked where the thread runs no task itself.
  @TaskLocal private static var isAsked: (@Sendable () -> Bool)?

  /// Has what a body does end where it is asked for, also by whoever asked around it.
  package static func asking<Result>(
    _ isAsked: @escaping @Sendable () -> Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = Self.isAsked
    return try $isAsked.withValue({ isAsked() || outer?() == true }, operation: body)
  }

  package static var isCancelled: Bool { Task.isCancelled || isAsked?() == true }

  /// - Throws: `CancellationError`.
  package static func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Runs a body in a thread of its own, where the cancellation of the task that waits for it asks it to end.
  ///
  /// Waiting for a database in Swift's pool of threads would keep those who are waited for from going on.
  ///
  /// - Throws: what the body throws; `CancellationError`.
  package static func inThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let wasCancelled = Locked(false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          let result = Swift.Result {
            try Cancellation.asking({ wasCancelled.withLock { $0 } }) {
              try Cancellation.check()
              return try body()
            }
          }
          continuation.resume(with: result)
        }
      }
    } onCancel: {
      wasCancelled.withLock { $0 = true }
    }
  }
}
