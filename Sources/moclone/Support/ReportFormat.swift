import ArgumentParser
import Foundation
import MOCloneKit

/// How findings are written.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json, github, sarif

  /// GitHub's own inside its workflows, else text.
  static var automatic: ReportFormat {
    ProcessInfo.processInfo.environment["GITHUB_ACTIONS"] == "true" ? .github : .text
  }

  /// More than this nobody reads one by one, so each kind is shown a few times at length.
  private static let longReport = 100
  private static let detailed = 10

  func text(_ reports: [FileReport], isComplete: Bool, hasColour: Bool) throws -> String {
    switch self {
    case .text:
      let count = reports.reduce(0) { $0 + $1.findings.count }
      let detailed = count > Self.longReport ? Self.detailed : .max
      return reports.map {
        TextReporter($0.source, path: $0.path, hasColour: hasColour, detailed: detailed).report($0.findings)
      }.joined()
    case .json: return try JSONReporter.report(reports)
    case .github: return GitHubReporter(root: Self.root).report(reports)
    case .sarif:
      return try SARIFReporter(root: Self.root, toolVersion: MOClone.configuration.version)
        .report(reports, isComplete: isComplete)
    }
  }

  /// The folder that a service takes paths from: the workflow's workspace where this run is in it, else this one.
  private static var root: String {
    let here = FileManager.default.currentDirectoryPath
    guard let workspace = ProcessInfo.processInfo.environment["GITHUB_WORKSPACE"], !workspace.isEmpty,
      (here + "/").hasPrefix(workspace.hasSuffix("/") ? workspace : workspace + "/")
    else { return here }
    return workspace
  }
}
