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

  /// What the first failure advises: the last part of its message, divided by semicolons, that says what to do.
  public var recoverySuggestion: String? {
    failures.first?.message.components(separatedBy: "; ").dropFirst().last { part in
      Self.advising.contains(String(part.prefix { $0.isLetter }))
    }
  }

  /// The words that advice begins with.
  private static let advising = Set(
    """
    add annotate ask call change check choose clone close compare compute connect copy correct create decide delete did \
    divide do double drop exclude expected fill find fix give grant identify import insert install keep leave let load look \
    make map merge move name open pass put raise reference remove rename return roll run set sync throw try use write
    """.split(separator: " ").map(String.init))
}
