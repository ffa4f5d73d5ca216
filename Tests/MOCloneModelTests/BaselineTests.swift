import Foundation
import TestSupport
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Baselines")
struct BaselineTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func finding(_ code: DiagnosticCode, _ path: ModelPath, line: Int = 1) -> Diagnostic {
    Diagnostic(code, at: path, "found", range: .point(line: line, column: 1))
  }

  private func report(_ name: String, _ findings: [Diagnostic]) -> FileReport {
    FileReport(path: folder.file(name).path, source: nil, findings: findings)
  }

  private func baseline(_ reports: [FileReport]) -> Baseline { Baseline(of: reports, folder: folder.path) }

  private func read(_ text: String) throws -> Baseline {
    let file = try folder.write(text.utf8, to: "baseline.json")
    return try Baseline(contentsOf: file, path: "baseline.json")
  }

  private let note = ModelPath.entity("Note")

  @Test func areReadAsTheyAreWritten() throws {
    let written = baseline([
      report(
        "Models/m.yml", [finding(.unknownKey, note / "attributes" / "na\"me ü"), finding(.unknownKey, note)])
    ])
    let text = try written.text()
    #expect(try read(text).counts == written.counts)
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
    #expect(try read(baseline([]).text()).counts.isEmpty)
  }

  @Test func nameNeitherLinesNorTheMachine() throws {
    let first = try baseline([report("Models/m.yml", [finding(.unknownKey, note, line: 3)])]).text()
    let moved = try baseline([report("Models/m.yml", [finding(.unknownKey, note, line: 90)])]).text()
    #expect(first == moved)
    #expect(!first.contains(folder.path))
    #expect(first.contains("\"Models/m.yml\""))
    let above = Baseline(
      of: [report("Models/m.yml", [finding(.unknownKey, note)])],
      folder: folder.file("ci").path)
    #expect(try above.text().contains("\"../Models/m.yml\""))
  }

  @Test func acceptWhatTheyHold() {
    var reports = [
      report("Models/m.yml", [finding(.unknownKey, note / "attributes" / "a"), finding(.rebuildType, note)])
    ]
    let baseline = baseline(reports)
    reports = [
      report(
        "Models/m.yml",
        [
          finding(.unknownKey, note / "attributes" / "a", line: 9),
          finding(.unknownKey, note / "attributes" / "b"), finding(.rebuildType, note),
        ])
    ]
    #expect(baseline.accept(&reports, hasStore: false).isEmpty)
    #expect(reports[0].findings.map(\.path.name) == ["Note.b"])
    #expect(reports[0].accepted.map(\.reason) == [.baseline(), .baseline()])
  }

  @Test func moreThanTheyHoldAreAllReported() {
    var reports = [report("Models/m.yml", [finding(.unknownKey, note)])]
    let baseline = baseline(reports)
    reports = [report("Models/m.yml", [finding(.unknownKey, note), finding(.unknownKey, note, line: 2)])]
    #expect(baseline.accept(&reports, hasStore: false).isEmpty)
    #expect(reports[0].findings.count == 2)
    #expect(reports[0].findings[1].notes.last?.message.contains("allows 1") == true)
  }

  @Test func staleEntriesAreFound() throws {
    let baseline = try read(
      """
      {"version": 1, "findings": [
        {"file": "Models/m.yml", "subject": "Note", "code": "unknown-key", "count": 3},
        {"file": "Models/m.yml", "subject": "Note", "code": "rebuild-type"},
        {"file": "Models/m.yml", "subject": "Item", "code": "store-mismatch"}
      ]}
      """)
    var reports = [report("Models/m.yml", [finding(.unknownKey, note)])]
    let stale = baseline.accept(&reports, hasStore: false)
    #expect(stale.map(\.code) == [.staleBaseline, .staleBaseline])
    #expect(stale.map(\.range?.start.line) == [3, 2])
    #expect(stale[1].message.contains("found 1 times, not 3"))
    reports = [report("Models/m.yml", [])]
    #expect(baseline.accept(&reports, hasStore: true).count == 3)
  }

  @Test func filesThatWereNotLookedAtAreNotStale() throws {
    let other = folder.file("other.yml")
    try Data().write(to: other)
    let baseline = baseline([report("other.yml", [finding(.unknownKey, note)])])
    var reports = [report("Models/m.yml", [])]
    #expect(baseline.accept(&reports, hasStore: false).isEmpty)
    try FileManager.default.removeItem(at: other)
    #expect(baseline.accept(&reports, hasStore: false).count == 1)
    reports = [report("other.yml", [finding(.syntax, .model)])]
    try Data().write(to: other)
    #expect(baseline.accept(&reports, hasStore: false).isEmpty)
  }

  @Test func whatHidesEverythingElseIsNeverHeld() {
    #expect(
      baseline([report("Models/m.yml", [finding(.syntax, .model), finding(.staleBaseline, .model)])]).counts
        .isEmpty)
  }

  @Test(arguments: [
    ("[]", DiagnosticCode.wrongKind), ("", .wrongKind),
    ("{\"version\": 2, \"findings\": []}", .unsupportedVersion),
    ("{\"version\": 1}", .missingKey), ("{\"version\": 1, \"findings\": {}}", .wrongKind),
    ("{\"version\": 1, \"findings\": [{\"file\": \"m.yml\"}]}", .missingKey),
    ("{\"version\": 1, \"findings\": [{\"file\": \"m\", \"code\": \"c\", \"line\": 3}]}", .unknownKey),
    ("{\"version\": 1, \"findings\": [", .syntax),
  ])
  func faultsOfTheFileHaveTheirPlace(text: String, code: DiagnosticCode) {
    let error = #expect(throws: ModelError.self) { try read(text) }
    #expect(error?.diagnostics.map(\.code) == [code])
    #expect(error?.diagnostics.first?.range != nil)
  }

  @Test(
    "Its faults are told in words of its own",
    arguments: ["[]", "{\"version\": 2, \"findings\": []}", entry(count: "-1"), entry(count: "0")])
  func faults(_ text: String) throws {
    let error = try #require(throws: ModelError.self) { try read(text) }
    #expect(
      error.diagnostics.map(\.help) == ["rewrite the baseline: moclone validate --write-baseline FILE"])
    #expect(error.diagnostics.allSatisfy { $0.range != nil })
  }

  private static func entry(count: String) -> String {
    "{\"version\": 1, \"findings\": [{\"file\": \"m.yml\", \"code\": \"unknown-key\", \"count\": \(count)}]}"
  }
}
