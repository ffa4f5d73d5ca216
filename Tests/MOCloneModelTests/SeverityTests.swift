import Foundation
import TestSupport
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Severities of a project")
struct SeverityTests {
  private func read(_ text: String) throws -> (settings: ProjectSettings, report: FileReport) {
    let folder = try TemporaryFolder()
    return ProjectSettings.read(try folder.write(text.utf8, to: "moclone.yml"), path: "moclone.yml")
  }

  @Test func areReadForEachCode() throws {
    let (settings, report) = try read(
      "version: 1\nseverities:\n  unknown-key: warning\n  exclude-value: off\n  rebuild-type: info\n"
        + "  link-leaves-out: error\n  x-ours: anything\n")
    #expect(report.findings.isEmpty)
    #expect(
      settings.severities == [
        .unknownKey: .warning, .excludeValue: .off, .rebuildType: .info, .linkLeavesOut: .error,
      ])
  }

  @Test func replaceThoseOfTheFindings() {
    var report = FileReport(
      path: "m.yml", source: nil,
      findings: [.unknownKey, .excludeValue, .rebuildType, .sharedTable].map {
        Diagnostic($0, at: .model, "")
      })
    report.apply([.unknownKey: .warning, .excludeValue: .off, .rebuildType: .info])
    #expect(report.findings.map(\.code) == [.unknownKey, .rebuildType, .sharedTable])
    #expect(report.findings.map(\.severity) == [.warning, .note, .error])
  }

  @Test func anUnknownCodeHasAPlaceAndASuggestion() throws {
    let (settings, report) = try read(
      "version: 1\nmodel: m.yml\nseverities:\n  unknown-kee: off\n  shared-table: warning\n")
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1)
    #expect((finding.range?.start.line, finding.range?.start.column) == (4, 3))
    #expect(finding.help == "did you mean 'unknown-key'?")
    #expect(settings.severities == [.sharedTable: .warning])
    #expect(settings.model?.hasSuffix("/m.yml") == true)
  }

  @Test(arguments: [
    ("severities: {unknown-key: fatal}", DiagnosticCode.unknownValue), ("severities: [off]", .wrongKind),
    ("severities: {syntax: warning}", .unknownValue), ("severities: {unreadable-file: off}", .unknownValue),
    ("severitys: {unknown-key: off}", .unknownKey),
    ("severities: {unknown-key: off, unknown-key: error}", .duplicateKey),
  ])
  func faultsAreReported(line: String, code: DiagnosticCode) throws {
    #expect(try read("version: 1\n\(line)\n").report.findings.map(\.code) == [code])
  }
}
