import ArgumentParser
import MOCloneKit

/// The lowest severity that fails a run.
enum FailOn: String, ExpressibleByArgument, CaseIterable {
  case error, warning, note, never

  func includes(_ severity: Severity) -> Bool {
    Severity(rawValue: rawValue).map { severity >= $0 } ?? false
  }
}
