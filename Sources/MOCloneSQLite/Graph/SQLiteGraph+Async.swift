import GRDB
import MOCloneEngine
import MOCloneModel

extension SQLiteGraph {
  /// Runs a closure on a graph of its own in a task of its own: the async form of everything that a graph does.
  ///
  /// ```swift
  /// let report = try await SQLiteGraph.perform(on: dbPool, model: .notes) { graph in
  ///   try graph.importFile(at: url, mapping: mapping)
  /// }
  /// ```
  ///
  /// Where the task around it is cancelled, an operation ends at its next step and leaves nothing. The closure takes a
  /// thread of Swift's pool for as long as it runs.
  ///
  /// - Throws: what the closure throws; `CancellationError`.
  public static func perform<Result: Sendable>(
    on writer: any DatabaseWriter, model: ObjectModel,
    _ body: @escaping @Sendable (SQLiteGraph) throws -> Result
  ) async throws -> Result {
    let task = Task.detached(priority: Task.currentPriority) {
      try Task.checkCancellation()
      return try body(SQLiteGraph(writer, model: model))
    }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      // No statement is interrupted: the writer may be running one of somebody else's.
      task.cancel()
    }
  }
}
