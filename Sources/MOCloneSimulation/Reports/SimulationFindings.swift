import MOCloneModel

/// What a simulation says in a report of findings.
///
/// A finding that reasoning about the model gave already is not said twice: seen to happen, it becomes an error.
public struct SimulationFindings: Sendable {
  /// The violations with the findings that report them, in the order of the model.
  public private(set) var examples: [Example]
  private let findings: [Diagnostic]

  /// A violation and the finding that reports it.
  public struct Example: Sendable {
    /// What was seen.
    public var violation: Violation
    var code: DiagnosticCode
    var path: ModelPath

    /// Whether a finding is the one that reports the violation.
    public func isReported(by finding: Diagnostic) -> Bool {
      finding.code == code && finding.path == path
    }
  }

  /// The findings that a simulation gives by itself.
  ///
  /// - Parameters:
  ///   - outcome: what the simulation has found.
  ///   - keys: how the model spells the annotations.
  ///   - hasNotes: whether each finding tells its example in a note, for formats without stories.
  public init(_ outcome: Simulation.Outcome, keys: AnnotationKeys, hasNotes: Bool) {
    examples = outcome.violations.map { Example(violation: $0, code: $0.code, path: $0.path) }
    findings = outcome.violations.map { $0.finding(keys, hasNote: hasNotes) }
  }

  /// What a model's own findings are given with.
  public var all: [Diagnostic] { findings }

  /// The findings of a report, where those of the simulation that another one explains are left to that one.
  public mutating func merged(into report: [Diagnostic]) -> [Diagnostic] {
    var report = report
    for i in examples.indices {
      let violation = examples[i].violation
      guard let known = report.firstIndex(where: { violation.isExplained(by: $0) }) else { continue }
      report[known].severity = .error
      (examples[i].code, examples[i].path) = (report[known].code, report[known].path)
      report.removeAll {
        $0.code == violation.code && $0.path == violation.path && $0.message == violation.message
      }
    }
    return report
  }
}

extension Violation {
  /// Whether a finding about the model alone says why a clone does this.
  fileprivate func isExplained(by finding: Diagnostic) -> Bool {
    guard finding.message != message, Self.reasons[code]?.contains(finding.code) == true else { return false }
    let places = [finding.path] + finding.notes.map(\.path)
    return places.contains { $0.components.starts(with: path.components) }
  }

  private static let reasons: [DiagnosticCode: Set<DiagnosticCode>] = [
    .uniqueValue: [.uniqueCopied],
    .notRepeatable: [.uniqueCopied],
    .joinsOtherAggregate: [.joinsOtherAggregate],
    .requiredLeftEmpty: [.requiredRelationshipExcluded, .linkLeavesOut],
    .missingAncestor: [.followWithoutFallback],
  ]

  fileprivate func finding(_ keys: AnnotationKeys, hasNote: Bool) -> Diagnostic {
    Diagnostic(
      code, .error, at: path, message,
      notes: hasNote ? [Diagnostic.Note("in a random graph: \(event)", at: path)] : [], help: help(keys))
  }

  private func help(_ keys: AnnotationKeys) -> String {
    switch kind {
    case .joinsAggregate:
      "add 'userInfo: {\(keys.exclude): \"\"}' to '\(path.name)', or 'userInfo: {onClone: clone}' if that is meant"
    case .refused: "`moclone explain \(code.rawValue)` says what a clone needs"
    case .constraintBroken: "clone what the constraint asks for, or relax the constraint at '\(path.name)'"
    case .notRepeatable:
      "each clone needs its own unique values: rebuild them, or exclude them without a default"
    case .originalChanged, .openReference, .wrongCount:
      "no model should make this happen, so it is a fault of moclone: report it with the model and the seed"
    }
  }
}
