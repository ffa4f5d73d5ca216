import MOCloneModel

/// Prints findings as commands of a GitHub workflow, which shows them beside the lines of a pull request.
///
/// ```text
/// ::error file=Models/Notes.yml,line=14,endLine=14,col=9,endColumn=13,title=unknown-key::the entity ...
/// ```
package enum GitHubReporter {
  /// - Parameter root: the folder that paths are relative to; the workspace of the workflow.
  package static func report(_ reports: [FileReport], root: String) -> String {
    reports.flatMap { report in
      let file = RelativePath.shown(report.path, from: root)
      return report.findings.map { command($0, file: file) }
    }.joined()
  }

  private static func command(_ finding: Diagnostic, file: String) -> String {
    let properties = [("file", file)] + place(finding.range) + [("title", finding.code.rawValue)]
    let values = properties.map { "\($0)=\(escaped($1, also: [":": "%3A", ",": "%2C"]))" }
    return
      "::\(finding.severity.command) \(values.joined(separator: ","))::\(escaped(text(finding, file: file)))\n"
  }

  /// GitHub counts the last column in, and takes columns on one line only.
  private static func place(_ range: SourceRange?) -> [(String, String)] {
    guard let range else { return [] }
    let lines = [("line", "\(range.start.line)"), ("endLine", "\(range.end.line)")]
    guard range.start.line == range.end.line else { return lines }
    let last = max(range.start.column, range.end.column - 1)
    return lines + [("col", "\(range.start.column)"), ("endColumn", "\(last)")]
  }

  private static func text(_ finding: Diagnostic, file: String) -> String {
    let notes = finding.notes.map { note in
      let place = note.range.map { "\(file):\($0.start.line):\($0.start.column): " } ?? ""
      return "\(place)note: \(note.message)"
    }
    let lines = ([finding.message.asSentence()] + notes + (finding.help.map { ["help: \($0)"] } ?? []))
    return lines.joined(separator: "\n")
  }

  /// By code points: a CR and LF are one letter, and both must go.
  private static func escaped(_ text: String, also more: [Unicode.Scalar: String] = [:]) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "%": "%25"
      case "\r": "%0D"
      case "\n": "%0A"
      default: more[scalar] ?? (scalar.isUnprintable ? "\u{FFFD}" : String(scalar))
      }
    }.joined()
  }
}

extension Severity {
  fileprivate var command: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .note: "notice"
    }
  }
}
