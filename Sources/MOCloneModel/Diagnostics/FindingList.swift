/// Gathers the findings of one reading or validation.
///
/// Suggestions are limited by the names compared, so that a large and wholly misspelt model is still read at once.
package final class FindingList {
  /// More than anybody reads; a file of 8 MB could give hundreds of thousands.
  package static let most = 10_000

  package private(set) var diagnostics: [Diagnostic] = []
  private var comparisonsLeft = 100_000
  package private(set) var isCut = false

  package init() {}

  package var isFull: Bool { diagnostics.count >= Self.most }

  package func add(_ diagnostic: @autoclosure () -> Diagnostic) {
    if isFull { isCut = true } else { diagnostics.append(diagnostic()) }
  }

  package func add(_ more: [Diagnostic]) {
    isCut = isCut || diagnostics.count + more.count > Self.most
    diagnostics += more.prefix(Self.most - diagnostics.count)
  }

  /// The name that was probably meant.
  package func nearest(to name: String, in names: [String]) -> String? {
    guard names.count <= comparisonsLeft else { return nil }
    comparisonsLeft -= names.count
    return nearestName(to: name, in: names)
  }
}

/// The sentence that proposes a name, or nothing.
package func didYouMean(_ name: String?) -> String? {
  name.map { "did you mean '\($0)'?" }
}
