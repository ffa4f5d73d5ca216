import MOCloneModel

/// What was found in one file, and what of it is accepted.
package struct FileReport: Sendable {
  /// The file as reports name it.
  package let path: String
  /// Nil where the file could not be read.
  package let source: SourceFile?
  /// In the order of the file.
  package internal(set) var findings: [Diagnostic]
  package internal(set) var accepted: [AcceptedFinding] = []
  /// The entities whose clones were not checked, because errors leave open what they are; nil stands for all.
  package private(set) var unchecked: [String]? = []
  /// The entities for which a store was not checked, because errors leave open what they are; nil stands for all.
  package var withoutStore: [String]? = []
  private var suppressions = SuppressionList()

  package init(path: String, source: SourceFile?, findings: [Diagnostic]) {
    self.path = path
    self.source = source
    self.findings = findings
  }

  /// Reads and validates a model's text.
  ///
  /// - Parameter more: further findings about the model, such as a database gives.
  package init(_ source: SourceFile, more: (ParsedModel) -> [Diagnostic] = { _ in [] }) {
    self.init(source, parsed: ModelParser.parse(source), more: more)
  }

  /// Reports what reading and validating a model's text found.
  ///
  /// - Parameters:
  ///   - hasComments: whether comments in the text can accept findings.
  ///   - more: further findings about the model.
  package init(
    _ source: SourceFile, parsed: ParsedModel, hasComments: Bool = true, more: (ParsedModel) -> [Diagnostic]
  ) {
    let parsed = parsed.withTriedAdvice
    self.init(
      path: source.path, source: source,
      findings: (parsed.diagnostics + parsed.locate(more(parsed))).sortedByPlace())
    unchecked = parsed.unchecked
    // Where a file could not be read to its end, its comments are not known.
    if hasComments, parsed.root != nil { readComments() }
  }

  /// Reports what is otherwise in a model than in an earlier one.
  package init(
    _ source: SourceFile, parsed: ParsedModel, hasComments: Bool, differences: [Diagnostic]
  ) {
    self.init(path: source.path, source: source, findings: parsed.locate(differences).sortedByPlace())
    if hasComments { readComments() }
  }

  private mutating func readComments() {
    if let source { suppressions = SuppressionList(CommentScanner.directives(in: source)) }
  }
}

/// A finding that the project lives with.
package struct AcceptedFinding: Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    /// A comment before its line, with the reason given there.
    case comment(String)
    /// With the reason that the entry gives.
    case baseline(String? = nil)

    /// In one sentence or less.
    package var text: String {
      switch self {
      case .comment(let text): text
      case .baseline(let reason): reason ?? "listed in the baseline"
      }
    }
  }

  package var finding: Diagnostic
  package var reason: Reason
}

// MARK: - Comments

extension FileReport {
  /// Changes the findings before comments are applied to them.
  package mutating func change(_ edit: ([Diagnostic]) -> [Diagnostic]) {
    findings = edit(findings)
  }

  /// Moves what comments allow to the accepted findings, and reports comments that allow nothing.
  ///
  /// - Parameter hasStore: whether a database was looked at; if not, a comment about one may be used elsewhere.
  package mutating func applySuppressions(hasStore: Bool) {
    applySuppressions { $0.category != .difference && (hasStore || !$0.needsStore) }
    findings = (findings + suppressions.findings).sortedByPlace()
  }

  /// Moves changes that comments allow to the accepted findings; comments about anything else are left to `validate`.
  package mutating func acceptChanges() {
    applySuppressions { _ in false }
  }

  /// - Parameter isJudged: whether a comment about a code that allows nothing is a finding.
  private mutating func applySuppressions(_ isJudged: (DiagnosticCode) -> Bool) {
    var waiting: [Place: [Int]] = [:]
    let all = suppressions.suppressions.flatMap { suppression in
      suppression.allowed.map { (allowed: $0, suppression: suppression) }
    }
    for (i, one) in all.enumerated() {
      waiting[Place(line: one.suppression.line, code: one.allowed.code), default: []].append(i)
    }
    var used: Set<Int> = []
    var left: [Diagnostic] = []
    for finding in findings {
      let place = finding.range.map { Place(line: $0.start.line, code: finding.code) }
      if let place, let i = waiting[place]?.first {
        used.insert(i)
        accepted.append(AcceptedFinding(finding: finding, reason: .comment(all[i].suppression.reason)))
      } else {
        left.append(finding)
      }
    }
    let unused = all.indices.filter { !used.contains($0) && isJudged(all[$0].allowed.code) }
      .map { Diagnostic.unusedSuppression(all[$0].allowed, line: all[$0].suppression.line) }
    findings = (left + (hidesFindings(left) ? [] : unused)).sortedByPlace()
  }

  private struct Place: Hashable {
    var line: Int
    var code: DiagnosticCode
  }

  /// Whether a fault keeps other checks from judging, so that a comment about them may well be needed.
  private func hidesFindings(_ findings: [Diagnostic]) -> Bool {
    findings.contains {
      $0.severity == .error && [.file, .format, .structure].contains($0.code.category)
        || $0.code == .misspeltAnnotation
    }
  }
}

extension DiagnosticCode {
  /// Whether only a run on a database, or one that asks for it, can find it.
  var needsStore: Bool { category == .database || category == .run || self == .noIdentity }
}

// MARK: - Severities

/// How grave a project holds the findings of a code to be: what `severities` of `moclone.yml` says.
package enum SeveritySetting: String, Sendable, Hashable, CaseIterable {
  case error, warning, note, info, off

  /// Nil for findings that are not reported.
  var severity: Severity? {
    switch self {
    case .error: .error
    case .warning: .warning
    case .note, .info: .note
    case .off: nil
    }
  }
}

extension FileReport {
  /// Takes for errors what makes clones fail: the model can be used, but not for what it is made for.
  package mutating func weighRefusals() {
    findings = findings.map { finding in
      var finding = finding
      if finding.refusesClones { finding.severity = .error }
      return finding
    }
  }

  /// Gives the findings the severities of the project, and drops those that it turned off.
  package mutating func apply(_ severities: [DiagnosticCode: SeveritySetting]) {
    findings = findings.compactMap { finding in
      guard let setting = severities[finding.code] else { return finding }
      guard let severity = setting.severity else { return nil }
      var finding = finding
      finding.severity = severity
      return finding
    }
  }

  /// Drops the findings of other codes, but for the errors that keep the wanted ones from being looked for.
  package mutating func keep(_ isWanted: (DiagnosticCode) -> Bool) {
    let isWhole = unchecked?.isEmpty == true
    findings = findings.filter {
      isWanted($0.code) || $0.code.category == .file
        || !isWhole && $0.severity == .error && [.format, .structure].contains($0.code.category)
    }
    accepted = accepted.filter { isWanted($0.finding.code) }
  }
}
