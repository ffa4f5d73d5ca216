import MOCloneModel

/// What a reader wants to know first of many findings: how many, of which kinds.
package struct ReportSummary: Sendable {
  package let files: Int
  /// Findings that a comment allows.
  package let allowed: Int
  package let inBaseline: Int
  private var counts: [Severity: Int] = [:]
  private var codes: [DiagnosticCode: Int] = [:]
  private var faultyFiles = 0
  /// The entities whose clones were not checked; nil where it may be any.
  private let unchecked: [String]?
  /// The same of those for which a store was not checked.
  private let withoutStore: [String]?

  package init(_ reports: [FileReport]) {
    let reasons = reports.flatMap(\.accepted).map(\.reason)
    files = reports.count
    inBaseline = reasons.count { if case .baseline = $0 { true } else { false } }
    allowed = reasons.count - inBaseline
    unchecked = Self.all(reports.map(\.unchecked))
    withoutStore = Self.all(reports.map(\.withoutStore))
    for report in reports {
      faultyFiles += report.findings.isEmpty ? 0 : 1
      for finding in report.findings {
        counts[finding.severity, default: 0] += 1
        codes[finding.code, default: 0] += 1
      }
    }
  }

  private static func all(_ entities: [[String]?]) -> [String]? {
    entities.contains(nil) ? nil : entities.compactMap { $0 }.flatMap { $0 }
  }

  package func count(_ severity: Severity) -> Int { counts[severity] ?? 0 }

  package var findings: Int { counts.values.reduce(0, +) }

  /// One line, such as `2 errors and 1 warning in 1 of 3 files; 4 in the baseline`.
  package var line: String {
    let found = [(Severity.error, "error"), (.warning, "warning"), (.note, "note")]
      .filter { count($0.0) > 0 }.map { count($0.0).counting($0.1) }
    let place = faultyFiles < files && faultyFiles > 0 ? "\(faultyFiles) of " : ""
    let findings = found.isEmpty ? "no findings" : list(found)
    let accepted = [
      allowed > 0 ? "\(allowed) allowed by comments" : nil,
      inBaseline > 0 ? "\(inBaseline) in the baseline" : nil,
    ].compactMap { $0 }
    return (["\(findings) in \(place)\(files.counting("file"))"] + accepted + hidden).joined(
      separator: "; ")
  }

  /// What could not be checked because of errors, including accepted ones, which are not counted.
  private var hidden: [String] {
    let errors = count(.error) > 0 ? "these errors" : "errors that a comment or the baseline accepts"
    let clones = Self.named(unchecked, by: " of ").map { "what clones\($0) contain was not checked" }
    let store = Self.named(withoutStore, by: " for ").map { "the store was not checked\($0)" }
    return [clones, store].compactMap { $0 }.map { "\($0), because of \(errors)" }
  }

  /// Which entities were not checked, empty where it may be any; nil where all were.
  private static func named(_ entities: [String]?, by word: String) -> String? {
    guard let entities else { return "" }
    if entities.isEmpty { return nil }
    return word + entities.prefix(3).joined(separator: ", ") + (entities.count > 3 ? " and others" : "")
  }

  /// How often each code was found, the most frequent first; what to fix first is seen at a glance.
  package var table: String {
    let rows = codes.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
    let width = String(rows.first?.value ?? 0).count
    let names = rows.map(\.key.rawValue.count).max() ?? 0
    return rows.map { code, count in
      let number = String(repeating: " ", count: width - String(count).count) + String(count)
      let name = code.rawValue + String(repeating: " ", count: names - code.rawValue.count)
      return "  \(number)  \(name)  \(code.explanation.title)\n"
    }.joined()
  }

  private func list(_ words: [String]) -> String {
    words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + words.last!
  }
}
