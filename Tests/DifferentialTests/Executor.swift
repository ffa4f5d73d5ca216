import MOCloneKit

/// What is held against the reference cloner, or against the other one.
enum Executor: String, CaseIterable, Codable {
  case memory, sqlite

  /// Makes an empty graph.
  var make: @Sendable (ObjectModel) throws -> any ObjectGraph {
    switch self {
    case .memory: { MemoryGraph(model: $0) }
    case .sqlite: { try SQLiteGraph.temporary($0) }
    }
  }
}
