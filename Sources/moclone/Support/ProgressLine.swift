import Foundation
import MOCloneKit
import Synchronization

/// How far a long run is, on one line of the terminal that is written anew.
final class ProgressLine: Sendable {
  private let state = Mutex<(start: ContinuousClock.Instant, shown: ContinuousClock.Instant, isThere: Bool)>(
    (.now, .now, false))

  /// Nil where standard error is no terminal.
  static func onTerminal() -> ProgressLine? {
    isatty(STDERR_FILENO) == 1 ? ProgressLine() : nil
  }

  /// Shows what a run reports, twice a second at most.
  func show(_ progress: CloneProgress) {
    state.withLock { state in
      let now = ContinuousClock.now
      guard now - state.shown > .milliseconds(500) else { return }
      state.shown = now
      state.isThere = true
      Console.errors.write("\r\u{1B}[K" + Self.text(progress, after: now - state.start))
    }
  }

  /// Takes the line away again.
  func clear() {
    state.withLock { state in
      if state.isThere { Console.errors.write("\r\u{1B}[K") }
      state.isThere = false
    }
  }

  /// `writing: 400,000 objects, 650,000 a second`
  static func text(_ progress: CloneProgress, after time: Duration) -> String {
    let seconds = max(Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18, 0.001)
    let rate = Int(Double(progress.objects) / seconds)
    let phase =
      switch progress.phase {
      case .closure: "looking for what belongs to it"
      case .write: "writing"
      case .joins: "linking"
      case .commit: "committing"
      }
    return "\(phase): \(grouped(progress.objects)) objects, \(grouped(rate)) a second"
  }

  private static func grouped(_ number: Int) -> String {
    let digits = String(number)
    let parts = stride(from: digits.count, to: 0, by: -3).map { end in
      String(digits.dropLast(digits.count - end).suffix(3))
    }
    return parts.reversed().joined(separator: ",")
  }
}
