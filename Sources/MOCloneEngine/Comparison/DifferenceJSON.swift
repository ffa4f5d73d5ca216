import Foundation

extension CloneDifference {
  /// The changes of several models for programs: `{"version": 1, "breaking": true, "changes": [...], "accepted": [...]}`.
  ///
  /// - Parameter parts: of each model its file, its changes, and those that are accepted with their reasons.
  package static func json(
    _ parts: [(model: String, difference: CloneDifference, accepted: [(change: Change, reason: String)])]
  ) throws -> String {
    let report = Report(
      breaking: parts.contains(where: \.difference.isBreaking),
      changes: parts.flatMap { part in part.difference.changes.map { Entry($0, of: part.model) } },
      accepted: parts.flatMap { part in
        part.accepted.map { Entry($0.change, of: part.model, reason: $0.reason) }
      })
    return try report.jsonText(isPretty: true) + "\n"
  }

  private struct Report: Encodable {
    var version = 1
    var breaking: Bool
    var changes: [Entry]
    var accepted: [Entry]
  }

  private struct Entry: Encodable {
    var model: String
    var kind: Kind
    var breaking: Bool
    var subject: String
    var before: String
    var after: String
    var roots: [Root]

    var reason: String?

    init(_ change: Change, of model: String, reason: String? = nil) {
      self.model = model
      self.reason = reason
      kind = change.kind
      breaking = change.isBreaking
      subject = change.subject
      before = change.before
      after = change.after
      roots = change.roots
    }
  }
}
