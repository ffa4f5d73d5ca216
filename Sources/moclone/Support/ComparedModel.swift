import Foundation
import MOCloneKit

/// A model before and after a change, and what is otherwise in its clones.
struct ComparedModel {
  let path: String
  /// The changes that are to be reported, and those that somebody accepted.
  var report: FileReport
  private let difference: CloneDifference
  private let changes: [Key: CloneDifference.Change]

  private struct Key: Hashable {
    var code: DiagnosticCode
    var message: String

    init(_ finding: Diagnostic) {
      (code, message) = (finding.code, finding.message)
    }
  }

  /// - Throws: `ModelError` where one of the models cannot be used.
  init(old: ModelFile, new: ModelFile) throws {
    // Both reports are shown, the old model's first.
    let (before, after) = (old.parsed(), new.parsed())
    if before.model == nil, after.model == nil {
      let report = TextReporter(old.source, hasColour: Console.errors.hasColour).report(before.diagnostics)
      Console.errors.write(report)
    }
    guard let newModel = after.model else {
      throw ModelError(diagnostics: after.diagnostics, source: new.source)
    }
    guard let oldModel = before.model else {
      throw ModelError(diagnostics: before.diagnostics, source: old.source)
    }
    path = new.source.path
    difference = CloneDifference(from: oldModel, to: newModel)
    let findings = difference.findings(from: oldModel, to: newModel, hasComments: !new.isXcode)
    changes = Dictionary(findings.map { (Key($0.diagnostic), $0.change) }) { first, _ in first }
    report = FileReport(
      new.source, parsed: after, hasComments: !new.isXcode, differences: findings.map(\.diagnostic))
    report.acceptChanges()
  }

  /// The difference without what is accepted or turned off.
  var reported: CloneDifference {
    let left = Set(report.findings.map(Key.init))
    let kept = changes.filter { left.contains($0.key) }.values
    return difference.filter { change in kept.contains(change) }
  }

  var accepted: [(change: CloneDifference.Change, reason: String)] {
    report.accepted.compactMap { accepted in
      changes[Key(accepted.finding)].map { ($0, accepted.reason.text) }
    }
  }
}
