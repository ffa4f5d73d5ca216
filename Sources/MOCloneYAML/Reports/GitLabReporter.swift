import Foundation
import MOCloneModel

/// Prints findings as GitLab's code quality report, which shows them in merge requests.
package enum GitLabReporter {
  /// - Parameter root: the folder that paths are relative to: the project's.
  package static func report(_ reports: [FileReport], root: String) throws -> String {
    var fingerprints = Fingerprints()
    let issues = reports.flatMap { report in
      let file = RelativePath.shown(report.path, from: root)
      return report.findings.map { Issue($0, file: file, fingerprint: fingerprints.next($0, file: file)) }
    }
    return try issues.jsonText(isPretty: true) + "\n"
  }

  private struct Issue: Encodable {
    var description: String
    var checkName: String
    var fingerprint: String
    var severity: String
    var location: Location

    enum CodingKeys: String, CodingKey {
      case description, fingerprint, severity, location
      case checkName = "check_name"
    }

    init(_ finding: Diagnostic, file: String, fingerprint: String) {
      description = finding.sentences
      checkName = finding.code.rawValue
      self.fingerprint = fingerprint
      severity = finding.severity.ofGitLab
      // A line is required, also where the whole file is meant.
      let (first, last) = (finding.range?.start.line ?? 1, finding.range?.end.line ?? 1)
      location = Location(path: file, lines: ["begin": first, "end": last])
    }
  }

  private struct Location: Encodable {
    var path: String
    var lines: [String: Int]
  }
}

extension Severity {
  fileprivate var ofGitLab: String {
    switch self {
    case .error: "major"
    case .warning: "minor"
    case .note: "info"
    }
  }
}
