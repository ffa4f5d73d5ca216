import MOCloneModel

/// Adds up how long the phases of runs take, and how many statements they are, for `moclone clone --timing`.
package final class CloneTimer: Sendable {
  private let state = Locked<(durations: [CloneProgress.Phase: Duration], statements: Int)>(([:], 0))

  package init() {}

  /// Zero for a phase that no run came to.
  package func duration(of phase: CloneProgress.Phase) -> Duration {
    state.withLock { $0.durations[phase] ?? .zero }
  }

  /// The statements of all runs; 0 in memory.
  package var statements: Int { state.withLock { $0.statements } }

  /// Runs a part of a phase on the clock.
  package func measure<T>(_ phase: CloneProgress.Phase, _ body: () throws -> T) rethrows -> T {
    let start = ContinuousClock.now
    defer { add(ContinuousClock.now - start, to: phase) }
    return try body()
  }

  package func add(_ duration: Duration, to phase: CloneProgress.Phase) {
    state.withLock { $0.durations[phase, default: .zero] += duration }
  }

  package func count(_ statements: Int) {
    state.withLock { $0.statements += statements }
  }
}
