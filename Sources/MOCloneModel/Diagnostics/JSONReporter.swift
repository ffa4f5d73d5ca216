import Foundation

/// Prints findings for programs: `{"version": 1, "findings": [...]}`.
public enum JSONReporter {
  /// - Parameter reports: the findings of each file, with its path.
  public static func report(_ reports: [(path: String, diagnostics: [Diagnostic])]) throws -> String {
    let findings = reports.flatMap { report in report.diagnostics.map { Finding(report.path, $0) } }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(Report(version: 1, findings: findings)), as: UTF8.self)
  }

  private struct Report: Encodable {
    var version: Int
    var findings: [Finding]
  }

  private struct Finding: Encodable {
    var path: String
    var subject: String
    var line, column, endLine, endColumn: Int?
    var code: String
    var severity: Severity
    var message: String
    var notes: [Note]
    var help: String?

    init(_ path: String, _ diagnostic: Diagnostic) {
      self.path = path
      subject = diagnostic.path.name
      line = diagnostic.range?.start.line
      column = diagnostic.range?.start.column
      endLine = diagnostic.range?.end.line
      endColumn = diagnostic.range?.end.column
      code = diagnostic.code.rawValue
      severity = diagnostic.severity
      message = diagnostic.message
      notes = diagnostic.notes.map(Note.init)
      help = diagnostic.help
    }
  }

  private struct Note: Encodable {
    var message: String
    var line, column: Int?

    init(_ note: Diagnostic.Note) {
      message = note.message
      line = note.range?.start.line
      column = note.range?.start.column
    }
  }
}
