import Foundation
import MOCloneKit

/// How far a long run is, on one line of the terminal that is written anew.
final class ProgressLine: Sendable {
  private struct State {
    /// When the phase under way began.
    var start = ContinuousClock.now
    var phase: String?
    var shown = ContinuousClock.now
    var isShown = false
  }

  private let state = Locked(State())

  /// Nil where standard error is not a terminal that rewrites lines, and with --quiet.
  static func onTerminal() -> ProgressLine? {
    Console.showsProgress ? ProgressLine() : nil
  }

  /// Shows what a run reports, twice a second at most.
  func show(_ progress: CloneProgress) {
    show { Self.text(progress, after: $0) }
  }

  /// - Parameter phase: what has a rate of its own.
  private func show(phase: String? = nil, _ text: (Duration) -> String) {
    state.withLock { state in
      let now = ContinuousClock.now
      if state.phase != phase { (state.phase, state.start) = (phase, now) }
      guard now - state.shown > .milliseconds(500) else { return }
      state.shown = now
      state.isShown = true
      Console.errors.write("\r\u{1B}[K" + text(now - state.start))
    }
  }

  /// Shows what a run that moves data reports, twice a second at most.
  func show(_ progress: TransferProgress) {
    show(phase: progress.phase.rawValue) { Self.text(progress, after: $0) }
  }

  /// Takes the line away again.
  func clear() {
    state.withLock { state in
      if state.isShown { Console.errors.write("\r\u{1B}[K") }
      state.isShown = false
    }
  }

  /// `Writing objects: 400,000 (650,000/s)`
  static func text(_ progress: CloneProgress, after time: Duration) -> String {
    let rate = Int(Double(progress.objects) / seconds(time))
    let phase =
      switch progress.phase {
      case .closure: "Collecting objects"
      case .write: "Writing objects"
      case .joins: "Linking objects"
      case .commit: "Committing"
      }
    return "\(phase): \(grouped(progress.objects)) (\(grouped(rate))/s)"
  }

  /// `Writing: Item 400,000, Note 1,000 (650,000/s, 3 s left)`
  static func text(_ progress: TransferProgress, after time: Duration) -> String {
    let counts = progress.objects.sorted { $0.key < $1.key }.filter { $0.value > 0 }
      .map { "\($0.key) \(grouped($0.value))" }.joined(separator: ", ")
    let rate = Double(progress.count) / seconds(time)
    let phase = progress.phase.rawValue.upperFirst
    guard !counts.isEmpty else { return phase }
    var speed = "\(grouped(Int(rate)))/s"
    if let total = progress.total, rate > 0 {
      speed += ", \(grouped(Int(Double(max(total - progress.count, 0)) / rate))) s left"
    }
    return "\(phase): \(counts) (\(speed))"
  }

  private static func seconds(_ time: Duration) -> Double {
    max(Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18, 0.001)
  }

  private static func grouped(_ number: Int) -> String {
    let digits = String(number)
    let parts = stride(from: digits.count, to: 0, by: -3).map { end in
      String(digits.dropLast(digits.count - end).suffix(3))
    }
    return parts.reversed().joined(separator: ",")
  }
}
