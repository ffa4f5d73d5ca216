import Foundation
import MOCloneModel

/// Prints findings as SARIF 2.1.0, the format of code scanning services.
package enum SARIFReporter {
  /// - Parameters:
  ///   - root: the folder that paths are relative to.
  ///   - toolVersion: the version of the program that looked.
  ///   - isComplete: whether every file could be read.
  package static func report(
    _ reports: [FileReport], root: String, toolVersion: String, isComplete: Bool
  ) throws -> String {
    let found = reports.flatMap { report in
      report.findings.map { (report.path, $0, nil as AcceptedFinding.Reason?) }
        + report.accepted.map { (report.path, $0.finding, $0.reason) }
    }
    let codes = Set(found.map(\.1.code)).sorted { $0.rawValue < $1.rawValue }
    let rules = Dictionary(uniqueKeysWithValues: zip(codes, codes.indices))
    var fingerprints = Fingerprints()
    let results = found.map { path, finding, accepted in
      let file = SARIF.ArtifactLocation(RelativePath(of: path, from: root))
      return SARIF.Result(
        finding, in: file, rule: rules[finding.code]!,
        fingerprint: fingerprints.next(finding, file: file.uri),
        suppression: accepted.map(SARIF.Suppression.init))
    }
    let driver = SARIF.Driver(version: toolVersion, rules: codes.map(SARIF.Rule.init))
    let run = SARIF.Run(driver, results: results, isComplete: isComplete)
    return try SARIF(runs: [run]).jsonText(isPretty: true) + "\n"
  }
}
