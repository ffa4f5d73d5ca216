/// Gathers the findings of one reading or validation.
///
/// Suggestions are limited by the names compared, so that a large and wholly misspelt model is still read at once.
final class FindingList {
  private(set) var diagnostics: [Diagnostic] = []
  private var comparisonsLeft = 100_000

  func add(_ diagnostic: Diagnostic) {
    diagnostics.append(diagnostic)
  }

  func add(_ more: [Diagnostic]) {
    diagnostics += more
  }

  /// The name that was probably meant.
  func nearest(to name: String, in names: [String]) -> String? {
    guard names.count <= comparisonsLeft else { return nil }
    comparisonsLeft -= names.count
    return nearestName(to: name, in: names)
  }
}

/// The sentence that proposes a name, or nothing.
func didYouMean(_ name: String?) -> String? {
  name.map { "did you mean '\($0)'?" }
}
