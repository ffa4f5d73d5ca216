import GRDB
import MOCloneEngine
import MOCloneModel

extension SQLiteGraph {
  /// Runs a closure on a graph of its own in a thread of its own: the async form of everything that a graph does.
  ///
  /// ```swift
  /// let report = try await SQLiteGraph.perform(on: dbPool, model: .notes) { graph in
  ///   try graph.importFile(at: url, mapping: mapping)
  /// }
  /// ```
  ///
  /// Where the task around it is cancelled, an operation ends at its next step and leaves nothing; one that waits for a lock
  /// ends with the wait, which the writer's `busyMode` limits. No thread of Swift's pool waits meanwhile.
  ///
  /// - Throws: what the closure throws; `CancellationError`.
  public static func perform<Result: Sendable>(
    on writer: any DatabaseWriter, model: ObjectModel,
    _ body: @escaping @Sendable (SQLiteGraph) throws -> Result
  ) async throws -> Result {
    // No statement is interrupted: the writer may be running one of somebody else's.
    try await Cancellation.inThread { try body(SQLiteGraph(writer, model: model)) }
  }
}
