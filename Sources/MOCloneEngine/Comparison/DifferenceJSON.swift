import Foundation

extension CloneDifference {
  /// The changes for programs: `{"version": 1, "breaking": true, "changes": [...]}`.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let report = Report(breaking: isBreaking, changes: changes.map(Entry.init))
    return String(decoding: try encoder.encode(report), as: UTF8.self) + "\n"
  }

  private struct Report: Encodable {
    var version = 1
    var breaking: Bool
    var changes: [Entry]
  }

  private struct Entry: Encodable {
    var kind: Kind
    var breaking: Bool
    var subject: String
    var before: String
    var after: String
    var roots: [Root]

    init(_ change: Change) {
      kind = change.kind
      breaking = change.isBreaking
      subject = change.subject
      before = change.before
      after = change.after
      roots = change.roots
    }
  }
}
