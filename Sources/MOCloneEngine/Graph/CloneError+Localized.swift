import Foundation

/// What an app shows: what happened, where, and what to do.
extension CloneError: LocalizedError {
  /// The messages of all failures, one a line.
  public var errorDescription: String? {
    failures.isEmpty ? nil : failures.map(\.message).joined(separator: "\n")
  }

  /// The object or property that the first failure is about, and its code.
  public var failureReason: String? {
    guard let first = failures.first else { return nil }
    let owner = first.object.map { "\($0)" } ?? first.entity
    let place = [owner, first.property.map { "'\($0)'" }].compactMap { $0 }.joined(separator: ", ")
    return place.isEmpty ? "Code '\(first.code.rawValue)'." : "\(place): code '\(first.code.rawValue)'."
  }

  /// What the first failure says to do.
  public var recoverySuggestion: String? { failures.first?.help }
}
