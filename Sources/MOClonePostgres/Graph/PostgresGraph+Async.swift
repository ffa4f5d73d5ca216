import MOCloneEngine
import MOCloneModel

extension PostgresGraph {
  /// Runs a closure on a graph of its own in a thread of its own: the async form of everything that a graph does.
  ///
  /// ```swift
  /// let copies = try await PostgresGraph.perform(at: location, model: .notes) { graph in
  ///   try Cloner().clone("Note", keys: [42], in: graph).roots
  /// }
  /// ```
  ///
  /// The graph has a connection of its own, which ends with the closure. Where the task around it is cancelled, the
  /// statement that runs is ended on the server, also one that waits for a lock, and an operation leaves nothing. No
  /// thread of Swift's pool waits meanwhile.
  ///
  /// - Parameters:
  ///   - location: where the database is.
  ///   - model: the model of its tables.
  ///   - isReadOnly: has the server refuse every write.
  ///   - body: what uses the graph.
  /// - Throws: `CloneError` (`store-failed`, `store-busy`); what the closure throws; `CancellationError`.
  public static func perform<Result: Sendable>(
    at location: PostgresLocation, model: ObjectModel, isReadOnly: Bool = false,
    _ body: @escaping @Sendable (PostgresGraph) throws -> Result
  ) async throws -> Result {
    try await Cancellation.inThread {
      try body(PostgresGraph(location, model: model, isReadOnly: isReadOnly))
    }
  }
}
