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
}
