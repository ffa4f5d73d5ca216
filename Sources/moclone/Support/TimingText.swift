import Foundation
import MOCloneKit

/// How long a clone took, for people.
struct TimingText {
  let timer: CloneTimer

  /// `closure 26 ms, write 771 ms, joins 189 ms, commit 201 ms; 23 statements`
  var text: String {
    let phases = CloneProgress.Phase.allCases.map {
      "\($0.rawValue) \(milliseconds(timer.duration(of: $0))) ms"
    }
    return phases.joined(separator: ", ") + "; \(timer.statements) statements"
  }

  private func milliseconds(_ duration: Duration) -> String {
    let (seconds, fraction) = duration.components
    return String(format: "%.1f", Double(seconds) * 1000 + Double(fraction) / 1e15)
  }
}
