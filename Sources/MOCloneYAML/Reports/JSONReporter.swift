import Foundation
import MOCloneModel

/// Prints findings for programs: `{"version": 1, "findings": [...], "summary": {...}}`.
package enum JSONReporter {
  package static func report(_ reports: [FileReport]) throws -> String {
    let report = Report(
      version: 1,
      findings: reports.flatMap { report in report.findings.map { Finding(report.path, diagnostic: $0) } },
      accepted: reports.flatMap { report in report.accepted.map { Accepted(report.path, accepted: $0) } },
      summary: Summary(ReportSummary(reports)))
    return try report.jsonText(isPretty: true) + "\n"
  }

  private struct Report: Encodable {
    var version: Int
    var findings: [Finding]
    var accepted: [Accepted]
    var summary: Summary
  }

  private struct Finding: Encodable {
    var path: String
    var subject: String
    var line, column, endLine, endColumn: Int?
    var code: String
    var category: DiagnosticCategory
    var severity: Severity
    var message: String
    var notes: [Note]
    var help: String?

    init(_ path: String, diagnostic: Diagnostic) {
      self.path = path
      subject = diagnostic.path.name
      line = diagnostic.range?.start.line
      column = diagnostic.range?.start.column
      endLine = diagnostic.range?.end.line
      endColumn = diagnostic.range?.end.column
      code = diagnostic.code.rawValue
      category = diagnostic.code.category
      severity = diagnostic.severity
      message = diagnostic.message.asSentence()
      notes = diagnostic.notes.map(Note.init)
      help = diagnostic.help
    }
  }

  private struct Note: Encodable {
    var message: String
    var line, column, endLine, endColumn: Int?

    init(_ note: Diagnostic.Note) {
      message = note.message
      line = note.range?.start.line
      column = note.range?.start.column
      endLine = note.range?.end.line
      endColumn = note.range?.end.column
    }
  }

  /// A finding that a comment or the baseline accepts.
  private struct Accepted: Encodable {
    var finding: Finding
    var by: String
    var reason: String?

    init(_ path: String, accepted: AcceptedFinding) {
      finding = Finding(path, diagnostic: accepted.finding)
      switch accepted.reason {
      case .comment(let text): (by, reason) = ("comment", text)
      case .baseline(let text): (by, reason) = ("baseline", text)
      }
    }
  }

  private struct Summary: Encodable {
    var files, errors, warnings, notes, allowed, baseline: Int

    init(_ summary: ReportSummary) {
      files = summary.files
      errors = summary.count(.error)
      warnings = summary.count(.warning)
      notes = summary.count(.note)
      (allowed, baseline) = (summary.allowed, summary.inBaseline)
    }
  }
}
