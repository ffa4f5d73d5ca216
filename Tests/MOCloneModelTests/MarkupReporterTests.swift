import Foundation
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Reports as XML")
struct MarkupReporterTests {
  private let reports = [
    FileReport(
      path: "/project/a&b<\"c\">.yml", source: nil,
      findings: [
        Diagnostic(
          .unknownKey, at: .entity("A\u{1}\n\u{FFFE}]]>"), "wrong & <bad> \"\u{1B}[31m\"", help: "mend it",
          range: .point(line: 3, column: 5)),
        Diagnostic(.missingInverse, at: .model, "a warning"),
      ])
  ]

  private func isWellFormed(_ text: String) -> Bool {
    XMLParser(data: Data(text.utf8)).parse()
  }

  @Test func everyTextIsEscaped() {
    for text in [
      CheckstyleReporter.report(reports, root: "/project"),
      JUnitReporter(root: "/project") { $0 == .error }.report(reports),
    ] {
      #expect(isWellFormed(text), "\(text)")
      #expect(text.contains("a&amp;b&lt;&quot;c&quot;&gt;.yml"))
      #expect(text.contains("Wrong &amp; &lt;bad&gt; &quot;\u{FFFD}[31m&quot;."))
    }
  }

  @Test func notesAndWarningsHaveTheirSeverities() {
    let text = CheckstyleReporter.report(reports, root: "/project")
    #expect(text.contains("severity=\"error\"") && text.contains("severity=\"warning\""))
    #expect(text.contains("<error line=\"3\" column=\"5\""))
  }

  @Test func acceptedFindingsAreSkippedTests() {
    var report = reports[0]
    report.accepted = [AcceptedFinding(finding: report.findings[1], reason: .comment("the export writes it"))]
    let text = JUnitReporter(root: "/project") { _ in true }.report([report])
    #expect(text.contains("<skipped message=\"the export writes it\"/>"))
    #expect(text.contains("tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"1\""))
  }
}
