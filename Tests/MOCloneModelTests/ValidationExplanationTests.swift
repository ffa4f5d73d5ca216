import Testing

@testable import MOCloneModel

@Suite("Explanations of codes")
struct ValidationExplanationTests {
  @Test(arguments: DiagnosticCode.allCases)
  func everyCodeIsExplained(code: DiagnosticCode) throws {
    let explanation = try #require(Explanation.byCode[code])
    #expect(explanation.title.hasSuffix("."))
    #expect(!explanation.why.isEmpty)
    #expect((explanation.bad == nil) == (explanation.good == nil))
    #expect(explanation.bad == nil || explanation.bad != explanation.good)
  }

  @Test(arguments: DiagnosticCode.allCases)
  func codesAreKebabCase(code: DiagnosticCode) {
    #expect(code.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
  }

  @Test func codesOfRunsHaveNoExamples() {
    let runs = Set(Explanation.runs.keys).union(Explanation.stores.keys)
    for code in DiagnosticCode.allCases {
      #expect((Explanation.byCode[code]?.bad == nil) == runs.contains(code), "\(code.rawValue)")
    }
  }

  @Test func examplesAreWholeModels() {
    for explanation in Explanation.byCode.values {
      for text in [explanation.bad, explanation.good].compactMap({ $0 }) {
        #expect(text.hasPrefix("version: 1\nname: Example\nentities:\n  "))
        #expect(text.count { $0 == "{" } == text.count { $0 == "}" })
        #expect(text.count { $0 == "\"" }.isMultiple(of: 2))
      }
    }
  }
}
