import Foundation

/// What an app shows: how many errors there are, and the first one.
extension ModelError: LocalizedError {
  private var first: Diagnostic? { diagnostics.first { $0.severity == .error } ?? diagnostics.first }

  /// The number of errors and the first one's message.
  public var errorDescription: String? {
    let errors = diagnostics.filter { $0.severity == .error }.count
    let name = source.map { "'\($0.path)'" } ?? "The model"
    let count = "\(name) has \(errors) \(errors == 1 ? "error" : "errors")"
    return first.map { "\(count): \($0.message)" } ?? "\(count)."
  }

  /// The place and message of the first error, or of the first finding where none is an error.
  public var failureReason: String? {
    guard let first else { return nil }
    let place = first.range.map { "\($0.start.line):\($0.start.column): " } ?? ""
    return place + first.message
  }

  /// What to do about the first error; nil where the finding has no help.
  public var recoverySuggestion: String? { first?.help }
}
