import ArgumentParser
import Foundation
import MOCloneKit
import MOCloneSimulation

/// How findings are written.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json, github, gitlab, sarif, junit, checkstyle, mermaid

  /// The formats of findings in words, for help.
  static let list =
    allCases.dropLast(2).map(\.rawValue).joined(separator: ", ") + " or \(checkstyle.rawValue)"

  /// GitHub's own inside its workflows, else text.
  static var automatic: ReportFormat {
    ProcessInfo.processInfo.environment["GITHUB_ACTIONS"] == "true" ? .github : .text
  }

  /// More than this nobody reads one by one, so each kind is shown a few times at length.
  private static let longReport = 100
  private static let detailed = 10

  /// - Parameters:
  ///   - fails: whether findings of a severity fail the run.
  ///   - violations: what a simulation saw, told in a text and drawn in Mermaid.
  func text(
    _ reports: [FileReport], isComplete: Bool, hasColour: Bool, violations: [Violation] = [],
    fails: @escaping (Severity) -> Bool
  ) throws -> String {
    switch self {
    case .text:
      let count = reports.reduce(0) { $0 + $1.findings.count }
      let detailed = count > Self.longReport ? Self.detailed : .max
      return reports.map {
        TextReporter($0.source, path: $0.path, hasColour: hasColour, detailed: detailed).report($0.findings)
      }.joined() + violations.map { "\n\($0.story)" }.joined()
    case .mermaid: return violations.map(\.mermaid).joined(separator: "\n")
    case .json: return try JSONReporter.report(reports)
    case .github: return GitHubReporter.report(reports, root: Self.root)
    case .sarif:
      return try SARIFReporter.report(
        reports, root: Self.root, toolVersion: MOClone.configuration.version, isComplete: isComplete)
    case .gitlab: return try GitLabReporter.report(reports, root: Self.root)
    case .junit: return JUnitReporter(root: Self.root, fails: fails).report(reports)
    case .checkstyle: return CheckstyleReporter.report(reports, root: Self.root)
    }
  }

  /// The folder that a service takes paths from: the workspace of its job where this run is in it, else this one.
  static var root: String {
    let here = FileManager.default.currentDirectoryPath
    let environment = ProcessInfo.processInfo.environment
    let workspaces = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].compactMap { environment[$0] }
    return workspaces.first { !$0.isEmpty && (here + "/").hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
      ?? here
  }
}
