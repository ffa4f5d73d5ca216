import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Explanations of codes")
struct ValidationExplanationTests {
  @Test(arguments: DiagnosticCode.allCases)
  func everyCodeIsExplained(code: DiagnosticCode) throws {
    let explanation = try #require(Explanation.byCode[code])
    #expect(explanation.title.hasSuffix("."))
    #expect(!explanation.why.isEmpty)
    #expect((explanation.bad == nil) == (explanation.good == nil))
    #expect((explanation.badStore == nil) == (explanation.goodStore == nil))
    let isAboutStores = explanation.badStore != nil
    #expect(!isAboutStores || explanation.badStore != explanation.goodStore)
    #expect(explanation.bad == nil || (explanation.bad != explanation.good) != isAboutStores)
  }

  @Test(arguments: DiagnosticCode.allCases)
  func codesAreKebabCase(code: DiagnosticCode) {
    #expect(code.rawValue.wholeMatch(of: /[a-z]+(-[a-z0-9]+)*/) != nil)
  }

  @Test func codesOfRunsHaveNoExamples() {
    let runs = Set(Explanation.runs.keys).union(Explanation.stores.keys)
    for code in runs { #expect(Explanation.byCode[code]?.bad == nil, "\(code.rawValue)") }
  }

  @Test(arguments: DiagnosticCode.allCases)
  func badExamplesHaveTheFindingAndNoOther(code: DiagnosticCode) throws {
    guard let bad = code.explanation.bad, let good = code.explanation.good else { return }
    let isAboutStores = code.explanation.badStore != nil
    let found = report(bad, code)
    #expect(found.map(\.code) == (isAboutStores ? [] : [code]), "\(found.map(\.message))")
    let rest = report(good, code)
    #expect(rest.isEmpty, "\(rest.map(\.message))")
  }

  /// What `validate` reports, where it is asked for the code.
  private func report(_ text: String, _ code: DiagnosticCode) -> [Diagnostic] {
    var report = FileReport(SourceFile(path: "m.yml", text: text)) { parsed in
      code == .noIdentity ? parsed.model.map(ModelValidator.identityFindings) ?? [] : []
    }
    report.applySuppressions(hasStore: false)
    return report.findings
  }

  @Test(arguments: DiagnosticCode.allCases)
  func everyCodeHasItsPlaceAndItsSeverity(code: DiagnosticCode) throws {
    let parts = Explanation.parts.filter { $0.explanations[code] != nil }
    #expect(parts.map(\.category) == [code.category])
    guard let bad = code.explanation.bad else { return }
    for finding in report(bad, code) where finding.code == code {
      #expect(finding.severity == code.defaultSeverity)
    }
  }
}
