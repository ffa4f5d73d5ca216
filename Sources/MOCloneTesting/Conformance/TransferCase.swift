import MOCloneEngine
import MOCloneModel

/// One behaviour that every pair of stores must show as objects come from the one into the other.
public struct TransferCase: Sendable, CustomStringConvertible {
  /// The behaviour and the shape it is shown on.
  public let name: String
  /// Why a part of it is left out where one of the two graphs is in memory.
  package let memoryException: String?
  /// The same where both are.
  private let exceptionWithinMemory: String?
  private let body: @Sendable (GraphPair, Findings) throws -> Void

  /// - Parameters:
  ///   - crossing: why a part is left out where objects come into memory from elsewhere.
  ///   - exception: why it is left out wherever a graph is in memory.
  init(
    _ name: String, exceptIntoMemory crossing: String? = nil, exceptInMemory exception: String? = nil,
    body: @escaping @Sendable (GraphPair, Findings) throws -> Void
  ) {
    self.name = name
    memoryException = crossing ?? exception
    exceptionWithinMemory = exception
    self.body = body
  }

  /// - Parameters:
  ///   - source: makes the graphs that objects come from.
  ///   - target: makes those that they come into.
  /// - Returns: what was wrong, a line each.
  public func run(from source: @escaping GraphMaker, into target: @escaping GraphMaker) throws -> [String] {
    let findings = Findings(memoryException: memoryException)
    try body(GraphPair(source: source, target: target), findings)
    return findings.failures
  }

  /// The same between two graphs of one kind.
  var withinOneKind: ConformanceCase {
    let body = body
    return ConformanceCase(name, exceptInMemory: exceptionWithinMemory) { make, found in
      try withoutActuallyEscaping(make) { try body(GraphPair(source: $0, target: $0), found) }
    }
  }

  public var description: String { name }
}

/// Makes the graphs that objects come from, and those that they come into.
struct GraphPair {
  let source: GraphMaker
  let target: GraphMaker

  /// A graph of each kind, empty but for what the first one is filled with.
  func pair(
    _ model: ObjectModel, filling fill: (any ObjectGraph) throws -> Void = { _ in }
  ) throws -> (source: any ObjectGraph, target: any ObjectGraph) {
    let graphs = (source: try source(model), target: try target(model))
    try fill(graphs.source)
    return graphs
  }
}
