import MOCloneModel

/// Prints findings as JUnit's XML: each file is a suite, each finding a case.
package struct JUnitReporter {
  private let root: String
  private let fails: (Severity) -> Bool

  /// - Parameters:
  ///   - root: the folder that paths are relative to.
  ///   - fails: whether findings of a severity fail the run; the others are passed cases with a text.
  package init(root: String, fails: @escaping (Severity) -> Bool) {
    self.root = root
    self.fails = fails
  }

  package func report(_ reports: [FileReport]) -> String {
    let suites = reports.map(suite)
    return MarkupElement(
      name: "testsuites",
      attributes: [("name", "moclone validate")] + counts(reports.map(caseCount), reports: reports),
      children: suites
    ).document
  }

  private func counts(_ cases: [Int], reports: [FileReport]) -> [(name: String, value: String)] {
    let failures = reports.reduce(0) { $0 + $1.findings.count { fails($0.severity) } }
    let skipped = reports.reduce(0) { $0 + $1.accepted.count }
    return [
      ("tests", "\(cases.reduce(0, +))"), ("failures", "\(failures)"), ("errors", "0"),
      ("skipped", "\(skipped)"),
    ]
  }

  /// A file without findings is one case that passes: services take a suite without cases for a fault.
  private func caseCount(_ report: FileReport) -> Int {
    max(1, report.findings.count + report.accepted.count)
  }

  private func suite(_ report: FileReport) -> MarkupElement {
    let file = RelativePath.shown(report.path, from: root)
    let cases =
      report.findings.map { `case`($0, file: file, children: [outcome($0, file: file)]) }
      + report.accepted.map { `case`($0.finding, file: file, children: [skipped($0)]) }
    let passed = MarkupElement(name: "testcase", attributes: [("classname", file), ("name", "no findings")])
    return MarkupElement(
      name: "testsuite", attributes: [("name", file)] + counts([caseCount(report)], reports: [report]),
      children: cases.isEmpty ? [passed] : cases)
  }

  private func `case`(_ finding: Diagnostic, file: String, children: [MarkupElement]) -> MarkupElement {
    let name = [finding.code.rawValue, finding.path.name].filter { !$0.isEmpty }.joined(separator: " ")
    let line = finding.range.map { [(name: "line", value: "\($0.start.line)")] } ?? []
    return MarkupElement(
      name: "testcase", attributes: [("classname", file), ("name", name), ("file", file)] + line,
      children: children)
  }

  private func outcome(_ finding: Diagnostic, file: String) -> MarkupElement {
    let place = finding.range.map { "\(file):\($0.start.line):\($0.start.column)" } ?? file
    let text = ["\(place): \(finding.message.asSentence())", finding.help.map { "help: \($0)" }]
      .compactMap { $0 }.joined(separator: "\n")
    guard fails(finding.severity) else { return MarkupElement(name: "system-out", text: text) }
    return MarkupElement(
      name: "failure",
      attributes: [("message", finding.message.asSentence()), ("type", finding.severity.rawValue)],
      text: text)
  }

  private func skipped(_ accepted: AcceptedFinding) -> MarkupElement {
    MarkupElement(name: "skipped", attributes: [("message", accepted.reason.text)])
  }
}
