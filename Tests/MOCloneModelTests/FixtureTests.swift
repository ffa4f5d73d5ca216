import Foundation
import Testing

@testable import MOCloneModel

/// A model file whose last lines, behind `#|`, hold the report about it; none where it is valid.
struct Fixture: CustomTestStringConvertible {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  static let all: [Fixture] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".yml") }.sorted().map(Fixture.init)
  }()

  let name: String

  var testDescription: String { name }

  var url: URL { Self.folder.appendingPathComponent(name) }

  func read() throws -> (model: String, report: String) {
    let lines = try String(contentsOf: url, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let model = lines.filter { !$0.hasPrefix("#|") }.joined(separator: "\n")
    let report = lines.filter { $0.hasPrefix("#|") }.map { $0.dropFirst($0.hasPrefix("#| ") ? 3 : 2) }
    return (model, report.joined(separator: "\n"))
  }

  func write(_ model: String, report: String) throws {
    let lines = report.split(separator: "\n", omittingEmptySubsequences: false).map { "#| \($0)\n" }
    let text = model + (report.isEmpty ? "" : lines.joined())
    try text.write(to: url, atomically: true, encoding: .utf8)
  }
}

@Suite("Reports about model files")
struct FixtureTests {
  /// `UPDATE_FIXTURES=1` writes what is reported now, and fails, so that nobody takes it for a passed test.
  @Test(arguments: Fixture.all)
  func theReportIsTheExpectedOne(fixture: Fixture) throws {
    let (model, expected) = try fixture.read()
    let source = SourceFile(path: fixture.name, text: model)
    var report = TextReporter(source).report(ModelParser.parse(source).diagnostics)
    if report.hasSuffix("\n") { report.removeLast() }
    if ProcessInfo.processInfo.environment["UPDATE_FIXTURES"] == "1", report != expected {
      try fixture.write(model, report: report)
      Issue.record("rewrote \(fixture.name)")
    } else {
      #expect(report == expected)
    }
  }

  @Test func thereAreFixtures() {
    #expect(Fixture.all.count > 10)
  }
}
