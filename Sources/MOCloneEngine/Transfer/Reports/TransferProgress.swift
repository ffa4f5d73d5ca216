/// How far an operation that moves data is: the objects so far, by entity.
public struct TransferProgress: Sendable, Equatable {
  /// What the objects were so far.
  public enum Phase: String, Sendable, CaseIterable {
    /// Read from a file.
    case reading
    /// Looked at, to find what is the same.
    case finding
    /// Written, or found to need no writing.
    case writing
  }

  /// What the objects were so far.
  public var phase: Phase
  /// The objects so far in this phase, by entity.
  public var objects: [String: Int]
  /// How many there will be in this phase, where that is known.
  public var total: Int?

  /// Creates a report of progress; every parameter has the default of a run that begins.
  public init(_ phase: Phase = .reading, objects: [String: Int] = [:], total: Int? = nil) {
    self.phase = phase
    self.objects = objects
    self.total = total
  }

  /// The objects of all entities.
  public var count: Int { objects.values.reduce(0, +) }

  /// How much of a run is behind it: its phases are equal parts, of which one without a total counts when it is over.
  var portion: Double {
    let phases = Phase.allCases
    let part = total.map { min(Double(count) / Double(max($0, 1)), 1) } ?? 0
    return (Double(phases.firstIndex(of: phase)!) + part) / Double(phases.count)
  }
}
