import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Summaries and long reports")
struct SummaryTests {
  private func report(_ findings: [(DiagnosticCode, Severity)]) -> FileReport {
    FileReport(
      path: "m.yml", source: nil,
      findings: findings.map { Diagnostic($0.0, $0.1, at: .model, "found", help: "mend it") })
  }

  @Test func nothingIsSaidInOneLine() {
    #expect(ReportSummary([report([])]).line == "no findings in 1 file")
    #expect(ReportSummary([report([]), report([])]).line == "no findings in 2 files")
  }

  @Test func findingsAreCountedBySeverity() {
    let faulty = report([(.unknownKey, .error), (.unknownKey, .error), (.excludeValue, .warning)])
    #expect(ReportSummary([faulty]).line == "2 errors and 1 warning in 1 file")
    let all = report([(.unknownKey, .error), (.excludeValue, .warning), (.sharedTable, .note)])
    #expect(ReportSummary([all, report([])]).line == "1 error, 1 warning and 1 note in 1 of 2 files")
  }

  @Test func whatIsAcceptedIsCountedApart() {
    var accepting = report([])
    let finding = Diagnostic(.unknownKey, at: .model, "")
    accepting.accepted = [.comment("why"), .baseline(), .baseline()].map {
      AcceptedFinding(finding: finding, reason: $0)
    }
    #expect(
      ReportSummary([accepting]).line == "no findings in 1 file; 1 allowed by comments; 2 in the baseline")
  }

  @Test func theMostFrequentCodesComeFirst() {
    let findings = Array(repeating: (DiagnosticCode.unknownKey, Severity.error), count: 11)
    let table = ReportSummary([report([(.sharedTable, .error), (.excludeValue, .warning)] + findings)]).table
    let lines = table.split(separator: "\n")
    #expect(lines[0] == "  11  unknown-key    A key is unknown here.")
    #expect(lines[1].hasPrefix("   1  exclude-value  "))
    #expect(lines[2].hasPrefix("   1  shared-table   "))
  }

  @Test func aLongReportShowsTheFirstOfEachKindAtLength() {
    let findings = Array(repeating: (DiagnosticCode.unknownKey, Severity.error), count: 5)
    let text = TextReporter(nil, path: "m.yml", detailed: 2)
      .report(report(findings + [(.sharedTable, .error)]).findings)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 2 * 2 + 3 + 2)
    #expect(lines[4] == "m.yml: error: Found. [unknown-key]; mend it")
    #expect(lines.last == "    help: mend it")
  }
}
