/// Whether the work of a thread is to end: that of its task, or that of the task which waits for it.
package enum Cancellation {
  /// Asked where the thread runs no task itself.
  @TaskLocal package static var isAsked: (@Sendable () -> Bool)?

  package static var isCancelled: Bool { Task.isCancelled || isAsked?() == true }

  /// - Throws: `CancellationError`.
  package static func check() throws {
    if isCancelled { throw CancellationError() }
  }
}
