import Foundation
import MOCloneModel
import MOCloneYAML
import Testing

@Suite("Every finding says what to do")
struct HelpTests {
  @Test("A fixture's findings each have help", arguments: FixtureTests.names)
  func fixtures(_ name: String) throws {
    let source = try SourceFile(contentsOf: FixtureTests.folder.appendingPathComponent(name), path: name)
    for finding in ModelParser.parse(source).diagnostics {
      #expect(finding.help != nil, "\(finding.code.rawValue): \(finding.message)")
    }
  }

  @Test("The bad examples' findings each have help", arguments: DiagnosticCode.allCases)
  func examples(_ code: DiagnosticCode) {
    guard let bad = code.explanation.bad else { return }
    for finding in ModelParser.parse(SourceFile(path: "bad.yml", text: bad)).diagnostics {
      #expect(finding.help != nil, "\(finding.code.rawValue): \(finding.message)")
    }
  }
}
